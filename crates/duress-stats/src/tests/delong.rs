//! DeLong's test for one AUROC and for two AUROCs on the same items.
//!
//! An AUROC is a mean over positives (and over negatives) of *placements*: the share of rivals an
//! item beats. Its variance is `var(V₁₀)/m + var(V₀₁)/n` over m positives and n negatives; for two
//! classifiers the covariances of their placements make the test paired. Placements come from
//! midranks in O(n log n). Sources: E. R. DeLong et al., Biometrics 44 (1988) 837; X. Sun and W.
//! Xu, IEEE Signal Process. Lett. 21 (2014) 1389.

use super::p_of_z;
use crate::dist::Normal;
use crate::order::{MOST, sorted, tied_runs};
use crate::parallel::run_both;
use crate::{Interval, Side, TestResult, UndefinedReason, check, interval};

/// Whether the AUROC differs from `null` (½: no discrimination). The interval is Wald's, cut to [0,
/// 1].
///
/// ```
/// use duress_stats::{Side, tests::delong};
///
/// let scores = [0.1, 0.4, 0.35, 0.8, 0.7, 0.2];
/// let positives = [false, false, true, true, true, false];
/// let test = delong(&scores, &positives, 0.5, Side::Greater, 0.95).unwrap();
/// assert!((test.estimate.unwrap() - 8.0 / 9.0).abs() < 1e-15);
/// ```
///
/// # Errors
/// Different lengths, fewer than two items of a class, a score that is not finite, placements
/// without spread (a perfect or useless classifier), or `level` outside (0, 1).
pub fn delong(
    scores: &[f64],
    positives: &[bool],
    null: f64,
    side: Side,
    level: f64,
) -> Result<TestResult, UndefinedReason> {
    check::closed_unit("the null", null)?;
    let (auroc, error) = delong_error(scores, None, positives)?;
    let mut test = wald_test("DeLong", auroc - null, error, side, level, positives.len())?;
    let shift = |end: f64| (end + null).clamp(0.0, 1.0);
    test.interval = test.interval.map(|i| Interval {
        low: shift(i.low),
        high: shift(i.high),
        ..i
    });
    test.estimate = Some(auroc);
    Ok(test)
}

/// Whether the AUROCs of two classifiers on the same items differ.
///
/// ```
/// use duress_stats::{Side, tests::delong_paired};
///
/// let positives = [false, false, true, true, true, false];
/// let ours = [0.1, 0.4, 0.35, 0.8, 0.7, 0.2];
/// let theirs = [0.3, 0.4, 0.35, 0.6, 0.2, 0.5];
/// let test = delong_paired(&ours, &theirs, &positives, Side::TwoSided, 0.95).unwrap();
/// assert!(test.estimate.unwrap() > 0.0);
/// ```
///
/// # Errors
/// As [`delong`]; also two classifiers that rank the items alike.
pub fn delong_paired(
    first: &[f64],
    second: &[f64],
    positives: &[bool],
    side: Side,
    level: f64,
) -> Result<TestResult, UndefinedReason> {
    let (difference, error) = delong_error(first, Some(second), positives)?;
    wald_test(
        "paired DeLong",
        difference,
        error,
        side,
        level,
        positives.len(),
    )
}

