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
    /// Bends every value. Which activation it is gets decided once, and what is left has no branch, so
    /// that the loop runs over several values at once.
    #[inline(always)]
    pub(crate) fn bend_all(self, from: &[f32], out: &mut [f32]) {
        match self {
            Activation::Leaky(by) => map(from, out, |x| if x > 0.0 { x } else { by * x }),
            Activation::Sigmoid => map(from, out, sigmoid),
            Activation::Silu => map(from, out, |x| x * sigmoid(x)),
            Activation::HardSigmoid => map(from, out, hard_sigmoid),
            Activation::HardSwish => map(from, out, |x| x * hard_sigmoid(x)),
            Activation::Bend(Bend::Tanh) => map(from, out, tanh),
            Activation::Bend(Bend::Erf) => map(from, out, erf),
            Activation::Bend(Bend::Gelu) => map(from, out, gelu),
            Activation::Bend(Bend::GeluTanh) => map(from, out, gelu_tanh),
            Activation::Bend(Bend::Elu(alpha)) => map(from, out, |x| elu(x, alpha)),
            Activation::Bend(bend) => map(from, out, |x| bend_value(bend, x)),
        }
    }

    /// What comes from above every value times the slope there, in the same way.
    #[inline(always)]
    pub(crate) fn slope_all(self, at: &[f32], above: &[f32], out: &mut [f32]) {
        match self {
            Activation::Leaky(by) => chain(at, above, out, |x| if x > 0.0 { 1.0 } else { by }),
            Activation::Sigmoid => chain(at, above, out, sigmoid_slope),
            Activation::Silu => chain(at, above, out, silu_slope),
            Activation::HardSigmoid => chain(at, above, out, hard_sigmoid_slope),
            Activation::HardSwish => chain(at, above, out, hard_swish_slope),
            Activation::Bend(Bend::Tanh) => chain(at, above, out, tanh_slope),
            Activation::Bend(Bend::Erf) => chain(at, above, out, erf_slope),
            Activation::Bend(Bend::Gelu) => chain(at, above, out, gelu_slope),
            Activation::Bend(Bend::GeluTanh) => chain(at, above, out, gelu_tanh_slope),
            Activation::Bend(Bend::Elu(alpha)) => chain(at, above, out, |x| elu_slope(x, alpha)),
            Activation::Bend(bend) => chain(at, above, out, |x| bend_slope(bend, x)),
        }
    }
}

#[inline(always)]
fn map(from: &[f32], out: &mut [f32], bend: impl Fn(f32) -> f32) {
    for (out, &x) in out.iter_mut().zip(from) {
        *out = bend(x);
    }
}

#[inline(always)]
fn chain(at: &[f32], above: &[f32], out: &mut [f32], slope: impl Fn(f32) -> f32) {
    let both = above.iter().zip(at);
    for (out, (above, &x)) in out.iter_mut().zip(both) {
        *out = above * slope(x);
    }
}

/// Adding and taking away this rounds to a whole number, which is then in the lowest bits.
const ROUNDING: f32 = 12_582_912.0;

/// The least exponent with a normal result, and the largest with a finite one.
const LEAST_EXPONENT: f32 = -87.3;
const LARGEST_EXPONENT: f32 = 88.3;

/// ln 2 in two parts, the first of which has few bits.
const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -2.121_944_4e-4;

/// eʳ − 1 − r over r² for |r| ≤ ln 2 / 2 (Moshier's Cephes).
const EXP_SERIES: [f32; 6] = [
    1.987_569_1e-4,
    1.398_199_9e-3,
    8.333_452e-3,
    4.166_579_6e-2,
    1.666_666_6e-1,
    0.5,
];

/// tanh x over x, less 1, over x², for |x| < 0.625 (Moshier's Cephes).
const TANH_SERIES: [f32; 5] = [
    -5.704_988_7e-3,
    2.063_909e-2,
    -5.373_971_5e-2,
    1.333_144_2e-1,
    -3.333_328e-1,
];

/// erf x is x times the first over the second, in x², for |x| ≤ 4, from where on it is 1 (the
/// approximation of Eigen and ONNX Runtime).
const ERF_ABOVE: [f32; 7] = [
    -2.726_142_4e-10,
    2.770_681_5e-8,
    -2.101_024e-6,
    -5.692_506_2e-5,
    -7.349_906_4e-4,
    -2.954_6e-3,
    -1.609_603_3e-2,
];
const ERF_BELOW: [f32; 5] = [
    -1.456_607_2e-5,
    -2.133_740_6e-4,
    -1.682_827e-3,
    -7.373_329e-3,
    -1.426_473_9e-2,
];

