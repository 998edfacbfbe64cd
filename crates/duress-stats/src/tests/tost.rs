//! Two one-sided tests: evidence that a difference is small.
//!
//! The null is that the mean difference lies at or outside `[low, high]`; p is the larger of the
//! two one-sided p-values, and equivalence at α is the same as the 1 − 2α interval lying inside.
//! Source: D. J. Schuirmann, J. Pharmacokinet. Biopharm. 15 (1987) 657.

use super::student::{Welch, p_of_t};
use crate::interval::around;
use crate::moments::{Moments, differences};
use crate::{Side, TestResult, UndefinedReason, check};

/// Whether the mean paired difference `x − y` lies between `low` and `high`; the interval is at `1
/// − 2·alpha`.
///
/// ```
/// use duress_stats::tests::tost_paired;
///
/// let x = [0.80, 0.82, 0.81, 0.79, 0.80];
/// let y = [0.80, 0.81, 0.82, 0.79, 0.81];
/// let test = tost_paired(&x, &y, -0.02, 0.02, 0.05).unwrap();
/// assert!(test.significant(0.05)); // equivalent within two points
/// ```
///
/// # Errors
/// As [`super::paired_t`]; `low` not below `high`; `alpha` outside (0, ½).
pub fn tost_paired(
    x: &[f64],
    y: &[f64],
    low: f64,
    high: f64,
    alpha: f64,
) -> Result<TestResult, UndefinedReason> {
    let moments = Moments::with_spread("pairs", "the differences", &differences(x, y)?, 2)?;
    let error = moments.sd() / libm::sqrt(moments.n);
    let parts = Welch {
        difference: moments.mean,
        error,
        df: moments.n - 1.0,
        n: x.len(),
    };
    both_sides("paired TOST", "one-sample t", &parts, low, high, alpha)
}

/// Whether the means of two independent samples differ by something between `low` and `high`.
///
/// # Errors
/// As [`super::welch_t`]; `low` not below `high`; `alpha` outside (0, ½).
pub fn tost_welch(
    x: &[f64],
    y: &[f64],
    low: f64,
    high: f64,
    alpha: f64,
) -> Result<TestResult, UndefinedReason> {
    both_sides(
        "Welch TOST",
        "Welch t",
        &Welch::from_samples(x, y)?,
        low,
        high,
        alpha,
    )
}

fn both_sides(
    name: &str,
    interval: &str,
    parts: &Welch,
    low: f64,
    high: f64,
    alpha: f64,
) -> Result<TestResult, UndefinedReason> {
    check::finite("the margins", &[low, high])?;
    check::open_unit("twice alpha", 2.0 * alpha)?;
    if low >= high {
        return Err(UndefinedReason::OutOfRange {
            what: "the lower margin",
            value: low,
            expected: "below the upper",
        });
    }
    let &Welch {
        difference,
        error,
        df,
        n,
    } = parts;
    let above = (difference - low) / error;
    let below = (difference - high) / error;
    let p_above = p_of_t(above, df, Side::Greater)?;
    let p_below = p_of_t(below, df, Side::Less)?;
    let (t, p, side) = if p_above > p_below {
        (above, p_above, Side::Greater)
    } else {
        (below, p_below, Side::Less)
    };
    Ok(TestResult {
        df: Some(df),
        estimate: Some(difference),
        interval: Some(around(
            difference,
            error,
            df,
            Side::TwoSided,
            1.0 - 2.0 * alpha,
            interval,
        )?),
        ..TestResult::without_extras(name, "t", t, p, side, n)
    })
}
