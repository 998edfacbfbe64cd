//! The beta distribution.

use crate::special::{BetaPoint, Tails, beta_tails, inverse_incomplete_beta, ln_beta_power};
use crate::{UndefinedReason, check};

/// The beta distribution on [0, 1]: `P(X ≤ x) = I_x(a, b)` (DLMF 8.17).
///
/// ```
/// use duress_stats::dist::Beta;
///
/// let beta = Beta::new(2.0, 2.0).unwrap();
/// assert!((beta.quantile(0.5).unwrap() - 0.5).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beta {
    a: f64,
    b: f64,
}

impl Beta {
    /// # Errors
    /// A parameter that is not positive and finite.
    pub fn new(a: f64, b: f64) -> Result<Self, UndefinedReason> {
        check::positive("a", a)?;
        check::positive("b", b)?;
        Ok(Self { a, b })
    }

    fn tails(self, x: f64) -> Tails {
        if x <= 0.0 {
            Tails::of_lower(0.0)
        } else if x >= 1.0 {
            Tails::of_lower(1.0)
        } else {
            beta_tails(BetaPoint::new(self.a, self.b, x, 1.0 - x))
        }
    }

    /// Density inside (0, 1); 0 outside.
    #[must_use]
    pub fn pdf(self, x: f64) -> f64 {
        if x <= 0.0 || x >= 1.0 {
            return 0.0;
        }
        libm::exp(ln_beta_power(BetaPoint::new(self.a, self.b, x, 1.0 - x))) / (x * (1.0 - x))
    }

    /// `P(X ≤ x)`.
    #[must_use]
    pub fn cdf(self, x: f64) -> f64 {
        self.tails(x).lower
    }

    /// `P(X > x)`.
    #[must_use]
    pub fn sf(self, x: f64) -> f64 {
        self.tails(x).upper
    }

    /// The point below which a mass of `p` lies.
    ///
    /// # Errors
    /// `p` outside [0, 1].
    pub fn quantile(self, p: f64) -> Result<f64, UndefinedReason> {
        Ok(inverse_incomplete_beta(self.a, self.b, p, 1.0 - p)?.0)
    }

    /// The point above which a mass of `q` lies.
    ///
    /// # Errors
    /// `q` outside [0, 1].
    pub fn upper_quantile(self, q: f64) -> Result<f64, UndefinedReason> {
        Ok(inverse_incomplete_beta(self.a, self.b, 1.0 - q, q)?.0)
    }
}
