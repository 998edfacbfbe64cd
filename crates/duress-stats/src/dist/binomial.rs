//! The binomial distribution.

use crate::random::RandomStream;
use crate::special::{BetaPoint, beta_tails, ln_beta_power};
use crate::{UndefinedReason, check};

/// A tail that equals the probability asked for up to rounding counts as equal to it.
const SLACK: f64 = 1.0 + 64.0 * f64::EPSILON;

/// Below this mean, numbers are drawn by inversion: rejection is proven from here on.
const FEW: f64 = 10.0;

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

    /// `n` tries, of which `part` of `whole` succeed on average.
    pub(crate) fn of_share(n: u64, part: u64, whole: u64) -> Self {
        assert!(0 < whole && part <= whole, "{part} is no part of {whole}");
        Self {
            n,
            p: part as f64 / whole as f64,
        }
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

    /// A number with this distribution, exactly, in a time that does not grow with `n`.
    ///
    /// ```
    /// use duress_stats::{dist::Binomial, random::RandomStream};
    ///
    /// let law = Binomial::new(10_000, 0.56).unwrap();
    /// let drawn = law.draw(&mut RandomStream::new(1, 0));
    /// assert!((5_200..6_000).contains(&drawn));
    /// ```
    #[must_use]
    pub fn draw(self, stream: &mut RandomStream) -> u64 {
        if self.p > 0.5 {
            let failures = Self {
                n: self.n,
                p: 1.0 - self.p,
            };
            return self.n - failures.draw(stream);
        }
        match self.n as f64 * self.p < FEW {
            true => self.draw_by_inversion(stream),
            false => self.draw_by_rejection(stream),
        }
    }

    /// Takes one mass after the other from a uniform number until nothing of it is left.
    fn draw_by_inversion(self, stream: &mut RandomStream) -> u64 {
        let odds = self.p / (1.0 - self.p);
        let mut left = stream.next_unit();
        let mut mass = libm::exp(self.n as f64 * libm::log1p(-self.p));
        let mut k = 0;
        while left >= mass && k < self.n {
            left -= mass;
            mass *= odds * (self.n - k) as f64 / (k + 1) as f64;
            k += 1;
        }
        k
    }

    /// Transformed rejection (BTRS): W. Hörmann, *The generation of binomial random variates*,
    /// Journal of Statistical Computation and Simulation 46 (1993) 101.
    fn draw_by_rejection(self, stream: &mut RandomStream) -> u64 {
        let n = self.n as f64;
        let deviation = libm::sqrt(n * self.p * (1.0 - self.p));
        let b = 1.15 + 2.53 * deviation;
        let a = -0.0873 + 0.0248 * b + 0.01 * self.p;
        let alpha = (2.83 + 5.1 / b) * deviation;
        let surely = 0.92 - 4.2 / b;
        loop {
            let u = stream.next_unit() - 0.5;
            let v = stream.next_unit();
            let edge = 0.5 - libm::fabs(u);
            let k = libm::floor((2.0 * a / edge + b) * u + n * self.p + 0.5);
            if edge >= 0.07 && v <= surely {
                return k as u64;
            }
            if !(0.0..=n).contains(&k) {
                continue;
            }
            let mode = ((n + 1.0) * self.p) as u64;
            let height = v * alpha / (a / (edge * edge) + b);
            if height * self.pmf(mode) <= self.pmf(k as u64) {
                return k as u64;
            }
        }
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
