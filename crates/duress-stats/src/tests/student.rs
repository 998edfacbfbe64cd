//! Student's t tests: one sample, paired, and Welch's for unequal variances.
//!
//! Paired: `t = d̄ √n / s_d` with n−1 degrees of freedom, for independent, nearly normal
//! differences. Welch: `t = (x̄−ȳ)/√(s²/n + s'²/m)` with Satterthwaite's degrees of freedom, for
//! independent, nearly normal samples. Sources: Student, Biometrika 6 (1908) 1; B. L. Welch,
//! Biometrika 34 (1947) 28.

use crate::dist::StudentT;
use crate::effect::{Effect, d_pooled};
use crate::interval::{around, mean_interval};
use crate::moments::{Moments, differences};
use crate::{Side, TestResult, UndefinedReason, check};

/// The p-value of a t on a side.
pub(super) fn p_of_t(t: f64, df: f64, side: Side) -> Result<f64, UndefinedReason> {
    let law = StudentT::new(df)?;
    Ok(match side {
        Side::TwoSided => law.two_sided(t),
        Side::Greater => law.sf(t),
        Side::Less => law.cdf(t),
    })
}

/// Whether the mean of `values` differs from `null`.
///
/// # Errors
/// Fewer than two values, no spread, or `level` outside (0, 1).
pub fn one_sample_t(
    values: &[f64],
    null: f64,
    side: Side,
    level: f64,
) -> Result<TestResult, UndefinedReason> {
    check::open_unit("level", level)?;
    let moments = Moments::with_spread("values", "the values", values, 2)?;
    t_of_mean("one-sample t", moments, null, side, level)
}

/// Whether the mean of the paired differences `x − y` differs from 0.
///
/// ```
/// use duress_stats::{Side, tests::paired_t};
///
/// let test = paired_t(&[2.0, 4.0, 6.0], &[1.0, 1.0, 1.0], Side::TwoSided, 0.95).unwrap();
/// assert!((test.statistic - 2.598_076_211_353_316).abs() < 1e-14);
/// assert_eq!(test.df, Some(2.0));
/// ```
///
/// # Errors
/// Samples of different lengths, fewer than two pairs, differences without spread, or `level`
/// outside (0, 1).
pub fn paired_t(
    x: &[f64],
    y: &[f64],
    side: Side,
    level: f64,
) -> Result<TestResult, UndefinedReason> {
    check::open_unit("level", level)?;
    let moments = Moments::with_spread("pairs", "the differences", &differences(x, y)?, 2)?;
    t_of_mean("paired t", moments, 0.0, side, level)
}

fn t_of_mean(
    name: &str,
    moments: Moments,
    null: f64,
    side: Side,
    level: f64,
) -> Result<TestResult, UndefinedReason> {
    let distance = moments.mean - null;
    let df = moments.n - 1.0;
    let d_z = distance / moments.sd();
    let t = distance / (moments.sd() / libm::sqrt(moments.n));
    Ok(TestResult {
        df: Some(df),
        estimate: Some(moments.mean),
        interval: Some(mean_interval(moments, side, level)?),
        effect: Some(Effect {
            name: "d_z",
            value: d_z,
        }),
        ..TestResult::without_extras(name, "t", t, p_of_t(t, df, side)?, side, moments.n as usize)
    })
}

/// The parts of Welch's test that its equivalence form shares.
pub(super) struct Welch {
    pub(super) difference: f64,
    pub(super) error: f64,
    pub(super) df: f64,
    pub(super) n: usize,
}

impl Welch {
    pub(super) fn from_samples(x: &[f64], y: &[f64]) -> Result<Self, UndefinedReason> {
        let a = Moments::from_values("values in the first sample", x, 2)?;
        let b = Moments::from_values("values in the second sample", y, 2)?;
        if a.constant() && b.constant() {
            return Err(UndefinedReason::NoSpread {
                what: "the values within each sample",
            });
        }
        let error = libm::hypot(a.error(), b.error());
        let part = |of: Moments| {
            let share = of.error() / error;
            share * share * (share * share) / (of.n - 1.0)
        };
        let difference = a.minus(b);
        check::finite("the difference of the means", &[difference, error])?;
        Ok(Self {
            difference,
            error,
            df: 1.0 / (part(a) + part(b)),
            n: x.len() + y.len(),
        })
    }
}

/// Whether the means of two independent samples differ.
///
/// ```
/// use duress_stats::{Side, tests::welch_t};
///
/// let test = welch_t(&[1.0, 2.0, 3.0], &[2.0, 4.0, 9.0], Side::Less, 0.95).unwrap();
/// assert!(test.p > 0.1 && test.df.unwrap() < 3.0);
/// ```
///
/// # Errors
/// Fewer than two values in a sample, no spread in either, or `level` outside (0, 1).
pub fn welch_t(
    x: &[f64],
    y: &[f64],
    side: Side,
    level: f64,
) -> Result<TestResult, UndefinedReason> {
    check::open_unit("level", level)?;
    let Welch {
        difference,
        error,
        df,
        n,
    } = Welch::from_samples(x, y)?;
    let t = difference / error;
    Ok(TestResult {
        df: Some(df),
        estimate: Some(difference),
        interval: Some(around(difference, error, df, side, level, "Welch t")?),
        effect: Some(d_pooled(x, y)?),
        ..TestResult::without_extras("Welch t", "t", t, p_of_t(t, df, side)?, side, n)
    })
}
