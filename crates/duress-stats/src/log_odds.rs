//! The error of a reading between two ends, on the scale of its log-odds.

use crate::UndefinedReason;
use crate::dist::StudentT;

/// A standard error and its degrees of freedom.
pub(crate) type ErrorAndFreedom = (f64, f64);

/// What is known of the error of an estimate that lies strictly between `low` and `high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LogOdds {
    pub(crate) estimate: f64,
    pub(crate) own: ErrorAndFreedom,
    /// A second error: at each tail, whichever reaches further counts.
    pub(crate) or: Option<ErrorAndFreedom>,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl LogOdds {
    /// The limit that the truth lies beyond with chance `tail`, below (`sign` −1) or above (+1).
    pub(crate) fn limit(&self, tail: f64, sign: f64) -> Result<f64, UndefinedReason> {
        let reach = |(error, freedom): ErrorAndFreedom| {
            Ok(StudentT::new(freedom)?.upper_quantile(tail)? * self.spread(error))
        };
        let at = self.place() + sign * self.larger(reach)?;
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
        self.larger(|(error, freedom)| {
            Ok(StudentT::new(freedom)?.sf(sign * (self.place() - at) / self.spread(error)))
        })
    }

    /// The larger of what follows from the two errors.
    fn larger(
        &self,
        of: impl Fn(ErrorAndFreedom) -> Result<f64, UndefinedReason>,
    ) -> Result<f64, UndefinedReason> {
        let own = of(self.own)?;
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
        let (under, over) = (self.estimate - self.low, self.high - self.estimate);
        error * (self.high - self.low) / (under * over)
    }
}