#[inline(always)]
fn erf(x: f32) -> f32 {
    let within = x.clamp(-4.0, 4.0);
    let square = within * within;
    within * series(ERF_ABOVE, square) / series(ERF_BELOW, square)
}

#[inline(always)]
fn erf_slope(x: f32) -> f32 {
    FRAC_2_SQRT_PI * exp(-x * x)
}

#[inline(always)]
fn series<const N: usize>(by: [f32; N], x: f32) -> f32 {
    by.into_iter().fold(0.0, |sum, by| sum * x + by)
}

/// eˣ as 2ⁿ · eʳ, without a branch; 0 below the normal numbers, and at most about e⁸⁸.
#[inline(always)]
fn exp(x: f32) -> f32 {
    let within = x.clamp(LEAST_EXPONENT, LARGEST_EXPONENT);
    let rounded = within * std::f32::consts::LOG2_E + ROUNDING;
    let n = rounded - ROUNDING;
    let r = within - n * LN_2_HIGH - n * LN_2_LOW;
    let power = f32::from_bits((rounded.to_bits() << 23).wrapping_add(1.0_f32.to_bits()));
    let value = (series(EXP_SERIES, r) * r * r + r + 1.0) * power;
    if x < LEAST_EXPONENT { 0.0 } else { value }
}

#[inline(always)]
fn tanh(x: f32) -> f32 {
    let size = x.abs();
    let square = x * x;
    let near = series(TANH_SERIES, square) * square * x + x;
    let far = (1.0 - 2.0 / (exp(2.0 * size) + 1.0)).copysign(x);
    if size < 0.625 { near } else { far }
}

#[inline(always)]
fn tanh_slope(x: f32) -> f32 {
    let t = tanh(x);
    (1.0 - t) * (1.0 + t)
}

#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

#[inline(always)]
fn sigmoid_slope(x: f32) -> f32 {
    let s = sigmoid(x);
    s * (1.0 - s)
}

#[inline(always)]
fn silu_slope(x: f32) -> f32 {
    let s = sigmoid(x);
    s * (1.0 + x * (1.0 - s))
}

#[inline(always)]
fn hard_sigmoid(x: f32) -> f32 {
    (x / 6.0 + 0.5).clamp(0.0, 1.0)
}

#[inline(always)]
fn hard_sigmoid_slope(x: f32) -> f32 {
    if x > -3.0 && x < 3.0 { 1.0 / 6.0 } else { 0.0 }
}

#[inline(always)]
fn hard_swish_slope(x: f32) -> f32 {
    let within = x / 3.0 + 0.5;
    let low = if x <= -3.0 { 0.0 } else { within };
    if x < 3.0 { low } else { 1.0 }
}

fn bend_value(bend: Bend, x: f32) -> f32 {
    match bend {
        Bend::Tanh => tanh(x),
        Bend::Erf => erf(x),
        Bend::Gelu => gelu(x),
        Bend::GeluTanh => gelu_tanh(x),
        Bend::Elu(alpha) => elu(x, alpha),
        Bend::Selu { alpha, scale } => scale * elu(x, alpha),
        Bend::Softplus => softplus(x),
        Bend::Mish => x * tanh(softplus(x)),
        Bend::Round => libm::rintf(x),
    }
}

fn bend_slope(bend: Bend, x: f32) -> f32 {
    match bend {
        Bend::Tanh => tanh_slope(x),
        Bend::Erf => erf_slope(x),
        Bend::Gelu => gelu_slope(x),
        Bend::GeluTanh => gelu_tanh_slope(x),
        Bend::Elu(alpha) => elu_slope(x, alpha),
        Bend::Selu { alpha, scale } => scale * elu_slope(x, alpha),
        Bend::Softplus => sigmoid(x),
        Bend::Mish => {
            let plus = softplus(x);
            tanh(plus) + x * tanh_slope(plus) * sigmoid(x)
        }
        Bend::Round => 1.0,
    }
}

const ROOT_2_OVER_PI: f32 = 0.797_884_6;

/// The share of the cube in the tanh form of GELU.
const CUBIC: f32 = 0.044_715;

#[inline(always)]
fn tanh_way(x: f32) -> f32 {
    ROOT_2_OVER_PI * (x + CUBIC * x * x * x)
}

#[inline(always)]
fn gelu_tanh(x: f32) -> f32 {
    x * 0.5 * (1.0 + tanh(tanh_way(x)))
}

#[inline(always)]
fn gelu_tanh_slope(x: f32) -> f32 {
    let t = tanh(tanh_way(x));
    let steepness = ROOT_2_OVER_PI * (1.0 + 3.0 * CUBIC * x * x);
    0.5 * (1.0 + t) + 0.5 * x * (1.0 - t) * (1.0 + t) * steepness
}

