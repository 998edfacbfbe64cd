//! Wilcoxon's signed-rank test.
//!
//! Differences are ranked by size; W⁺ is the sum of the ranks of the positive ones. Under the null (differences
//! symmetric about 0) each rank is positive with probability ½, ties or not, so the exact distribution is counted from
//! the ranks as they are. Asymptotically `z = (W⁺ − μ)/σ` with `σ² = (Σ rank²)/4` over the ranks that carry a sign, which
//! is the usual tie-corrected variance. Sources: F. Wilcoxon, Biometrics 1 (1945) 80; J. W. Pratt, JASA 54 (1959) 655.

use super::counting::coin_sums;
use super::{p_of_hits, p_of_z, standardised};
use crate::effect::Effect;
use crate::moments::differences;
use crate::order::{MOST, key, sort_keys};
use crate::random::Stream;
use crate::{Route, Side, Test, Undefined, check, parallel};

const EXACT_BY_DEFAULT: usize = 50;
const EXACT_LIMIT: usize = 500;

/// What is done with differences that are exactly zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zeros {
    /// Left out before ranking.
    #[default]
    Wilcox,
    /// Ranked with the others, then left out.
    Pratt,
    /// Ranked with the others, half of their ranks given to each sign.
    Split,
}

impl Zeros {
    fn name(self) -> &'static str {
        match self {
            Self::Wilcox => "zeros left out",
            Self::Pratt => "zeros by Pratt",
            Self::Split => "zeros split",
        }
    }
}

/// Whether the paired differences `x − y` are centred at 0.
///
/// `Route::Auto` counts up to 50 differences that are not zero and is asymptotic beyond.
///
/// ```
/// use duress_stats::{Route, Side, Zeros, tests::wilcoxon};
///
/// let x = [1.1, 2.2, 0.3, 4.0, 5.5];
/// let test = wilcoxon(&x, &[0.0; 5], Side::TwoSided, Zeros::Wilcox, Route::Auto).unwrap();
/// assert_eq!(test.p, 0.0625); // the smallest p five pairs can give
/// assert_eq!(test.method, "Wilcoxon signed rank, exact");
/// ```
///
/// # Errors
/// Samples of different lengths, no difference that is not zero, or an exact route beyond 500.
pub fn wilcoxon(x: &[f64], y: &[f64], side: Side, zeros: Zeros, route: Route) -> Result<Test, Undefined> {
    let ranks = signed_ranks(&differences(x, y)?, zeros)?;
    let n = ranks.signed();
    let (how, p) = match route {
        Route::Auto if n <= EXACT_BY_DEFAULT => ("exact".to_owned(), ranks.exact(side)),
        Route::Exact => {
            check::at_most("the number of differences that are not zero", n, EXACT_LIMIT)?;
            ("exact".to_owned(), ranks.exact(side))
        }
        Route::Auto => ("asymptotic".to_owned(), ranks.asymptotic(false, side)?),
        Route::Asymptotic { continuity } => {
            let name = if continuity { "asymptotic, corrected" } else { "asymptotic" };
            (name.to_owned(), ranks.asymptotic(continuity, side)?)
        }
        Route::Permutation { resamples, seed } => {
            check::at_least("resamples", resamples, 1)?;
            (format!("{resamples} random patterns, seed {seed}"), ranks.drawn(resamples, seed, side))
        }
    };
    let zero_rule = if ranks.zeros > 0 { format!(", {}", zeros.name()) } else { String::new() };
    let method = format!("Wilcoxon signed rank, {how}{zero_rule}");
    Ok(Test { effect: Some(ranks.rank_biserial()), ..Test::bare(method, "W+", ranks.plus(), p, side, n) })
}

/// Doubled ranks of the differences that carry a sign, summed and by tie.
#[derive(Debug)]
pub(crate) struct SignedRanks {
    /// Doubled rank, members, positive members, of each group of equal sizes.
    groups: Vec<(u64, u32, u32)>,
    zeros: u64,
    /// Doubled rank sum that [`Zeros::Split`] gives to the positive side.
    split: f64,
}

