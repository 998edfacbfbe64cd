//! Page's test for a trend over ordered treatments within blocks.
//!
//! `L = Σ_j j R_j` with R the rank sums of the treatments over the blocks. The exact distribution
//! is counted block by block, ties included. Asymptotically `z = (L − E)/σ` with `σ² = Σ_blocks
//! Σ(j−j̄)² Σ(r−r̄)²/(k−1)`, which is the usual variance without ties and the right one with them.
//! Source: E. B. Page, JASA 58 (1963) 216.

use super::counting::matched_products;
use super::spearman::from_zero;
use super::{p_of_hits, p_of_z, standardised};
use crate::order::Ranks;
use crate::random::RandomStream;
use crate::{Route, Side, TestResult, UndefinedReason, check, parallel};

const EXACT_TREATMENTS: usize = 8;
const EXACT_BLOCKS: usize = 50;

/// Whether values rise (or fall) over the columns, block by block. Columns stand in their
/// hypothesised order.
///
/// `Route::Auto` counts up to 8 treatments and 50 blocks and is asymptotic beyond.
///
/// ```
/// use duress_stats::{Route, Side, tests::page};
///
/// let accuracy_by_severity = [vec![0.9, 0.7, 0.4], vec![0.8, 0.7, 0.5], vec![0.9, 0.6, 0.5]];
/// let test = page(&accuracy_by_severity, Side::Less, Route::Auto).unwrap();
/// assert!((test.p - 1.0 / 216.0).abs() < 1e-15);
/// ```
///
/// # Errors
/// Fewer than two treatments, no blocks, blocks of different lengths, every block constant, or an
/// exact route beyond its limits.
pub fn page<B: AsRef<[f64]>>(
    blocks: &[B],
    side: Side,
    route: Route,
) -> Result<TestResult, UndefinedReason> {
    let table = CentredRanks::from_blocks(blocks)?;
    let k = table.treatments;
    let n = table.blocks.len();
    let small = k <= EXACT_TREATMENTS && n <= EXACT_BLOCKS;
    let (how, p) = match route {
        Route::Auto if small => ("exact".to_owned(), table.exact(side)),
        Route::Exact => {
            check::at_most("the number of treatments", k, EXACT_TREATMENTS)?;
            check::at_most("the number of blocks", n, EXACT_BLOCKS)?;
            ("exact".to_owned(), table.exact(side))
        }
        Route::Auto => ("asymptotic".to_owned(), table.asymptotic(false, side)?),
        Route::Asymptotic { continuity } => {
            let name = if continuity {
                "asymptotic, corrected"
            } else {
                "asymptotic"
            };
            (name.to_owned(), table.asymptotic(continuity, side)?)
        }
        Route::Permutation { resamples, seed } => {
            check::at_least("resamples", resamples, 1)?;
            (
                format!("{resamples} random orders, seed {seed}"),
                table.drawn(resamples, seed, side),
            )
        }
    };
    Ok(TestResult::without_extras(
        format!("Page trend over {k} treatments, {how}"),
        "L",
        table.page_l(),
        p,
        side,
        n,
    ))
}

struct CentredRanks {
    treatments: usize,
    /// Doubled midranks within each block, minus their mean.
    blocks: Vec<Vec<i64>>,
}

impl CentredRanks {
    fn from_blocks<B: AsRef<[f64]>>(blocks: &[B]) -> Result<Self, UndefinedReason> {
        check::at_least("blocks", blocks.len(), 1)?;
        let treatments = blocks[0].as_ref().len();
        check::at_least("treatments", treatments, 2)?;
        let mut ranked = Vec::with_capacity(blocks.len());
        for block in blocks {
            let block = block.as_ref();
            if block.len() != treatments {
                return Err(UndefinedReason::Unpaired {
                    left: treatments,
                    right: block.len(),
                });
            }
            check::finite("a block", block)?;
            ranked.push(Ranks::of_values(block).centred());
        }
        if ranked.iter().flatten().all(|r| *r == 0) {
            return Err(UndefinedReason::NoSpread {
                what: "the values within every block",
            });
        }
        Ok(Self {
            treatments,
            blocks: ranked,
        })
    }

    /// `Σ j·r` over a block in doubled centred ranks.
    fn score(block: &[i64]) -> i64 {
        (1..).zip(block).map(|(j, r)| j * r).sum()
    }

    fn total(&self) -> i64 {
        self.blocks.iter().map(|block| Self::score(block)).sum()
    }

    fn page_l(&self) -> f64 {
        let k = self.treatments as f64;
        let n = self.blocks.len() as f64;
        n * k * (k + 1.0) * (k + 1.0) / 4.0 + 0.5 * self.total() as f64
    }

    fn exact(&self, side: Side) -> f64 {
        let places: Vec<u64> = (1..=self.treatments as u64).collect();
        let even = self
            .blocks
            .iter()
            .all(|block| from_zero(block) != moved(block));
        let ranks = |block: &[i64]| if even { from_zero(block) } else { moved(block) };
        let mut law = None;
        let mut observed = 0;
        for block in &self.blocks {
            let ranks = ranks(block);
            observed += places
                .iter()
                .zip(&ranks)
                .map(|(j, r)| (j * r) as i64)
                .sum::<i64>();
            let one = matched_products(&places, &ranks);
            law = Some(
                law.map_or(one.clone(), |law: super::counting::IntegerDistribution| {
                    law.sum_with(&one)
                }),
            );
        }
        law.map_or(1.0, |law| law.p_value(observed, side))
    }

    fn asymptotic(&self, continuity: bool, side: Side) -> Result<f64, UndefinedReason> {
        let k = self.treatments as f64;
        let places = k * (k * k - 1.0) / 12.0;
        let squares: i64 = self.blocks.iter().flatten().map(|r| r * r).sum();
        let variance = places * 0.25 * squares as f64 / (k - 1.0);
        Ok(p_of_z(
            standardised(0.5 * self.total() as f64, variance, 0.5, continuity, side)?,
            side,
        ))
    }

    fn drawn(&self, resamples: usize, seed: u64, side: Side) -> f64 {
        let observed = self.total();
        let totals = parallel::map_with_state(
            resamples,
            0,
            || (),
            |(), b| {
                let mut stream = RandomStream::new(seed, b as u64);
                let shuffled = |block: &Vec<i64>| {
                    let mut block = block.clone();
                    stream.shuffle(&mut block);
                    Self::score(&block)
                };
                self.blocks.iter().map(shuffled).sum::<i64>()
            },
        );
        let lower = totals.iter().filter(|t| **t <= observed).count();
        let upper = totals.iter().filter(|t| **t >= observed).count();
        p_of_hits(lower, upper, resamples, side)
    }
}

/// Doubled ranks from zero, not halved.
fn moved(block: &[i64]) -> Vec<u64> {
    let least = block.iter().copied().min().unwrap_or(0);
    block.iter().map(|r| (r - least) as u64).collect()
}
