//! Activations that are no clipping: functions of one value, and their slopes.

use std::f32::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use crate::operator::Bend;

/// An activation that bends, so that its slope on the way back depends on the value: ReLU and
/// ReLU6 only clip, which steps do on their way to memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Activation {
    Leaky(f32),
    Sigmoid,
    Silu,
    HardSigmoid,
    HardSwish,
    Bend(Bend),
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
            Activation::Bend(bend) => bend_value(bend, x),
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
            Activation::Bend(bend) => bend_slope(bend, x),
        }
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-x))
}

fn hard_sigmoid(x: f32) -> f32 {
    (x / 6.0 + 0.5).clamp(0.0, 1.0)
}

fn bend_value(bend: Bend, x: f32) -> f32 {
    match bend {
        Bend::Tanh => libm::tanhf(x),
        Bend::Erf => libm::erff(x),
        Bend::Gelu => x * normal_share(x),
        Bend::GeluTanh => x * 0.5 * (1.0 + libm::tanhf(tanh_way(x))),
        Bend::Elu(alpha) => elu(x, alpha),
        Bend::Selu { alpha, scale } => scale * elu(x, alpha),
        Bend::Softplus => softplus(x),
        Bend::Mish => x * libm::tanhf(softplus(x)),
        Bend::Round => libm::rintf(x),
    }
}

fn bend_slope(bend: Bend, x: f32) -> f32 {
    match bend {
        Bend::Tanh => slope_of_tanh(x),
        Bend::Erf => FRAC_2_SQRT_PI * libm::expf(-x * x),
        Bend::Gelu => normal_share(x) + x * normal_density(x),
        Bend::GeluTanh => {
            let way = tanh_way(x);
            let share = 0.5 * (1.0 + libm::tanhf(way));
            let steepness = ROOT_2_OVER_PI * (1.0 + 3.0 * CUBIC * x * x);
            share + 0.5 * x * slope_of_tanh(way) * steepness
        }
        Bend::Elu(alpha) => elu_slope(x, alpha),
        Bend::Selu { alpha, scale } => scale * elu_slope(x, alpha),
        Bend::Softplus => sigmoid(x),
        Bend::Mish => {
            let plus = softplus(x);
            libm::tanhf(plus) + x * slope_of_tanh(plus) * sigmoid(x)
        }
        Bend::Round => 1.0,
    }
}

const ROOT_2_OVER_PI: f32 = 0.797_884_6;

/// The share of the cube in the tanh form of GELU.
const CUBIC: f32 = 0.044_715;

fn tanh_way(x: f32) -> f32 {
    ROOT_2_OVER_PI * (x + CUBIC * x * x * x)
}

fn slope_of_tanh(x: f32) -> f32 {
    let t = libm::tanhf(x);
    (1.0 - t) * (1.0 + t)
}

fn normal_share(x: f32) -> f32 {
    0.5 * libm::erfcf(-x * FRAC_1_SQRT_2)
}

fn normal_density(x: f32) -> f32 {
    0.5 * FRAC_1_SQRT_2 * FRAC_2_SQRT_PI * libm::expf(-0.5 * x * x)
}

/// Without a sum that would be infinite or lose what is small.
fn softplus(x: f32) -> f32 {
    x.max(0.0) + libm::log1pf(libm::expf(-x.abs()))
}

fn elu(x: f32, alpha: f32) -> f32 {
    if x > 0.0 { x } else { alpha * libm::expm1f(x) }
}

fn elu_slope(x: f32, alpha: f32) -> f32 {
    if x > 0.0 { 1.0 } else { alpha * libm::expf(x) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BENDS: [Bend; 8] = [
        Bend::Tanh,
        Bend::Erf,
        Bend::Gelu,
        Bend::GeluTanh,
        Bend::Elu(1.3),
        Bend::Selu {
            alpha: 1.6732632,
            scale: 1.050701,
        },
        Bend::Softplus,
        Bend::Mish,
    ];

    #[test]
    fn slopes_are_those_of_the_values() {
        for bend in BENDS {
            for tenth in -60..=60_i16 {
                // Not on the kink of ELU and SELU.
                let x = f32::from(tenth) / 10.0 + 0.03;
                let step = 1.0 / 256.0;
                let rise = bend_value(bend, x + step) - bend_value(bend, x - step);
                let finite = rise / (2.0 * step);
                let slope = bend_slope(bend, x);
                assert!(
                    (finite - slope).abs() < 2e-3,
                    "{bend:?} {x} {finite} {slope}"
                );
            }
        }
    }

    #[test]
    fn far_out_nothing_overflows() {
        for bend in BENDS {
            for x in [-1e4, -100.0, 100.0, 1e4] {
                let value = bend_value(bend, x);
                let slope = bend_slope(bend, x);
                assert!(
                    value.is_finite() && slope.is_finite(),
                    "{bend:?} {x} {value} {slope}"
                );
            }
        }
    }

    #[test]
    fn rounding_goes_to_the_even_one_and_lets_slopes_through() {
        let rounded = [0.5, 1.5, -0.5, 2.4].map(|x| bend_value(Bend::Round, x));
        assert_eq!(rounded, [0.0, 2.0, 0.0, 2.0]);
        assert_eq!(bend_slope(Bend::Round, 0.3), 1.0);
    }
}