pub(crate) fn signed_ranks(d: &[f64], zeros: Zeros) -> Result<SignedRanks, Undefined> {
    check::at_most("the number of differences", d.len(), MOST)?;
    // The size of a number needs 63 bits; its sign takes the lowest.
    let signed = |v: f64| (key(libm::fabs(v)) << 1) | u64::from(v > 0.0);
    let mut sizes: Vec<u64> = d.iter().filter(|v| **v != 0.0).map(|&v| signed(v)).collect();
    check::at_least("differences that are not zero", sizes.len(), 1)?;
    sort_keys(&mut sizes);
    let count = (d.len() - sizes.len()) as u64;
    let mut below = if zeros == Zeros::Wilcox { 0 } else { count };
    let mut groups = Vec::with_capacity(sizes.len());
    for tie in sizes.chunk_by(|a, b| a >> 1 == b >> 1) {
        let size = tie.len() as u64;
        let positive = tie.iter().map(|s| s & 1).sum::<u64>() as u32;
        groups.push((2 * below + size + 1, size as u32, positive));
        below += size;
    }
    let split = if zeros == Zeros::Split { 0.5 * (count * (count + 1)) as f64 } else { 0.0 };
    Ok(SignedRanks { groups, zeros: count, split })
}

impl SignedRanks {
    fn signed(&self) -> usize {
        self.groups.iter().map(|g| g.1 as usize).sum()
    }

    fn doubled_plus(&self) -> u64 {
        self.groups.iter().map(|&(rank, _, positive)| rank * u64::from(positive)).sum()
    }

    fn doubled_all(&self) -> u64 {
        self.groups.iter().map(|&(rank, size, _)| rank * u64::from(size)).sum()
    }

    fn plus(&self) -> f64 {
        0.5 * (self.doubled_plus() as f64 + self.split)
    }

    pub(crate) fn rank_biserial(&self) -> Effect {
        let (plus, all) = (self.doubled_plus() as f64, self.doubled_all() as f64);
        Effect { name: "rank_biserial_paired", value: (2.0 * plus - all) / all }
    }

    fn each_rank(&self) -> Vec<u64> {
        let repeat = |&(rank, size, _): &(u64, u32, u32)| std::iter::repeat_n(rank, size as usize);
        self.groups.iter().flat_map(repeat).collect()
    }

    fn exact(&self, side: Side) -> f64 {
        let ranks = self.each_rank();
        let whole = ranks.iter().all(|r| r % 2 == 0);
        // Without ties every doubled rank is even, and half the grid would stay empty.
        let unit = if whole { 2 } else { 1 };
        let parts: Vec<u64> = ranks.iter().map(|r| r / unit).collect();
        coin_sums(&parts).p((self.doubled_plus() / unit) as i64, side)
    }

    fn asymptotic(&self, continuity: bool, side: Side) -> Result<f64, Undefined> {
        let squares: f64 = self.groups.iter().map(|&(r, size, _)| (r * r) as f64 * f64::from(size)).sum();
        let variance = squares / 16.0;
        let distance = 0.5 * (self.doubled_plus() as f64 - 0.5 * self.doubled_all() as f64);
        Ok(p_of_z(standardised(distance, variance, 0.5, continuity, side)?, side))
    }

    fn drawn(&self, resamples: usize, seed: u64, side: Side) -> f64 {
        let (ranks, observed) = (self.each_rank(), self.doubled_plus());
        let sums = parallel::map(
            resamples,
            0,
            || (),
            |(), b| {
                let mut stream = Stream::new(seed, b as u64);
                ranks.chunks(64).map(|chunk| picked(chunk, stream.word())).sum::<u64>()
            },
        );
        let lower = sums.iter().filter(|s| **s <= observed).count();
        let upper = sums.iter().filter(|s| **s >= observed).count();
        p_of_hits(lower, upper, resamples, side)
    }
}

fn picked(chunk: &[u64], word: u64) -> u64 {
    chunk.iter().enumerate().map(|(i, rank)| rank * (word >> i & 1)).sum()
}
