//! Curves: functions of one value, and their slopes.

/// A curve, value by value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Curve {
    Leaky(f32),
    Sigmoid,
    Silu,
    HardSigmoid,
    HardSwish,
}

impl Curve {
    pub(crate) fn at(self, x: f32) -> f32 {
        match self {
            Curve::Leaky(by) => {
                if x > 0.0 {
                    x
                } else {
                    by * x
                }
            }
            Curve::Sigmoid => sigmoid(x),
            Curve::Silu => x * sigmoid(x),
            Curve::HardSigmoid => hard(x),
            Curve::HardSwish => x * hard(x),
        }
    }

    pub(crate) fn slope(self, x: f32) -> f32 {
        match self {
            Curve::Leaky(by) => {
                if x > 0.0 {
                    1.0
                } else {
                    by
                }
            }
            Curve::Sigmoid => sigmoid(x) * (1.0 - sigmoid(x)),
            Curve::Silu => sigmoid(x) * (1.0 + x * (1.0 - sigmoid(x))),
            Curve::HardSigmoid => {
                if x > -3.0 && x < 3.0 {
                    1.0 / 6.0
                } else {
                    0.0
                }
            }
            Curve::HardSwish => {
                if x <= -3.0 {
                    0.0
                } else if x < 3.0 {
                    x / 3.0 + 0.5
                } else {
                    1.0
                }
            }
        }
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-x))
}

fn hard(x: f32) -> f32 {
    (x / 6.0 + 0.5).clamp(0.0, 1.0)
}
