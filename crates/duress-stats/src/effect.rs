//! Effect sizes. The denominator is in the name, because "Cohen's d" is four different numbers.
//!
//! | name | formula | for |
//! |---|---|---|
//! | `d_pooled` | `(x̄−ȳ) / √(((n−1)s² + (m−1)s'²)/(n+m−2))` | two independent samples |
//! | `d_av` | `(x̄−ȳ) / √((s²+s'²)/2)` | paired data, comparable with unpaired studies |
//! | `d_z` | `mean(x−y) / sd(x−y)` | paired data; what the paired t test sees |
//! | `hedges_g` | `d_pooled · J(n+m−2)`, `J(ν) = Γ(ν/2) / (√(ν/2) Γ((ν−1)/2))` | `d_pooled` without its small-sample bias |
//! | `rank_biserial_paired` | `(W⁺ − W⁻)/(W⁺ + W⁻)` | Wilcoxon's signed ranks |
//! | `rank_biserial` | `2·CL − 1` | two independent samples, ordinal |
//! | `common_language` | `P(X > Y) + ½ P(X = Y)` | two independent samples, ordinal |
//!
//! Sources: J. Cohen, *Statistical Power Analysis* (1988); L. V. Hedges, J. Educ. Stat. 6 (1981)
//! 107 (the exact J, not the approximation `1 − 3/(4ν−1)`); D. Lakens, Front. Psychol. 4 (2013)
//! 863; D. S. Kerby, Compr. Psychol. 3 (2014) 1.

use std::fmt;

use crate::moments::{Moments, differences};
use crate::order::{sort_key, sort_keys};
use crate::parallel::run_both;
use crate::test::Short;
use crate::tests::signed_ranks;
use crate::{UndefinedReason, Zeros, check};

/// An effect size with its name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// Which effect size, denominator included.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.name, Short(self.value))
    }
}

/// Difference of means over the pooled standard deviation.
///
/// # Errors
/// Fewer than two values in a sample, or no spread.
pub fn d_pooled(x: &[f64], y: &[f64]) -> Result<Effect, UndefinedReason> {
    let (value, _) = pooled(x, y)?;
    Ok(Effect {
        name: "d_pooled",
        value,
    })
}

/// Hedges' g: `d_pooled` times the exact small-sample factor.
///
/// ```
/// use duress_stats::effect::hedges_g;
///
/// let g = hedges_g(&[3.0, 4.0, 5.0], &[1.0, 2.0, 3.0]).unwrap();
/// assert!((g.value - 1.595_769_121_605_731).abs() < 1e-12);
/// ```
///
/// # Errors
/// As [`d_pooled`].
pub fn hedges_g(x: &[f64], y: &[f64]) -> Result<Effect, UndefinedReason> {
    let (value, df) = pooled(x, y)?;
    Ok(Effect {
        name: "hedges_g",
        value: value * small_sample_factor(df),
    })
}

fn pooled(x: &[f64], y: &[f64]) -> Result<(f64, f64), UndefinedReason> {
    let (a, b) = both_samples(x, y)?;
    let df = a.n + b.n - 2.0;
    let part = |of: Moments| of.sd() * libm::sqrt((of.n - 1.0) / df);
    Ok((over_spread(a, b, libm::hypot(part(a), part(b)))?, df))
}

/// `Γ(ν/2) / (√(ν/2) Γ((ν−1)/2))`.
fn small_sample_factor(df: f64) -> f64 {
    let half = 0.5 * df;
    libm::exp(libm::lgamma(half) - libm::lgamma(half - 0.5)) / libm::sqrt(half)
}

/// Difference of means over the root mean variance of the two samples.
///
/// # Errors
/// As [`d_pooled`].
pub fn d_av(x: &[f64], y: &[f64]) -> Result<Effect, UndefinedReason> {
    let (a, b) = both_samples(x, y)?;
    let spread = libm::sqrt(0.5) * libm::hypot(a.sd(), b.sd());
    Ok(Effect {
        name: "d_av",
        value: over_spread(a, b, spread)?,
    })
}