#[inline(always)]
fn gelu(x: f32) -> f32 {
    x * normal_share(x)
}

#[inline(always)]
fn gelu_slope(x: f32) -> f32 {
    normal_share(x) + x * normal_density(x)
}

#[inline(always)]
fn normal_share(x: f32) -> f32 {
    0.5 * (1.0 + erf(x * FRAC_1_SQRT_2))
}

#[inline(always)]
fn normal_density(x: f32) -> f32 {
    0.5 * FRAC_1_SQRT_2 * FRAC_2_SQRT_PI * exp(-0.5 * x * x)
}

/// Without a sum that would be infinite or lose what is small.
fn softplus(x: f32) -> f32 {
    x.max(0.0) + libm::log1pf(exp(-x.abs()))
}

/// Next to 0, where eˣ − 1 would lose what is small, the first terms of its series.
#[inline(always)]
fn elu(x: f32, alpha: f32) -> f32 {
    let below = x.min(0.0);
    let near = below * (1.0 + below * (0.5 + below * (1.0 / 6.0 + below * (1.0 / 24.0))));
    let far = exp(below) - 1.0;
    let bent = alpha * if below > -0.0625 { near } else { far };
    if x > 0.0 { x } else { bent }
}

#[inline(always)]
fn elu_slope(x: f32, alpha: f32) -> f32 {
    let bent = alpha * exp(x.min(0.0));
    if x > 0.0 { 1.0 } else { bent }
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

    /// Checks a function of one value against what it should be, in double precision; `within` is in
    /// units of the last place, of 1 where values are below it.
    fn check_values(name: &str, ours: fn(f32) -> f32, exact: fn(f64) -> f64, within: f64) {
        for thousandth in -20_000..=20_000_i16 {
            let x = f32::from(thousandth) / 1000.0;
            let wanted = exact(f64::from(x));
            let apart = (f64::from(ours(x)) - wanted).abs();
            let unit = f64::from(f32::EPSILON) * wanted.abs().max(1e-3);
            assert!(apart <= within * unit, "{name} {x}: {apart} from {wanted}");
        }
    }

    #[test]
    fn exponentials_without_branches_are_exact_to_a_few_last_places() {
        check_values("exp", exp, libm::exp, 2.0);
        check_values("tanh", tanh, libm::tanh, 2.0);
        check_values("sigmoid", sigmoid, |x| 1.0 / (1.0 + libm::exp(-x)), 3.0);
        check_values(
            "elu",
            |x| elu(x, 1.0),
            |x| if x > 0.0 { x } else { libm::expm1(x) },
            5.0,
        );
        for thousandth in -5_000..=5_000_i16 {
            let x = f32::from(thousandth) / 1000.0;
            let apart = f64::from(erf(x)) - libm::erf(f64::from(x));
            assert!(apart.abs() < 5e-7, "erf {x}: {apart}");
        }
        assert_eq!((exp(0.0), tanh(0.0), exp(-1e3)), (1.0, 0.0, 0.0));
        assert!(exp(1e3).is_finite() && exp(f32::NAN).is_nan() && tanh(f32::NAN).is_nan());
        assert_eq!((tanh(50.0), tanh(-50.0)), (1.0, -1.0));
    }

    #[test]
    fn whole_rows_are_bent_as_their_values_are() {
        let at: Vec<f32> = (-50..50_i8).map(|x| f32::from(x) / 9.0).collect();
        let above = vec![2.0; at.len()];
        let plain = [
            Activation::Leaky(0.1),
            Activation::Sigmoid,
            Activation::Silu,
            Activation::HardSigmoid,
            Activation::HardSwish,
        ];
        for activation in plain.into_iter().chain(BENDS.map(Activation::Bend)) {
            let mut values = vec![0.0; at.len()];
            let mut slopes = vec![0.0; at.len()];
            activation.bend_all(&at, &mut values);
            activation.slope_all(&at, &above, &mut slopes);
            for pair in 0..at.len() - 1 {
                let rise = (values[pair + 1] - values[pair]) / (at[pair + 1] - at[pair]);
                let mean = (slopes[pair] + slopes[pair + 1]) / 4.0;
                let kinks = [-3.0, 0.0, 3.0].map(|kink| (at[pair] - kink).abs() < 0.12);
                let within = if kinks.contains(&true) { 0.5 } else { 0.01 };
                let apart = (rise - mean).abs();
                assert!(apart < within, "{activation:?} {}: {rise} {mean}", at[pair]);
            }
        }
    }

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
