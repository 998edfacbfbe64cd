//! The sign-flip permutation test on the mean of paired differences.
//!
//! If the differences are symmetric about 0, every pattern of signs is equally likely; p is the
//! share of patterns whose sum is at least as extreme. Exact by enumeration up to 30 pairs: the
//! sums of two halves are listed and sorted, and pairs of them are counted, so 2³⁰ patterns cost
//! 2¹⁵ steps. Sums within 1e-12 of the observed one count as equal to it, so that rounding decides
//! nothing. Source: R. A. Fisher, *The Design of Experiments* (1935), §21.

use super::p_of_hits;
use crate::effect::Effect;
use crate::moments::{Moments, differences};
use crate::random::RandomStream;
use crate::{Route, RouteTaken, Side, TestResult, UndefinedReason, check, parallel};

pub(crate) const EXACT_LIMIT: usize = 30;

/// How many patterns are drawn beyond it.
pub(crate) const DRAWN: usize = 100_000;

/// Whether the mean of the paired differences differs from 0.
///
/// `Route::Auto` is exact up to 30 pairs and draws 100,000 patterns from seed 0 beyond; there is no
/// asymptotic route (that is [`super::paired_t`]).
///
/// ```
/// use duress_stats::{Route, Side, tests::sign_flip};
///
/// let test = sign_flip(&[0.7, 0.8, 0.9], &[0.5, 0.5, 0.5], Side::Greater, Route::Auto).unwrap();
/// assert_eq!(test.p, 0.125); // one of eight patterns
/// ```
///
/// # Errors
/// Samples of different lengths, no pairs, only zero differences, or an exact route beyond 30
/// pairs.
pub fn sign_flip(
    x: &[f64],
    y: &[f64],
    side: Side,
    route: Route,
) -> Result<TestResult, UndefinedReason> {
    let d = differences(x, y)?;
    let moments = Moments::from_values("pairs", &d, 1)?;
    if d.iter().all(|v| *v == 0.0) {
        return Err(UndefinedReason::NoSpread {
            what: "the differences (zero)",
        });
    }
    let (taken, p) = match route {
        Route::Auto | Route::Exact if d.len() <= EXACT_LIMIT => {
            (RouteTaken::Exact, exact(&d, side))
        }
        Route::Exact => return Err(too_many(d.len())),
        Route::Asymptotic { .. } => return Err(no_limit()),
        Route::Auto => drawn(&d, side, DRAWN, 0)?,
        Route::Permutation { resamples, seed } => drawn(&d, side, resamples, seed)?,
    };
    let effect = (d.len() > 1 && !moments.constant()).then(|| Effect {
        name: "d_z",
        value: moments.mean / moments.sd(),
    });
    let method = format!("sign-flip test, {taken}");
    let mut test =
        TestResult::without_extras(method, "mean difference", moments.mean, p, side, d.len());
    test.route = Some(taken);
    test.estimate = Some(moments.mean);
    test.effect = effect;
    Ok(test)
}

fn too_many(got: usize) -> UndefinedReason {
    UndefinedReason::TooLarge {
        what: "the number of pairs",
        limit: EXACT_LIMIT,
        got,
    }
}

fn no_limit() -> UndefinedReason {
    UndefinedReason::Because(
        "the sign-flip test has no asymptotic route; use the paired t test".to_owned(),
    )
}

/// Rounding of a sum of these differences, generously.
fn tolerance(d: &[f64]) -> f64 {
    1e-12 * d.iter().map(|v| libm::fabs(*v)).sum::<f64>()
}

fn exact(d: &[f64], side: Side) -> f64 {
    let (left, right) = d.split_at(d.len() / 2);
    let left = signed_sums(left);
    let right = signed_sums(right);
    let observed: f64 = d.iter().sum();
    let slack = tolerance(d);
    let below = |limit: f64| pairs_below(&left, &right, limit) as f64;
    let all = left.len() as f64 * right.len() as f64;
    let lower = below(observed + slack) / all;
    let upper = (all - below(observed - slack)) / all;
    side.of_tails(lower, upper)
}

/// All signed sums, sorted.
fn signed_sums(d: &[f64]) -> Vec<f64> {
    let mut all = vec![0.0];
    for v in d {
        all = all.iter().flat_map(|s| [s - v, s + v]).collect();
    }
    all.sort_unstable_by(f64::total_cmp);
    all
}

/// Pairs whose sum is below `limit`, from two sorted lists.
fn pairs_below(left: &[f64], right: &[f64], limit: f64) -> u64 {
    let mut from = right.len();
    let mut count = 0;
    for l in left {
        while from > 0 && l + right[from - 1] >= limit {
            from -= 1;
        }
        count += from as u64;
    }
    count
}

fn drawn(
    d: &[f64],
    side: Side,
    resamples: usize,
    seed: u64,
) -> Result<(RouteTaken, f64), UndefinedReason> {
    check::at_least("resamples", resamples, 1)?;
    let observed: f64 = d.iter().sum();
    let slack = tolerance(d);
    let hits = parallel::map_with_state(
        resamples,
        0,
        || (),
        |(), b| {
            let mut stream = RandomStream::new(seed, b as u64);
            let sum: f64 = d
                .chunks(64)
                .map(|chunk| flipped(chunk, stream.next_word()))
                .sum();
            (sum <= observed + slack, sum >= observed - slack)
        },
    );
    let lower = hits.iter().filter(|(low, _)| *low).count();
    let upper = hits.iter().filter(|(_, high)| *high).count();
    Ok((
        RouteTaken::Drawn { resamples, seed },
        p_of_hits(lower, upper, resamples, side),
    ))
}

fn flipped(chunk: &[f64], word: u64) -> f64 {
    chunk
        .iter()
        .enumerate()
        .map(|(i, v)| if word >> i & 1 == 0 { *v } else { -v })
        .sum()
}
