//! Special functions under the distributions: logarithms without cancellation, incomplete beta and
//! gamma.
//!
//! Both incomplete functions are split into a *power term*, evaluated with Loader's saddle-point
//! form so that it keeps its relative accuracy for parameters up to 1e8 and far into the tails, and
//! a *ratio* (a series of positive terms or a continued fraction). Tails are returned as a pair so
//! that nobody subtracts a small tail from one.
//!
//! Sources: C. Loader, *Fast and accurate computation of binomial probabilities* (2000); A. R.
//! DiDonato and A. H. Morris, *Algorithm 708*, ACM TOMS 18 (1992) 360–373, for the continued
//! fraction of the incomplete beta function; DLMF 8.9.2 for that of the incomplete gamma function.

mod beta;
mod gamma;
mod logarithm;
mod quadrature;

pub(crate) use beta::{BetaPoint, beta_tails, ln_beta_power};
pub use beta::{incomplete_beta, inverse_incomplete_beta};
pub(crate) use gamma::{gamma_tails, ln_gamma_power};
pub use gamma::{incomplete_gamma, inverse_incomplete_gamma};
pub(crate) use logarithm::{deviance, stirling_error};
pub(crate) use quadrature::integrate;

/// A probability and its complement, each accurate on its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tails {
    /// `P(X ≤ x)`.
    pub lower: f64,
    /// `P(X > x)`.
    pub upper: f64,
}

impl Tails {
    pub(crate) fn of_lower(lower: f64) -> Self {
        Self {
            lower,
            upper: 1.0 - lower,
        }
    }

    pub(crate) fn swapped(self) -> Self {
        Self {
            lower: self.upper,
            upper: self.lower,
        }
    }
}

/// ln of the smaller-parameter tail kept apart from its size: `tail = exp(ln_power) · ratio`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tail {
    pub(crate) ln_power: f64,
    pub(crate) ratio: f64,
}

impl Tail {
    pub(crate) fn value(self) -> f64 {
        (libm::exp(self.ln_power) * self.ratio).min(1.0)
    }

    pub(crate) fn ln(self) -> f64 {
        (self.ln_power + libm::log(self.ratio)).min(0.0)
    }
}

/// Newton's method for `ln F(u) = target` where `ln F` is concave and increasing.
///
/// `at(u)` returns `ln F(u)` and its slope. On a concave function Newton's method needs no bracket:
/// after one step it approaches the root from the left for ever. That one step may land where `F`
/// underflows; it is then halved. The search stops when a step no longer changes `u` or turns back.
pub(crate) fn newton_concave(start: f64, target: f64, at: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut safe = start;
    let mut u = start;
    for turn in 0..400 {
        let (value, slope) = at(u);
        let step = (target - value) / slope;
        if !step.is_finite() {
            u = 0.5 * (u + safe);
            continue;
        }
        safe = u;
        u += step;
        let settled = libm::fabs(step) <= 1e-15 * libm::fabs(u).max(1e-3);
        if settled || (turn > 1 && step < 0.0 && libm::fabs(step) < 1e-9) {
            break;
        }
    }
    u
}
