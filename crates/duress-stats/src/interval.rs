//! Confidence intervals in closed form: Wilson and Clopper–Pearson for proportions, Student's t for
//! means.
//!
//! | interval | formula | holds when |
//! |---|---|---|
//! | Wilson | `(p̂ + z²/2n ± z √(p̂q̂/n + z²/4n²)) / (1 + z²/n)` | independent trials; mean coverage close to nominal |
//! | Clopper–Pearson | beta quantiles `B(α/2; k, n−k+1)`, `B(1−α/2; k+1, n−k)` | independent trials; coverage never below nominal |
//! | Student t | `x̄ ± t(n−1) s/√n` | values close to normal, or n large |
//! | Welch t | `x̄ − ȳ ± t(ν) √(s²/n + s'²/n')`, ν by Welch–Satterthwaite | the same, two samples of unequal variance |
//!
//! Sources: E. B. Wilson, JASA 22 (1927) 209; C. J. Clopper and E. S. Pearson, Biometrika 26 (1934)
//! 404; B. L. Welch, Biometrika 34 (1947) 28. Resampled intervals are in [`crate::bootstrap`];
//! measured coverage in `docs/statistics.md`.

use std::fmt;

use crate::dist::{Normal, StudentT};
use crate::moments::{Moments, differences};
use crate::special::inverse_incomplete_beta;
use crate::test::Short;
use crate::{Side, UndefinedReason, check};

/// A confidence interval. A one-sided interval has one infinite end.
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Nominal coverage, for instance 0.95.
    pub level: f64,
    /// How it was made.
    pub method: String,
}

impl Interval {
    /// An interval made elsewhere, checked.
    ///
    /// # Errors
    /// `level` outside (0, 1), or ends that are not numbers or in the wrong order.
    ///
    /// ```
    /// use duress_stats::Interval;
    ///
    /// let interval = Interval::new(0.1, 0.3, 0.95, "read from a paper").unwrap();
    /// assert!(interval.contains(0.2));
    /// assert_eq!(interval.to_string(), "95 % interval [0.1, 0.3] (read from a paper)");
    /// ```
    pub fn new(
        low: f64,
        high: f64,
        level: f64,
        method: impl Into<String>,
    ) -> Result<Self, UndefinedReason> {
        check::open_unit("level", level)?;
        if low <= high {
            return Ok(Self {
                low,
                high,
                level,
                method: method.into(),
            });
        }
        Err(UndefinedReason::OutOfRange {
            what: "the lower end",
            value: low,
            expected: "at most the upper end",
        })
    }

    /// Whether `value` lies inside or on an end.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether zero lies outside.
    #[must_use]
    pub fn excludes_zero(&self) -> bool {
        !self.contains(0.0)
    }

    /// Distance between the ends.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// The interval of the negated quantity.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self {
            low: -self.high,
            high: -self.low,
            ..self.clone()
        }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            low,
            high,
            level,
            method,
        } = self;
        write!(
            f,
            "{} % interval [{}, {}] ({method})",
            Short(100.0 * level),
            Short(*low),
            Short(*high)
        )
    }
}

/// Wilson's score interval for `successes` out of `trials`.
///
/// ```
/// let interval = duress_stats::interval::wilson(9, 10, 0.95).unwrap();
/// assert!((interval.low - 0.595_849_975).abs() < 1e-8 && interval.high < 1.0);
/// ```
///
/// # Errors
/// No trials, more successes than trials, or `level` outside (0, 1).
pub fn wilson(successes: u64, trials: u64, level: f64) -> Result<Interval, UndefinedReason> {
    let (k, n) = counts(successes, trials)?;
    check::open_unit("level", level)?;
    let z = Normal.upper_quantile(0.5 * (1.0 - level))?;
    let share = k / n;
    let square = z * z / n;
    let centre = (share + 0.5 * square) / (1.0 + square);
    let half = z / (1.0 + square) * libm::sqrt(share * (1.0 - share) / n + 0.25 * square / n);
    // At the ends one limit is exactly 0 or 1; the formula says so only up to rounding.
    let low = if successes == 0 {
        0.0
    } else {
        (centre - half).max(0.0)
    };
    let high = if successes == trials {
        1.0
    } else {
        (centre + half).min(1.0)
    };
    Interval::new(low, high, level, "Wilson")
}

