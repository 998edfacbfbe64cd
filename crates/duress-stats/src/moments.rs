//! Mean and variance of a sample, with the sums done in two passes.

use crate::{UndefinedReason, check};

/// Size, mean and the sum of squared deviations of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Moments {
    pub(crate) n: f64,
    pub(crate) mean: f64,
    /// What the mean lost when it was rounded.
    lost: f64,
    squares: f64,
}

impl Moments {
    pub(crate) fn from_values(
        what: &'static str,
        values: &[f64],
        need: usize,
    ) -> Result<Self, UndefinedReason> {
        check::at_least(what, values.len(), need)?;
        check::finite(what, values)?;
        let n = values.len() as f64;
        let rough = values.iter().sum::<f64>() / n;
        // The second pass also corrects the mean for what the first sum rounded away.
        let rest = values.iter().map(|v| v - rough).sum::<f64>() / n;
        let mean = rough + rest;
        let lost = (rough - mean) + rest;
        let squares = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        Ok(Self {
            n,
            mean,
            lost,
            squares,
        })
    }

    /// Difference of two means; exact where both are large and close, since what rounding took
    /// comes back.
    pub(crate) fn minus(self, other: Self) -> f64 {
        (self.mean - other.mean) + (self.lost - other.lost)
    }

    /// Unbiased variance.
    pub(crate) fn variance(self) -> f64 {
        self.squares / (self.n - 1.0)
    }

    pub(crate) fn sd(self) -> f64 {
        libm::sqrt(self.variance())
    }

    /// Whether the values are equal up to the rounding of their own mean.
    pub(crate) fn constant(self) -> bool {
        self.sd() <= 1e-14 * libm::fabs(self.mean)
    }

    /// Like [`Moments::from_values`], but a sample without spread is refused.
    pub(crate) fn with_spread(
        counted: &'static str,
        named: &'static str,
        values: &[f64],
        need: usize,
    ) -> Result<Self, UndefinedReason> {
        let moments = Self::from_values(counted, values, need)?;
        if moments.constant() {
            Err(UndefinedReason::NoSpread { what: named })
        } else {
            Ok(moments)
        }
    }
}

pub(crate) fn differences(x: &[f64], y: &[f64]) -> Result<Vec<f64>, UndefinedReason> {
    check::finite_pair(x, y)?;
    Ok(x.iter().zip(y).map(|(a, b)| a - b).collect())
}
