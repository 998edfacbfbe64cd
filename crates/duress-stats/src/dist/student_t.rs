//! Student's t distribution.

use crate::special::{BetaPoint, beta_tails, inverse_incomplete_beta, ln_beta_power};
use crate::{UndefinedReason, check};

/// Student's t distribution with real degrees of freedom.
///
/// `P(|T| > t) = I_x(ν/2, ½)` with `x = ν/(ν+t²)` (DLMF 8.17, Abramowitz–Stegun 26.7.1).
///
/// ```
/// use duress_stats::dist::StudentT;
///
/// // Three seeds leave two degrees of freedom.
/// let t = StudentT::new(2.0).unwrap();
/// assert!((t.upper_quantile(0.002).unwrap() - 15.764).abs() < 1e-3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StudentT {
    df: f64,
}

impl StudentT {
    /// # Errors
    /// `df` not positive and finite.
    pub fn new(df: f64) -> Result<Self, UndefinedReason> {
        check::positive("degrees of freedom", df)?;
        Ok(Self { df })
    }

    /// The beta coordinates of `t`; written so that neither `t²` nor the distance from the mean
    /// overflows or cancels.
    fn split(self, t: f64) -> BetaPoint {
        let size = libm::hypot(libm::sqrt(self.df), t);
        let x = self.df / size / size;
        let y = t / size * (t / size);
        let lead = 0.5 * self.df * ((t - 1.0) / size) * ((t + 1.0) / size);
        BetaPoint {
            a: 0.5 * self.df,
            b: 0.5,
            x,
            y,
            lead,
        }
    }

    /// Density at `t`.
    #[must_use]
    pub fn pdf(self, t: f64) -> f64 {
        if t == 0.0 {
            let ln_ratio = libm::lgamma(0.5 * (self.df + 1.0)) - libm::lgamma(0.5 * self.df);
            return libm::exp(ln_ratio) / libm::sqrt(self.df * std::f64::consts::PI);
        }
        libm::exp(ln_beta_power(self.split(libm::fabs(t)))) / libm::fabs(t)
    }

    /// `P(T ≤ t)`.
    #[must_use]
    pub fn cdf(self, t: f64) -> f64 {
        self.sf(-t)
    }

    /// `P(T > t)`.
    #[must_use]
    pub fn sf(self, t: f64) -> f64 {
        let beyond = 0.5 * self.two_sided(t);
        if t >= 0.0 { beyond } else { 1.0 - beyond }
    }

    /// `P(|T| > |t|)`.
    #[must_use]
    pub fn two_sided(self, t: f64) -> f64 {
        if t.is_infinite() {
            0.0
        } else {
            beta_tails(self.split(libm::fabs(t))).lower
        }
    }

    /// The point below which a mass of `p` lies.
    ///
    /// # Errors
    /// `p` not strictly between 0 and 1.
    pub fn quantile(self, p: f64) -> Result<f64, UndefinedReason> {
        self.upper_quantile(p).map(|t| -t)
    }

    /// The point above which a mass of `q` lies.
    ///
    /// # Errors
    /// `q` not strictly between 0 and 1.
    pub fn upper_quantile(self, q: f64) -> Result<f64, UndefinedReason> {
        check::open_unit("q", q)?;
        let beyond = 2.0 * q.min(1.0 - q);
        let (x, y) = inverse_incomplete_beta(0.5 * self.df, 0.5, beyond, 1.0 - beyond)?;
        let t = libm::sqrt(self.df) * libm::sqrt(y) / libm::sqrt(x);
        Ok(if q <= 0.5 { t } else { -t })
    }
}
