//! The regularised incomplete gamma function and its inverse.

use super::logarithm::HALF_LN_TWO_PI;
use super::{Tail, Tails, deviance, newton_concave, stirling_error};
use crate::{UndefinedReason, check};

/// `ln( xᵃ e⁻ˣ / Γ(a) )` by Loader's form.
pub(crate) fn ln_gamma_power(a: f64, x: f64) -> f64 {
    0.5 * libm::log(a) - HALF_LN_TWO_PI - stirling_error(a) - deviance(a, x - a, x / a)
}

/// Both tails of the gamma distribution with shape `a` and scale 1.
pub(crate) fn gamma_tails(a: f64, x: f64) -> Tails {
    if x <= 0.0 {
        return Tails::of_lower(0.0);
    }
    if x == f64::INFINITY {
        return Tails::of_lower(1.0);
    }
    if x <= a {
        Tails::of_lower(left_tail(a, x).value())
    } else {
        Tails::of_lower(right(a, x).value()).swapped()
    }
}

/// `P(a, x)` for `x ≤ a`: `(1/a) Σ xᵏ/(a+1)ₖ`, all terms positive.
fn left_tail(a: f64, x: f64) -> Tail {
    let mut sum = 1.0;
    let mut term = 1.0;
    let mut k = 1.0;
    while term > sum * 1e-18 {
        term *= x / (a + k);
        sum += term;
        k += 1.0;
    }
    Tail {
        ln_power: ln_gamma_power(a, x),
        ratio: sum / a,
    }
}

/// `Q(a, x)` for `x > a`: Legendre's continued fraction, even part (DLMF 8.9.2).
fn right(a: f64, x: f64) -> Tail {
    const TINY: f64 = 1e-300;
    let mut partial = x - a + 1.0;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / partial;
    let mut f = d;
    let mut m = 1.0;
    loop {
        let numerator = m * (a - m);
        partial += 2.0;
        d = 1.0 / nudge(numerator * d + partial);
        c = nudge(partial + numerator / c);
        let change = c * d;
        f *= change;
        if libm::fabs(change - 1.0) < 1e-16 || m > 1e6 {
            return Tail {
                ln_power: ln_gamma_power(a, x),
                ratio: f,
            };
        }
        m += 1.0;
    }
}

fn nudge(value: f64) -> f64 {
    if libm::fabs(value) < 1e-300 {
        1e-300
    } else {
        value
    }
}

/// The regularised incomplete gamma function: `P(a, x)` as the lower and `Q(a, x)` as the upper
/// tail.
///
/// ```
/// use duress_stats::special::incomplete_gamma;
///
/// let tails = incomplete_gamma(1.0, 2.0).unwrap();
/// assert!((tails.upper - (-2.0_f64).exp()).abs() < 1e-16);
/// ```
///
/// # Errors
/// `a` not positive, or `x` negative or not a number.
pub fn incomplete_gamma(a: f64, x: f64) -> Result<Tails, UndefinedReason> {
    check::positive("a", a)?;
    if x.is_nan() || x < 0.0 {
        let expected = "a number, 0 or above";
        return Err(UndefinedReason::OutOfRange {
            what: "x",
            value: x,
            expected,
        });
    }
    Ok(gamma_tails(a, x))
}

/// The point with lower tail `p` and upper tail `q = 1 − p`.
///
/// ```
/// use duress_stats::special::inverse_incomplete_gamma;
///
/// let x = inverse_incomplete_gamma(1.0, 1.0 - 1e-20, 1e-20).unwrap();
/// assert!((x - 20.0 * std::f64::consts::LN_10).abs() < 1e-13);
/// ```
///
/// # Errors
/// `a` not positive, or `p`, `q` outside [0, 1] or not summing to one.
pub fn inverse_incomplete_gamma(a: f64, p: f64, q: f64) -> Result<f64, UndefinedReason> {
    check::positive("a", a)?;
    check::tails(p, q)?;
    Ok(match (p, q) {
        (0.0, _) => 0.0,
        (_, 0.0) => f64::INFINITY,
        _ if p <= q => libm::exp(newton_concave(libm::log(a), libm::log(p), |u| {
            lower_at(a, u)
        })),
        // ln Q is concave and decreasing in ln x, so its mirror image is solved.
        _ => libm::exp(-newton_concave(-libm::log(a), libm::log(q), |v| {
            upper_at(a, -v)
        })),
    })
}

/// `ln P` and its slope in `u = ln x`.
fn lower_at(a: f64, u: f64) -> (f64, f64) {
    let x = libm::exp(u);
    if x <= a {
        let tail = left_tail(a, x);
        (tail.ln(), 1.0 / tail.ratio)
    } else {
        let tail = right(a, x);
        (
            libm::log1p(-tail.value()),
            libm::exp(tail.ln_power) / (1.0 - tail.value()),
        )
    }
}

/// `ln Q` and the negative of its slope in `u = ln x`.
fn upper_at(a: f64, u: f64) -> (f64, f64) {
    let x = libm::exp(u);
    if x > a {
        let tail = right(a, x);
        (tail.ln(), 1.0 / tail.ratio)
    } else {
        let tail = left_tail(a, x);
        (
            libm::log1p(-tail.value()),
            libm::exp(tail.ln_power) / (1.0 - tail.value()),
        )
    }
}
