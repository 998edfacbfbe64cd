//! The error of a reading between two ends, on the scale of its log-odds.

use crate::UndefinedReason;
use crate::dist::{Beta, StudentT};

/// A standard error and its degrees of freedom.
pub(crate) type ErrorAndFreedom = (f64, f64);

/// What is known of the error of an estimate that lies strictly between `low` and `high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LogOdds {
    pub(crate) estimate: f64,
    pub(crate) own: ErrorAndFreedom,
    /// A second error: at each tail, whichever reaches further counts.
    pub(crate) or: Option<ErrorAndFreedom>,
    pub(crate) few: Option<FewCarry>,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Few of the units carry the variance, so that less is known of it. The fewer degrees of freedom
/// then count, but reach no further than the exact limits of as many units that are each on one end
/// or the other: units between the ends vary less than those.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FewCarry {
    pub(crate) freedom: f64,
    pub(crate) units: usize,
}

impl LogOdds {
    /// The limit that the truth lies beyond with chance `tail`, below (`sign` −1) or above (+1).
    pub(crate) fn limit(&self, tail: f64, sign: f64) -> Result<f64, UndefinedReason> {
        let reach = |(error, freedom): ErrorAndFreedom| {
            Ok(StudentT::new(freedom)?.upper_quantile(tail)? * self.spread(error))
        };
        let exact = |units: usize| {
            let share = match sign > 0.0 {
                true => self.beta_above(units)?.upper_quantile(tail)?,
                false => self.beta_below(units)?.quantile(tail)?,
            };
            Ok(sign * (libm::log(share / (1.0 - share)) - self.place()))
        };
        let at = self.place() + sign * self.furthest(reach, exact)?;
        Ok(self.low + (self.high - self.low) / (1.0 + libm::exp(-at)))
    }

    /// The p-value of the null that the truth is at most (`sign` +1) or at least (−1) `null`.
    pub(crate) fn one_sided_p(&self, null: f64, sign: f64) -> Result<f64, UndefinedReason> {
        if null <= self.low {
            return Ok(if sign > 0.0 { 0.0 } else { 1.0 });
        }
        if null >= self.high {
            return Ok(if sign > 0.0 { 1.0 } else { 0.0 });
        }
        let at = libm::log((null - self.low) / (self.high - null));
        let tail = |(error, freedom): ErrorAndFreedom| {
            Ok(StudentT::new(freedom)?.sf(sign * (self.place() - at) / self.spread(error)))
        };
        let share = (null - self.low) / (self.high - self.low);
        let exact = |units: usize| {
            Ok(match sign > 0.0 {
                true => self.beta_below(units)?.cdf(share),
                false => self.beta_above(units)?.sf(share),
            })
        };
        self.furthest(tail, exact)
    }

    /// What follows from the errors, or, where few units carry them, from fewer degrees of freedom
    /// up to what is exact.
    fn furthest(
        &self,
        of: impl Fn(ErrorAndFreedom) -> Result<f64, UndefinedReason>,
        exact: impl Fn(usize) -> Result<f64, UndefinedReason>,
    ) -> Result<f64, UndefinedReason> {
        let plain = self.larger(self.own, &of)?;
        Ok(match self.few {
            Some(FewCarry { freedom, units }) => {
                let few = self.larger((self.own.0, freedom), &of)?;
                plain.max(few.min(exact(units)?))
            }
            None => plain,
        })
    }

    /// Clopper and Pearson's law of the lower limit, of a count that need not be whole.
    fn beta_below(&self, units: usize) -> Result<Beta, UndefinedReason> {
        let n = units as f64;
        let right = units as f64 * self.share();
        Beta::new(right, n - right + 1.0)
    }

    /// The same of the upper limit.
    fn beta_above(&self, units: usize) -> Result<Beta, UndefinedReason> {
        let n = units as f64;
        let right = units as f64 * self.share();
        Beta::new(right + 1.0, n - right)
    }

    /// Where the estimate lies between its ends, from 0 to 1.
    fn share(&self) -> f64 {
        (self.estimate - self.low) / (self.high - self.low)
    }

    /// The larger of what follows from an error and from the second one.
    fn larger(
        &self,
        own: ErrorAndFreedom,
        of: impl Fn(ErrorAndFreedom) -> Result<f64, UndefinedReason>,
    ) -> Result<f64, UndefinedReason> {
        let own = of(own)?;
        Ok(match self.or {
            Some(other) => own.max(of(other)?),
            None => own,
        })
    }

    /// The log-odds of the estimate.
    fn place(&self) -> f64 {
        libm::log((self.estimate - self.low) / (self.high - self.estimate))
    }

    /// An error of the estimate as one of its log-odds.
    fn spread(&self, error: f64) -> f64 {
        let under = self.estimate - self.low;
        let over = self.high - self.estimate;
        error * (self.high - self.low) / (under * over)
    }
}