/// Clopper and Pearson's exact interval for `successes` out of `trials`: never covers less than it
/// says.
///
/// ```
/// let interval = duress_stats::interval::clopper_pearson(0, 3, 0.95).unwrap();
/// assert_eq!(interval.low, 0.0);
/// assert!((interval.high - 0.707_598_23).abs() < 1e-8);
/// ```
///
/// # Errors
/// No trials, more successes than trials, or `level` outside (0, 1).
pub fn clopper_pearson(
    successes: u64,
    trials: u64,
    level: f64,
) -> Result<Interval, UndefinedReason> {
    let (k, n) = counts(successes, trials)?;
    check::open_unit("level", level)?;
    let tail = 0.5 * (1.0 - level);
    let low = match successes {
        0 => 0.0,
        _ => inverse_incomplete_beta(k, n - k + 1.0, tail, 1.0 - tail)?.0,
    };
    let high = match trials - successes {
        0 => 1.0,
        _ => inverse_incomplete_beta(k + 1.0, n - k, 1.0 - tail, tail)?.0,
    };
    Interval::new(low, high, level, "Clopper–Pearson")
}

fn counts(successes: u64, trials: u64) -> Result<(f64, f64), UndefinedReason> {
    check::at_least("trials", usize::try_from(trials).unwrap_or(usize::MAX), 1)?;
    if successes > trials {
        let expected = "at most the number of trials";
        return Err(UndefinedReason::OutOfRange {
            what: "successes",
            value: successes as f64,
            expected,
        });
    }
    Ok((successes as f64, trials as f64))
}

/// Student's interval for the mean of independent values.
///
/// ```
/// let interval = duress_stats::interval::student_t(&[0.71, 0.74, 0.69], 0.95).unwrap();
/// assert!(interval.low < 0.652 && interval.high > 0.775); // three seeds are few
/// ```
///
/// # Errors
/// Fewer than two values, no spread, or `level` outside (0, 1).
pub fn student_t(values: &[f64], level: f64) -> Result<Interval, UndefinedReason> {
    check::open_unit("level", level)?;
    let moments = Moments::with_spread("values", "the values", values, 2)?;
    mean_interval(moments, Side::TwoSided, level)
}

/// Student's interval for the mean of paired differences `x − y`.
///
/// # Errors
/// As [`student_t`], or samples of different lengths.
pub fn paired_t(x: &[f64], y: &[f64], level: f64) -> Result<Interval, UndefinedReason> {
    student_t(&differences(x, y)?, level)
}

/// Welch's interval for the difference of two means.
///
/// # Errors
/// Fewer than two values in a sample, no spread in either, or `level` outside (0, 1).
pub fn welch_t(x: &[f64], y: &[f64], level: f64) -> Result<Interval, UndefinedReason> {
    crate::tests::welch_t(x, y, Side::TwoSided, level)?
        .interval
        .ok_or(UndefinedReason::Unreachable { what: "interval" })
}

pub(crate) fn mean_interval(
    moments: Moments,
    side: Side,
    level: f64,
) -> Result<Interval, UndefinedReason> {
    let error = moments.sd() / libm::sqrt(moments.n);
    around(
        moments.mean,
        error,
        moments.n - 1.0,
        side,
        level,
        "one-sample t",
    )
}

/// `centre ± t(df) · error`, or one end of it. A one-sided interval belongs to the test of the same
/// side.
pub(crate) fn around(
    centre: f64,
    error: f64,
    df: f64,
    side: Side,
    level: f64,
    method: &str,
) -> Result<Interval, UndefinedReason> {
    let t = StudentT::new(df)?;
    let (low, high) = ends(centre, error, side, level, |tail| t.upper_quantile(tail))?;
    Interval::new(low, high, level, method)
}

/// `centre ± quantile · error`, or one end of it.
pub(crate) fn ends(
    centre: f64,
    error: f64,
    side: Side,
    level: f64,
    upper_quantile: impl Fn(f64) -> Result<f64, UndefinedReason>,
) -> Result<(f64, f64), UndefinedReason> {
    let reach = |tail: f64| Ok(upper_quantile(tail)? * error);
    Ok(match side {
        Side::TwoSided => {
            let half = reach(0.5 * (1.0 - level))?;
            (centre - half, centre + half)
        }
        Side::Greater => (centre - reach(1.0 - level)?, f64::INFINITY),
        Side::Less => (f64::NEG_INFINITY, centre + reach(1.0 - level)?),
    })
}
