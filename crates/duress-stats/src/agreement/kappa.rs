//! Cohen's κ, plain and weighted, and Gwet's AC1.

use super::PairCounts;
use crate::{UndefinedReason, check};

/// How much a disagreement counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KappaWeights {
    /// All alike.
    Plain,
    /// By how many categories lie between.
    Linear,
    /// By the square of that.
    Quadratic,
}

/// Cohen's κ: `1 − Σ w·observed / Σ w·expected`, with the margins of both raters.
///
/// ```
/// use duress_stats::agreement::{KappaWeights, PairCounts, cohen_kappa};
/// let counts = PairCounts::of_counts(2, &[20, 5, 10, 15]).unwrap();
/// assert!((cohen_kappa(&counts, KappaWeights::Plain).unwrap() - 0.4).abs() < 1e-12);
/// ```
///
/// # Errors
/// No pair, or both raters always said one and the same.
///
/// J. Cohen, Educational and Psychological Measurement 20 (1960) 37; Psychological Bulletin 70
/// (1968) 213.
pub fn cohen_kappa(counts: &PairCounts, weights: KappaWeights) -> Result<f64, UndefinedReason> {
    let n = counts.total() as f64;
    check::at_least("pairs", counts.total() as usize, 1)?;
    let (one, other) = counts.margins();
    let mut observed = 0.0;
    let mut expected = 0.0;
    for (i, row) in one.iter().enumerate() {
        for (j, column) in other.iter().enumerate() {
            let apart = i.abs_diff(j) as f64;
            let weight = match weights {
                KappaWeights::Plain => f64::from(u8::from(i != j)),
                KappaWeights::Linear => apart,
                KappaWeights::Quadratic => apart * apart,
            };
            observed += weight * counts.at(i, j) as f64;
            expected += weight * *row as f64 * *column as f64 / n;
        }
    }
    match expected > 0.0 {
        true => Ok(1.0 - observed / expected),
        false => Err(UndefinedReason::NoSpread {
            what: "the ratings of both raters",
        }),
    }
}

/// Gwet's AC1: agreement beyond chance, where chance is `Σ π(1 − π) / (k − 1)` with π the mean
/// share of a category over both raters.
///
/// ```
/// use duress_stats::agreement::{PairCounts, gwet_ac1};
/// let counts = PairCounts::of_counts(2, &[118, 5, 2, 0]).unwrap();
/// assert!((gwet_ac1(&counts).unwrap() - 0.940_776).abs() < 1e-5);
/// ```
///
/// # Errors
/// No pair, or a single category.
///
/// K. L. Gwet, British Journal of Mathematical and Statistical Psychology 61 (2008) 29.
pub fn gwet_ac1(counts: &PairCounts) -> Result<f64, UndefinedReason> {
    let k = counts.categories();
    let n = counts.total() as f64;
    check::at_least("categories", k, 2)?;
    let observed = counts.observed_agreement()?;
    let (one, other) = counts.margins();
    let share = |(a, b): (&u64, &u64)| (a + b) as f64 / (2.0 * n);
    let shares = one.iter().zip(&other).map(share);
    let chance = shares.map(|share| share * (1.0 - share)).sum::<f64>() / (k - 1) as f64;
    Ok((observed - chance) / (1.0 - chance))
}
