//! Spearman's rank correlation ρ.
//!
//! The Pearson correlation of midranks, summed in integers. Exact up to 11 pairs by counting the
//! permutations of the ranks as they are, ties included; asymptotically `t = ρ √((n−2)/(1−ρ²))`
//! with n−2 degrees of freedom. Source: C. Spearman, Am. J. Psychol. 15 (1904) 72; M. G. Kendall,
//! *Rank Correlation Methods* (1970), ch. 5.

use super::counting::matched_products;
use super::p_of_hits;
use super::student::p_of_t;
use crate::order::Ranks;
use crate::parallel::run_both;
use crate::random::RandomStream;
use crate::{Route, Side, TestResult, UndefinedReason, check, parallel};

const EXACT_LIMIT: usize = 11;
/// Beyond this a block of products might not fit 64 bits.
const MOST_PAIRS: usize = 1 << 26;

/// Whether two rankings rise together.
///
/// `Route::Auto` counts up to 11 pairs and is asymptotic beyond; there is no continuity correction.
///
/// ```
/// use duress_stats::{Route, Side, tests::spearman};
///
/// let test = spearman(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], Side::Greater, Route::Auto).unwrap();
/// assert_eq!(test.statistic, 1.0);
/// assert!((test.p - 1.0 / 6.0).abs() < 1e-15);
/// ```
///
/// # Errors
/// Samples of different lengths, fewer than two pairs, a constant sample, an exact route beyond 11
/// pairs, or an asymptotic one with fewer than three.
pub fn spearman(
    x: &[f64],
    y: &[f64],
    side: Side,
    route: Route,
) -> Result<TestResult, UndefinedReason> {
    check::rankable_pairs(x, y, MOST_PAIRS)?;
    let ranks = Centred::from_samples(x, y);
    let rho = ranks.rho()?;
    let n = x.len();
    let (how, df, p) = match route {
        Route::Auto if n <= EXACT_LIMIT => ("exact".to_owned(), None, ranks.exact(side)),
        Route::Exact => {
            check::at_most("the number of pairs", n, EXACT_LIMIT)?;
            ("exact".to_owned(), None, ranks.exact(side))
        }
        Route::Auto | Route::Asymptotic { .. } => {
            check::at_least("pairs", n, 3)?;
            let df = n as f64 - 2.0;
            let t = rho * libm::sqrt(df / ((1.0 - rho) * (1.0 + rho)));
            ("asymptotic".to_owned(), Some(df), p_of_t(t, df, side)?)
        }
        Route::Permutation { resamples, seed } => {
            check::at_least("resamples", resamples, 1)?;
            let name = format!("{resamples} random orders, seed {seed}");
            (name, None, ranks.drawn(resamples, seed, side))
        }
    };
    let method = format!("Spearman ρ, {how}");
    Ok(TestResult {
        df,
        estimate: Some(rho),
        ..TestResult::without_extras(method, "ρ", rho, p, side, n)
    })
}

/// Doubled midranks of both samples, and their squares about the mean.
struct Centred {
    x: Ranks,
    y: Ranks,
    squares: (i128, i128),
}

impl Centred {
    fn from_samples(x: &[f64], y: &[f64]) -> Self {
        let ranked = |values: &[f64]| {
            let ranks = Ranks::of_values(values);
            let squares = product(&ranks.doubled, &ranks.doubled);
            (ranks, squares)
        };
        let ((x, squares_x), (y, squares_y)) = run_both(x.len(), || ranked(x), || ranked(y));
        Self {
            x,
            y,
            squares: (squares_x, squares_y),
        }
    }

    fn rho(&self) -> Result<f64, UndefinedReason> {
        let what = match self.squares {
            (0, _) => "the values of the first sample",
            (_, 0) => "the values of the second sample",
            (x, y) => {
                let scale = libm::sqrt(x as f64 * y as f64);
                let rho = product(&self.x.doubled, &self.y.doubled) as f64 / scale;
                return Ok(rho.clamp(-1.0, 1.0));
            }
        };
        Err(UndefinedReason::NoSpread { what })
    }

    fn exact(&self, side: Side) -> f64 {
        let a = from_zero(&self.x.centred());
        let b = from_zero(&self.y.centred());
        let observed: u64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        matched_products(&a, &b).p_value(observed as i64, side)
    }

    fn drawn(&self, resamples: usize, seed: u64, side: Side) -> f64 {
        let observed = product(&self.x.doubled, &self.y.doubled);
        let products = parallel::map_with_state(
            resamples,
            0,
            || (),
            |(), b| {
                let mut y = self.y.doubled.clone();
                RandomStream::new(seed, b as u64).shuffle(&mut y);
                product(&self.x.doubled, &y)
            },
        );
        let lower = products.iter().filter(|p| **p <= observed).count();
        let upper = products.iter().filter(|p| **p >= observed).count();
        p_of_hits(lower, upper, resamples, side)
    }
}

/// `Σ (xᵢ − c)(yᵢ − c)` of doubled ranks about their mean `c = n + 1`. Up to 2²⁶ values the sum of
/// 1,024 products fits 64 bits; the whole sum is wider.
fn product(x: &[u32], y: &[u32]) -> i128 {
    let centre = x.len() as i64 + 1;
    let block = |(x, y): (&[u32], &[u32])| {
        let term = |(&a, &b): (&u32, &u32)| (i64::from(a) - centre) * (i64::from(b) - centre);
        i128::from(x.iter().zip(y).map(term).sum::<i64>())
    };
    x.chunks(1024).zip(y.chunks(1024)).map(block).sum()
}

/// Ranks moved to start at 0 and divided by 2 when all are even then: a smaller grid, the same
/// order.
pub(super) fn from_zero(ranks: &[i64]) -> Vec<u64> {
    let least = ranks.iter().copied().min().unwrap_or(0);
    let moved: Vec<u64> = ranks.iter().map(|r| (r - least) as u64).collect();
    let unit = if moved.iter().all(|r| r % 2 == 0) {
        2
    } else {
        1
    };
    moved.into_iter().map(|r| r / unit).collect()
}
