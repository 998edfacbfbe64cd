//! Wilcoxon's signed-rank test.
//!
//! Differences are ranked by size; W⁺ is the sum of the ranks of the positive ones. Under the null
//! (differences symmetric about 0) each rank is positive with probability ½, ties or not, so the
//! exact distribution is counted from the ranks as they are. Asymptotically `z = (W⁺ − μ)/σ` with
//! `σ² = (Σ rank²)/4` over the ranks that carry a sign, which is the usual tie-corrected variance.
//! Sources: F. Wilcoxon, Biometrics 1 (1945) 80; J. W. Pratt, JASA 54 (1959) 655.

use super::counting::coin_sums;
use super::{p_of_hits, p_of_z, standardised};
use crate::effect::Effect;
use crate::moments::differences;
use crate::order::{MOST, sort_key, sort_keys};
use crate::random::RandomStream;
use crate::{Route, RouteTaken, Side, TestResult, UndefinedReason, check, parallel};

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
pub fn wilcoxon(
    x: &[f64],
    y: &[f64],
    side: Side,
    zeros: Zeros,
    route: Route,
) -> Result<TestResult, UndefinedReason> {
    let ranks = signed_ranks(&differences(x, y)?, zeros)?;
    let n = ranks.signed();
    let (taken, p) = match route {
        Route::Auto if n <= EXACT_BY_DEFAULT => (RouteTaken::Exact, ranks.exact(side)),
        Route::Exact => {
            check::at_most(
                "the number of differences that are not zero",
                n,
                EXACT_LIMIT,
            )?;
            (RouteTaken::Exact, ranks.exact(side))
        }
        Route::Auto => {
            let taken = RouteTaken::Asymptotic { continuity: false };
            (taken, ranks.asymptotic(false, side)?)
        }
        Route::Asymptotic { continuity } => {
            let taken = RouteTaken::Asymptotic { continuity };
            (taken, ranks.asymptotic(continuity, side)?)
        }
        Route::Permutation { resamples, seed } => {
            check::at_least("resamples", resamples, 1)?;
            let taken = RouteTaken::Drawn { resamples, seed };
            (taken, ranks.drawn(resamples, seed, side))
        }
    };
    let zero_rule = if ranks.zeros > 0 {
        format!(", {}", zeros.name())
    } else {
        String::new()
    };
    let method = format!("Wilcoxon signed rank, {taken}{zero_rule}");
    Ok(TestResult {
        route: Some(taken),
        effect: Some(ranks.rank_biserial()),
        ..TestResult::without_extras(method, "W+", ranks.plus(), p, side, n)
    })
}

/// The differences that carry a sign, ordered by size.
#[derive(Debug)]
pub(crate) struct SignedRanks {
    /// Bits of the size, with the sign in the lowest.
    sizes: Vec<u64>,
    zeros: u64,
    rule: Zeros,
    sums: RankSums,
}

/// Sums over doubled ranks.
#[derive(Debug, Default)]
struct RankSums {
    plus: u64,
    all: u64,
    squares: f64,
}

/// Members with the same size.
struct RankTie {
    doubled_rank: u64,
    size: u64,
    positive: u64,
}

pub(crate) fn signed_ranks(d: &[f64], rule: Zeros) -> Result<SignedRanks, UndefinedReason> {
    check::at_most("the number of differences", d.len(), MOST)?;
    // The size of a number needs 63 bits; its sign takes the lowest.
    let signed = |v: f64| (sort_key(libm::fabs(v)) << 1) | u64::from(v > 0.0);
    let mut sizes: Vec<u64> = Vec::with_capacity(d.len());
    sizes.extend(d.iter().filter(|v| **v != 0.0).map(|&v| signed(v)));
    check::at_least("differences that are not zero", sizes.len(), 1)?;
    sort_keys(&mut sizes);
    let zeros = (d.len() - sizes.len()) as u64;
    let mut ranks = SignedRanks {
        sizes,
        zeros,
        rule,
        sums: RankSums::default(),
    };
    let mut sums = RankSums::default();
    for RankTie {
        doubled_rank,
        size,
        positive,
    } in ranks.ties()
    {
        sums.plus += doubled_rank * positive;
        sums.all += doubled_rank * size;
        sums.squares += doubled_rank as f64 * doubled_rank as f64 * size as f64;
    }
    ranks.sums = sums;
    Ok(ranks)
}

impl SignedRanks {
    fn ties(&self) -> impl Iterator<Item = RankTie> {
        let mut below = if self.rule == Zeros::Wilcox {
            0
        } else {
            self.zeros
        };
        self.sizes
            .chunk_by(|a, b| a >> 1 == b >> 1)
            .map(move |tie| {
                let size = tie.len() as u64;
                let doubled_rank = 2 * below + size + 1;
                below += size;
                RankTie {
                    doubled_rank,
                    size,
                    positive: tie.iter().map(|s| s & 1).sum(),
                }
            })
    }

    fn signed(&self) -> usize {
        self.sizes.len()
    }

    /// W⁺; a split gives it half of the ranks of the zeros.
    fn plus(&self) -> f64 {
        let split = if self.rule == Zeros::Split {
            0.5 * (self.zeros * (self.zeros + 1)) as f64
        } else {
            0.0
        };
        0.5 * (self.sums.plus as f64 + split)
    }

    pub(crate) fn rank_biserial(&self) -> Effect {
        let plus = self.sums.plus as f64;
        let all = self.sums.all as f64;
        Effect {
            name: "rank_biserial_paired",
            value: (2.0 * plus - all) / all,
        }
    }

    fn each_rank(&self) -> Vec<u64> {
        self.ties()
            .flat_map(|tie| std::iter::repeat_n(tie.doubled_rank, tie.size as usize))
            .collect()
    }

    fn exact(&self, side: Side) -> f64 {
        let ranks = self.each_rank();
        let whole = ranks.iter().all(|r| r % 2 == 0);
        // Without ties every doubled rank is even, and half the grid would stay empty.
        let unit = if whole { 2 } else { 1 };
        let parts: Vec<u64> = ranks.iter().map(|r| r / unit).collect();
        coin_sums(&parts).p_value((self.sums.plus / unit) as i64, side)
    }

    fn asymptotic(&self, continuity: bool, side: Side) -> Result<f64, UndefinedReason> {
        let variance = self.sums.squares / 16.0;
        let distance = 0.5 * (self.sums.plus as f64 - 0.5 * self.sums.all as f64);
        Ok(p_of_z(
            standardised(distance, variance, 0.5, continuity, side)?,
            side,
        ))
    }

    fn drawn(&self, resamples: usize, seed: u64, side: Side) -> f64 {
        let ranks = self.each_rank();
        let observed = self.sums.plus;
        let sums = parallel::map_with_state(
            resamples,
            0,
            || (),
            |(), b| {
                let mut stream = RandomStream::new(seed, b as u64);
                ranks
                    .chunks(64)
                    .map(|chunk| picked(chunk, stream.next_word()))
                    .sum::<u64>()
            },
        );
        let lower = sums.iter().filter(|s| **s <= observed).count();
        let upper = sums.iter().filter(|s| **s >= observed).count();
        p_of_hits(lower, upper, resamples, side)
    }
}

fn picked(chunk: &[u64], word: u64) -> u64 {
    chunk
        .iter()
        .enumerate()
        .map(|(i, rank)| rank * (word >> i & 1))
        .sum()
}