/// An AUROC, or the difference of two on the same items, with DeLong's standard error.
///
/// ```
/// use duress_stats::tests::delong_error;
///
/// let positives = [false, false, true, true, true, false];
/// let ours = [0.1, 0.4, 0.35, 0.8, 0.7, 0.2];
/// let (auroc, error) = delong_error(&ours, None, &positives).unwrap();
/// assert!((auroc - 8.0 / 9.0).abs() < 1e-15 && error > 0.0);
/// ```
///
/// # Errors
/// As [`delong`] and [`delong_paired`].
pub fn delong_error(
    first: &[f64],
    second: Option<&[f64]>,
    positives: &[bool],
) -> Result<(f64, f64), UndefinedReason> {
    let classes = ClassSizes::count(positives)?;
    let (placed, other) = run_both(
        positives.len(),
        || Placements::from_scores(first, positives, &classes),
        || second.map(|second| Placements::from_scores(second, positives, &classes)),
    );
    let mut placed = placed?;
    if let Some(other) = other.transpose()? {
        placed.auroc -= other.auroc;
        let both = placed.of_item.iter_mut().zip(&other.of_item);
        both.for_each(|(own, other)| *own -= other);
    }
    let variance = classes.covariance(&placed, &placed, positives);
    match variance > 1e-30 {
        true => Ok((placed.auroc, libm::sqrt(variance))),
        false => Err(UndefinedReason::NoSpread {
            what: "the placements",
        }),
    }
}

struct ClassSizes {
    positives: f64,
    negatives: f64,
}

impl ClassSizes {
    fn count(positives: &[bool]) -> Result<Self, UndefinedReason> {
        let m = positives.iter().filter(|p| **p).count();
        check::at_least("positives", m, 2)?;
        check::at_least("negatives", positives.len() - m, 2)?;
        Ok(Self {
            positives: m as f64,
            negatives: (positives.len() - m) as f64,
        })
    }

    /// `cov(V₁₀)/m + cov(V₀₁)/n`; within a class the mean placement is the AUROC.
    fn covariance(&self, a: &Placements, b: &Placements, positives: &[bool]) -> f64 {
        let mut above = 0.0;
        let mut below = 0.0;
        for ((x, y), &positive) in a.of_item.iter().zip(&b.of_item).zip(positives) {
            let product = (x - a.auroc) * (y - b.auroc);
            *(if positive { &mut above } else { &mut below }) += product;
        }
        let m = self.positives;
        let n = self.negatives;
        above / (m - 1.0) / m + below / (n - 1.0) / n
    }
}

/// Per item, the share of the other class it is on the right side of, ties half.
struct Placements {
    auroc: f64,
    of_item: Vec<f64>,
}

impl Placements {
    fn from_scores(
        scores: &[f64],
        positives: &[bool],
        classes: &ClassSizes,
    ) -> Result<Self, UndefinedReason> {
        check::paired(scores, positives)?;
        check::at_most("the number of items", scores.len(), MOST)?;
        check::finite("the scores", scores)?;
        let mut of_item = vec![0.0; scores.len()];
        let all_positive = classes.positives as u64;
        let all_negative = classes.negatives as u64;
        let mut positive_below = 0_u64;
        let mut negative_below = 0_u64;
        let mut doubled = 0_u64;
        for tie in tied_runs(&sorted(scores)) {
            let here = tie.iter().filter(|e| positives[e.index()]).count() as u64;
            let rest = tie.len() as u64 - here;
            let won = 2 * negative_below + rest;
            let lost = 2 * (all_positive - positive_below - here) + here;
            let above = won as f64 / (2 * all_negative) as f64;
            let below = lost as f64 / (2 * all_positive) as f64;
            for entry in tie {
                let index = entry.index();
                of_item[index] = if positives[index] { above } else { below };
            }
            doubled += here * won;
            positive_below += here;
            negative_below += rest;
        }
        let auroc = doubled as f64 / (2.0 * classes.positives * classes.negatives);
        Ok(Self { auroc, of_item })
    }
}

fn wald_test(
    name: &str,
    distance: f64,
    error: f64,
    side: Side,
    level: f64,
    n: usize,
) -> Result<TestResult, UndefinedReason> {
    check::open_unit("level", level)?;
    let z = distance / error;
    let (low, high) = interval::ends(distance, error, side, level, |tail| {
        Normal.upper_quantile(tail)
    })?;
    Ok(TestResult {
        estimate: Some(distance),
        interval: Some(Interval::new(low, high, level, "Wald by DeLong")?),
        ..TestResult::without_extras(name, "z", z, p_of_z(z, side), side, n)
    })
}
