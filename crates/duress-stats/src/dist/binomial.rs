//! The binomial distribution.

use crate::special::{BetaPoint, beta_tails, ln_beta_power};
use crate::{UndefinedReason, check};

/// A tail that equals the probability asked for up to rounding counts as equal to it.
const SLACK: f64 = 1.0 + 64.0 * f64::EPSILON;

/// The binomial distribution: `P(X ≤ k) = I_{1−p}(n−k, k+1)` (AS 26.5.24); the mass by Loader's
/// form.
///
/// ```
/// use duress_stats::dist::Binomial;
///
/// let coin = Binomial::new(10, 0.5).unwrap();
/// assert!((coin.cdf(2) - 56.0 / 1024.0).abs() < 1e-16);
/// assert_eq!(coin.quantile(0.5).unwrap(), 5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Binomial {
    n: u64,
    p: f64,
}

impl Binomial {
    /// # Errors
    /// `p` outside [0, 1].
    pub fn new(n: u64, p: f64) -> Result<Self, UndefinedReason> {
        check::closed_unit("p", p)?;
        Ok(Self { n, p })
    }

    /// `P(X = k)`.
    #[must_use]
    pub fn pmf(self, k: u64) -> f64 {
        if k > self.n {
            return 0.0;
        }
        let n = self.n as f64;
        let q = 1.0 - self.p;
        let (k, rest) = (k as f64, n - k as f64);
        if self.p == 0.0 || self.p == 1.0 {
            return if k == n * self.p { 1.0 } else { 0.0 };
        }
        if k == 0.0 {
            return libm::exp(n * libm::log1p(-self.p));
        }
        if rest == 0.0 {
            return libm::exp(n * libm::log(self.p));
        }
        libm::exp(ln_beta_power(BetaPoint::new(k, rest, self.p, q))) * (n / k / rest)
    }

    /// `P(X ≤ k)`.
    #[must_use]
    pub fn cdf(self, k: u64) -> f64 {
        if k >= self.n {
            return 1.0;
        }
        let rest = (self.n - k) as f64;
        let above = k as f64 + 1.0;
        beta_tails(BetaPoint::new(above, rest, self.p, 1.0 - self.p)).upper
    }

    /// `P(X > k)`.
    #[must_use]
    pub fn sf(self, k: u64) -> f64 {
        if k >= self.n {
            return 0.0;
        }
        let rest = (self.n - k) as f64;
        let above = k as f64 + 1.0;
        beta_tails(BetaPoint::new(above, rest, self.p, 1.0 - self.p)).lower
    }

    /// The smallest `k` with `P(X ≤ k) ≥ p`.
    ///
    /// # Errors
    /// `p` outside [0, 1].
    pub fn quantile(self, p: f64) -> Result<u64, UndefinedReason> {
        check::closed_unit("p", p)?;
        Ok(self.first(|k| self.cdf(k) * SLACK >= p))
    }

    /// The smallest `k` with `P(X > k) ≤ q`.
    ///
    /// # Errors
    /// `q` outside [0, 1].
    pub fn upper_quantile(self, q: f64) -> Result<u64, UndefinedReason> {
        check::closed_unit("q", q)?;
        Ok(self.first(|k| self.sf(k) <= q * SLACK))
    }

    /// Bisection over 0..=n for a predicate that stays true once true.
    fn first(self, holds: impl Fn(u64) -> bool) -> u64 {
        let mut low = 0;
        let mut high = self.n;
        while low < high {
            let middle = low + (high - low) / 2;
            if holds(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}
