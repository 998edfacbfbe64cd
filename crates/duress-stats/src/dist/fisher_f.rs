//! The F distribution.

use crate::special::{BetaPoint, Tails, beta_tails, inverse_incomplete_beta, ln_beta_power};
use crate::{UndefinedReason, check};

/// The F distribution: `P(X ≤ f) = I_x(d₁/2, d₂/2)` with `x = d₁f/(d₁f+d₂)` (AS 26.6.2).
///
/// ```
/// use duress_stats::dist::FisherF;
///
/// let f = FisherF::new(4.0, 10.0).unwrap();
/// assert!((f.upper_quantile(0.05).unwrap() - 3.478049690765229).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FisherF {
    above: f64,
    below: f64,
}

impl FisherF {
    /// # Errors
    /// A degree of freedom that is not positive and finite.
    pub fn new(numerator_df: f64, denominator_df: f64) -> Result<Self, UndefinedReason> {
        check::positive("numerator degrees of freedom", numerator_df)?;
        check::positive("denominator degrees of freedom", denominator_df)?;
        Ok(Self {
            above: numerator_df,
            below: denominator_df,
        })
    }

    fn split(self, f: f64) -> BetaPoint {
        let d1 = self.above;
        let d2 = self.below;
        let whole = d1 * f + d2;
        let lead = 0.5 * d1 * (d2 / whole) * (1.0 - f);
        BetaPoint {
            a: 0.5 * d1,
            b: 0.5 * d2,
            x: d1 * f / whole,
            y: d2 / whole,
            lead,
        }
    }

    fn tails(self, f: f64) -> Tails {
        if f <= 0.0 {
            Tails::of_lower(0.0)
        } else if f == f64::INFINITY {
            Tails::of_lower(1.0)
        } else {
            beta_tails(self.split(f))
        }
    }

    /// Density at `f > 0`; 0 outside the support.
    #[must_use]
    pub fn pdf(self, f: f64) -> f64 {
        if f <= 0.0 {
            0.0
        } else {
            libm::exp(ln_beta_power(self.split(f))) / f
        }
    }

    /// `P(X ≤ f)`.
    #[must_use]
    pub fn cdf(self, f: f64) -> f64 {
        self.tails(f).lower
    }

    /// `P(X > f)`.
    #[must_use]
    pub fn sf(self, f: f64) -> f64 {
        self.tails(f).upper
    }

    /// The point below which a mass of `p` lies.
    ///
    /// # Errors
    /// `p` outside [0, 1].
    pub fn quantile(self, p: f64) -> Result<f64, UndefinedReason> {
        self.at_tails(p, 1.0 - p)
    }

    /// The point above which a mass of `q` lies.
    ///
    /// # Errors
    /// `q` outside [0, 1].
    pub fn upper_quantile(self, q: f64) -> Result<f64, UndefinedReason> {
        self.at_tails(1.0 - q, q)
    }

    fn at_tails(self, p: f64, q: f64) -> Result<f64, UndefinedReason> {
        let (x, y) = inverse_incomplete_beta(0.5 * self.above, 0.5 * self.below, p, q)?;
        Ok(self.below / self.above * (x / y))
    }
}
