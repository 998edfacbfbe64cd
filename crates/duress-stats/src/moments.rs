//! Mean and variance of a sample, with the sums done in two passes.

use crate::{UndefinedReason, check};

/// Size, mean and the sum of squared deviations of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Moments {
    pub(crate) n: f64,
    pub(crate) mean: f64,
    /// What the mean lost when it was rounded.
    lost: f64,
    /// Of the values divided by `scale`.
    squares: f64,
    scale: f64,
}

/// What values are divided by before they are squared: 1, or a power of two where squares would
/// leave the range of numbers.
fn scale(values: &[f64]) -> f64 {
    let largest = values
        .iter()
        .fold(0.0, |most, v| f64::max(most, libm::fabs(*v)));
    if largest == 0.0 || (1e-140..1e140).contains(&largest) {
        1.0
    } else {
        libm::exp2(libm::floor(libm::log2(largest)))
    }
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
        let scale = scale(values);
        let values = || values.iter().map(|v| v / scale);
        let rough = values().sum::<f64>() / n;
        // The second pass also corrects the mean for what the first sum rounded away.
        let rest = values().map(|v| v - rough).sum::<f64>() / n;
        let mean = rough + rest;
        let lost = (rough - mean) + rest;
        let squares = values().map(|v| (v - mean) * (v - mean)).sum();
        Ok(Self {
            n,
            mean: scale * mean,
            lost: scale * lost,
            squares,
            scale,
        })
    }

    /// Difference of two means; exact where both are large and close, since what rounding took
    /// comes back.
    pub(crate) fn minus(self, other: Self) -> f64 {
        (self.mean - other.mean) + (self.lost - other.lost)
    }

    /// The sum of squared deviations.
    pub(crate) fn sum_of_squares(self) -> f64 {
        self.squares * self.scale * self.scale
    }

    /// Square root of the unbiased variance, which itself may be too large for a number.
    pub(crate) fn sd(self) -> f64 {
        self.scale * libm::sqrt(self.squares / (self.n - 1.0))
    }

    /// The standard error of the mean.
    pub(crate) fn error(self) -> f64 {
        self.sd() / libm::sqrt(self.n)
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