fn both_samples(x: &[f64], y: &[f64]) -> Result<(Moments, Moments), UndefinedReason> {
    Ok((
        Moments::from_values("values in the first sample", x, 2)?,
        Moments::from_values("values in the second sample", y, 2)?,
    ))
}

fn over_spread(a: Moments, b: Moments, spread: f64) -> Result<f64, UndefinedReason> {
    if a.constant() && b.constant() {
        return Err(UndefinedReason::NoSpread {
            what: "the values within each sample",
        });
    }
    let value = a.minus(b) / spread;
    check::finite("the effect", &[value])?;
    Ok(value)
}

/// Mean of the paired differences over their standard deviation.
///
/// # Errors
/// Samples of different lengths, fewer than two pairs, or differences without spread.
pub fn d_z(x: &[f64], y: &[f64]) -> Result<Effect, UndefinedReason> {
    let moments = Moments::with_spread("pairs", "the differences", &differences(x, y)?, 2)?;
    Ok(Effect {
        name: "d_z",
        value: moments.mean / moments.sd(),
    })
}

/// Matched-pairs rank-biserial correlation, zeros left out as Wilcoxon does.
///
/// # Errors
/// Samples of different lengths, or no difference that is not zero.
pub fn rank_biserial_paired(x: &[f64], y: &[f64]) -> Result<Effect, UndefinedReason> {
    let ranks = signed_ranks(&differences(x, y)?, Zeros::Wilcox)?;
    Ok(ranks.rank_biserial())
}

/// Rank-biserial correlation of two independent samples: `2 · common_language − 1`.
///
/// # Errors
/// An empty sample.
pub fn rank_biserial(x: &[f64], y: &[f64]) -> Result<Effect, UndefinedReason> {
    let value = 2.0 * common_language(x, y)?.value - 1.0;
    Ok(Effect {
        name: "rank_biserial",
        value,
    })
}

/// Probability that a value of the first sample exceeds one of the second, ties counted half.
///
/// ```
/// use duress_stats::effect::common_language;
///
/// assert_eq!(common_language(&[2.0, 3.0], &[1.0, 3.0]).unwrap().value, 0.625);
/// ```
///
/// # Errors
/// An empty sample.
pub fn common_language(x: &[f64], y: &[f64]) -> Result<Effect, UndefinedReason> {
    check::at_least("values in the first sample", x.len(), 1)?;
    check::at_least("values in the second sample", y.len(), 1)?;
    check::finite("the first sample", x)?;
    check::finite("the second sample", y)?;
    let sorted = |values: &[f64]| {
        let mut keys: Vec<u64> = values.iter().map(|&v| sort_key(v)).collect();
        sort_keys(&mut keys);
        keys
    };
    let doubled = doubled_wins(&sorted(x), &sorted(y)) as f64;
    let value = doubled / (2.0 * x.len() as f64 * y.len() as f64);
    Ok(Effect {
        name: "common_language",
        value,
    })
}

/// Twice the number of pairs the first wins, ties counted once, from two sorted runs.
pub(crate) fn doubled_wins(first: &[u64], second: &[u64]) -> u64 {
    let (strict, with_ties) = run_both(
        first.len() + second.len(),
        || wins(first, second, |rival, own| rival < own),
        || wins(first, second, |rival, own| rival <= own),
    );
    strict + with_ties
}

/// Over all of `first`, how many of `second` are beaten; one step of a merge at a time, without
/// branches on the data.
fn wins(first: &[u64], second: &[u64], beaten: impl Fn(u64, u64) -> bool) -> u64 {
    let mut i = 0;
    let mut j = 0;
    let mut total = 0_u64;
    while i < first.len() && j < second.len() {
        let pass = usize::from(beaten(second[j], first[i]));
        total += j as u64 * (1 - pass as u64);
        j += pass;
        i += 1 - pass;
    }
    total + ((first.len() - i) * j) as u64
}
