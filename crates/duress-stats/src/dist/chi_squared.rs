//! The χ² distribution.

use crate::special::{gamma_tails, inverse_incomplete_gamma, ln_gamma_power};
use crate::{UndefinedReason, check};

/// The χ² distribution with real degrees of freedom: `P(X ≤ x) = P(ν/2, x/2)` (DLMF 8.2, AS
/// 26.4.19).
///
/// ```
/// use duress_stats::dist::ChiSquared;
///
/// let chi = ChiSquared::new(1.0).unwrap();
/// assert!((chi.upper_quantile(0.05).unwrap() - 3.841458820694124).abs() < 1e-13);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChiSquared {
    df: f64,
}

impl ChiSquared {
    /// # Errors
    /// `df` not positive and finite.
    pub fn new(df: f64) -> Result<Self, UndefinedReason> {
        check::positive("degrees of freedom", df)?;
        Ok(Self { df })
    }

    /// Density at `x > 0`; 0 outside the support.
    #[must_use]
    pub fn pdf(self, x: f64) -> f64 {
        if x <= 0.0 {
            0.0
        } else {
            libm::exp(ln_gamma_power(0.5 * self.df, 0.5 * x)) / x
        }
    }

    /// `P(X ≤ x)`.
    #[must_use]
    pub fn cdf(self, x: f64) -> f64 {
        gamma_tails(0.5 * self.df, 0.5 * x).lower
    }

    /// `P(X > x)`.
    #[must_use]
    pub fn sf(self, x: f64) -> f64 {
        gamma_tails(0.5 * self.df, 0.5 * x).upper
    }

    /// The point below which a mass of `p` lies.
    ///
    /// # Errors
    /// `p` outside [0, 1].
    pub fn quantile(self, p: f64) -> Result<f64, UndefinedReason> {
        Ok(2.0 * inverse_incomplete_gamma(0.5 * self.df, p, 1.0 - p)?)
    }

    /// The point above which a mass of `q` lies.
    ///
    /// # Errors
    /// `q` outside [0, 1].
    pub fn upper_quantile(self, q: f64) -> Result<f64, UndefinedReason> {
        Ok(2.0 * inverse_incomplete_gamma(0.5 * self.df, 1.0 - q, q)?)
    }
}
