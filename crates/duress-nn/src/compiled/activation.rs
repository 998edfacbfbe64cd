//! Activations that are no clipping: functions of one value, and their slopes.

/// An activation that bends, so that its slope on the way back depends on the value: ReLU and
/// ReLU6 only clip, which steps do on their way to memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Activation {
    Leaky(f32),
    Sigmoid,
    Silu,
    HardSigmoid,
    HardSwish,
}

impl Activation {
    pub(crate) fn value_at(self, x: f32) -> f32 {
        match self {
            Activation::Leaky(by) => {
                if x > 0.0 {
                    x
                } else {
                    by * x
                }
            }
            Activation::Sigmoid => sigmoid(x),
            Activation::Silu => x * sigmoid(x),
            Activation::HardSigmoid => hard_sigmoid(x),
            Activation::HardSwish => x * hard_sigmoid(x),
        }
    }

    pub(crate) fn slope_at(self, x: f32) -> f32 {
        match self {
            Activation::Leaky(by) => {
                if x > 0.0 {
                    1.0
                } else {
                    by
                }
            }
            Activation::Sigmoid => sigmoid(x) * (1.0 - sigmoid(x)),
            Activation::Silu => sigmoid(x) * (1.0 + x * (1.0 - sigmoid(x))),
            Activation::HardSigmoid => {
                if x > -3.0 && x < 3.0 {
                    1.0 / 6.0
                } else {
                    0.0
                }
            }
            Activation::HardSwish => {
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

fn hard_sigmoid(x: f32) -> f32 {
    (x / 6.0 + 0.5).clamp(0.0, 1.0)
}
