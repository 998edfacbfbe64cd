//! Kendall's rank correlation τ-b.
//!
//! `τ_b = (C − D)/√((P − T_x)(P − T_y))` over P pairs, T of them tied. Discordant pairs are counted by merging (W. R.
//! Knight, JASA 61 (1966) 436). The exact distribution of `S = C − D` is counted: from inversions when at most one variable
//! has ties, over contingency tables when both have. Asymptotically `z = S/σ` with the variance for ties in both variables
//! (M. G. Kendall, *Rank Correlation Methods* (1970), ch. 4), without continuity correction unless asked.

use super::counting::{concordance, concordance_feasible, inversions};
use super::{p_of_hits, p_of_z, standardised};
use crate::inversions::sort_counting;
use crate::order::{MOST, key, sorted, ties};
use crate::random::Stream;
use crate::{Route, Side, Test, Undefined, check, parallel};

const EXACT_BY_DEFAULT: usize = 33;
const EXACT_LIMIT: usize = 100;

/// Whether two rankings agree more (or less) than by chance.
///
/// `Route::Auto` counts up to 33 pairs where that is feasible and is asymptotic beyond.
///
/// ```
/// use duress_stats::{Route, Side, tests::kendall};
///
/// let test = kendall(&[1.0, 2.0, 3.0, 4.0], &[1.0, 3.0, 2.0, 4.0], Side::Greater, Route::Auto).unwrap();
/// assert!((test.statistic - 2.0 / 3.0).abs() < 1e-15);
/// assert!((test.p - 4.0 / 24.0).abs() < 1e-15);
/// ```
///
/// # Errors
/// Samples of different lengths, fewer than two pairs, a constant sample, or an exact route that cannot be counted.
pub fn kendall(x: &[f64], y: &[f64], side: Side, route: Route) -> Result<Test, Undefined> {
    check::finite_pair(x, y)?;
    check::at_least("pairs", x.len(), 2)?;
    check::at_most("the number of pairs", x.len(), MOST)?;
    let pairs = Pairs::of(x, y);
    let tau = pairs.tau()?;
    let (how, p) = pairs.p(side, route)?;
    let method = format!("Kendall τ-b, {how}");
    Ok(Test { estimate: Some(tau), ..Test::bare(method, "τ-b", tau, p, side, x.len()) })
}

/// Two rankings, their ties, and concordant minus discordant pairs.
pub(super) struct Pairs {
    /// Keys of y, ascending.
    y: Vec<u64>,
    x_groups: Vec<u32>,
    y_groups: Vec<u32>,
    pub(super) score: i64,
}

impl Pairs {
    pub(super) fn of(x: &[f64], y: &[f64]) -> Self {
        let order = sorted(x);
        let mut in_order: Vec<u64> = order.iter().map(|e| key(y[e.index()])).collect();
        let x_groups: Vec<u32> = ties(&order).map(|tie| tie.len() as u32).collect();
        let (mut start, mut joint) = (0, 0);
        for tie in ties(&order) {
            if tie.len() > 1 {
                joint += sort_joint(&mut in_order[start..start + tie.len()]);
            }
            start += tie.len();
        }
        let discordant = sort_counting(&mut in_order);
        let y_groups = in_order.chunk_by(|a, b| a == b).map(|tie| tie.len() as u32).collect::<Vec<u32>>();
        let tied = tied_pairs(&x_groups) + tied_pairs(&y_groups) - joint;
        let untied = pairs_in(x.len() as u64) - tied;
        Self { y: in_order, x_groups, y_groups, score: untied as i64 - 2 * discordant as i64 }
    }

    pub(super) fn n(&self) -> usize {
        self.y.len()
    }

    fn tau(&self) -> Result<f64, Undefined> {
        let all = pairs_in(self.n() as u64);
        let (free_x, free_y) = (all - tied_pairs(&self.x_groups), all - tied_pairs(&self.y_groups));
        if free_x == 0 || free_y == 0 {
            let what = if free_x == 0 {
                "the values of the first sample"
            } else {
                "the values of the second sample"
            };
            return Err(Undefined::NoSpread { what });
        }
        let tau = self.score as f64 / libm::sqrt(free_x as f64 * free_y as f64);
        Ok(tau.clamp(-1.0, 1.0))
    }

    /// The p-value of S and how it was found.
    pub(super) fn p(&self, side: Side, route: Route) -> Result<(String, f64), Undefined> {
        let n = self.n();
        match route {
            Route::Auto if n <= EXACT_BY_DEFAULT && self.feasible() => {
                Ok(("exact".to_owned(), self.exact(side)))
            }
            Route::Exact => {
                check::at_most("the number of pairs", n, EXACT_LIMIT)?;
                match self.feasible() {
                    true => Ok(("exact".to_owned(), self.exact(side))),
                    false => Err(Undefined::Because("too many patterns of ties to count".to_owned())),
                }
            }
            Route::Auto => Ok(("asymptotic".to_owned(), self.asymptotic(false, side)?)),
            Route::Asymptotic { continuity } => {
                let name = if continuity { "asymptotic, corrected" } else { "asymptotic" };
                Ok((name.to_owned(), self.asymptotic(continuity, side)?))
            }
            Route::Permutation { resamples, seed } => {
                check::at_least("resamples", resamples, 1)?;
                let name = format!("{resamples} random orders, seed {seed}");
                Ok((name, self.drawn(resamples, seed, side)))
            }
        }
    }

    fn tied(&self) -> (bool, bool) {
        (self.x_groups.len() < self.n(), self.y_groups.len() < self.n())
    }

    fn feasible(&self) -> bool {
        self.tied() != (true, true) || concordance_feasible(&self.x_groups, &self.y_groups)
    }

    fn exact(&self, side: Side) -> f64 {
        let groups = match self.tied() {
            (true, true) => return concordance(&self.x_groups, &self.y_groups).p(self.score, side),
            (true, false) => &self.x_groups,
            _ => &self.y_groups,
        };
        // S falls by two for every inversion; the law of inversions is symmetric.
        let free = pairs_in(self.n() as u64) - tied_pairs(groups);
        inversions(groups).p((free as i64 + self.score) / 2, side)
    }

    pub(super) fn variance(&self) -> f64 {
        let n = self.n() as f64;
        // A group of one adds nothing to any of these sums.
        let sum = |groups: &[u32], f: fn(f64) -> f64| {
            groups.iter().filter(|t| **t > 1).map(|&t| f(f64::from(t))).sum::<f64>()
        };
        let (x, y) = (&self.x_groups, &self.y_groups);
        let first = |t: f64| t * (t - 1.0) * (2.0 * t + 5.0);
        let (pairs, triples) = (|t: f64| t * (t - 1.0), |t: f64| t * (t - 1.0) * (t - 2.0));
        let m = n * (n - 1.0);
        let triple = match self.n() {
            2 => 0.0,
            _ => sum(x, triples) * sum(y, triples) / (9.0 * m * (n - 2.0)),
        };
        (m * (2.0 * n + 5.0) - sum(x, first) - sum(y, first)) / 18.0
            + sum(x, pairs) * sum(y, pairs) / (2.0 * m)
            + triple
    }

    fn asymptotic(&self, continuity: bool, side: Side) -> Result<f64, Undefined> {
        let z = standardised(self.score as f64, self.variance(), 1.0, continuity, side)?;
        Ok(p_of_z(z, side))
    }

    fn drawn(&self, resamples: usize, seed: u64, side: Side) -> f64 {
        let scores = parallel::map(
            resamples,
            0,
            || (),
            |(), b| {
                let mut y = self.y.clone();
                Stream::new(seed, b as u64).shuffle(&mut y);
                self.score_of(y)
            },
        );
        let lower = scores.iter().filter(|s| **s <= self.score).count();
        let upper = scores.iter().filter(|s| **s >= self.score).count();
        p_of_hits(lower, upper, resamples, side)
    }

    /// S when the values of y, in order of x, are these.
    fn score_of(&self, mut y: Vec<u64>) -> i64 {
        let (mut rest, mut joint) = (&mut y[..], 0);
        for &size in &self.x_groups {
            let (part, after) = rest.split_at_mut(size as usize);
            joint += sort_joint(part);
            rest = after;
        }
        let tied = tied_pairs(&self.x_groups) + tied_pairs(&self.y_groups) - joint;
        let untied = pairs_in(y.len() as u64) - tied;
        untied as i64 - 2 * sort_counting(&mut y) as i64
    }
}

/// Sorts the y of one tie of x and returns the pairs tied in both.
fn sort_joint(part: &mut [u64]) -> u64 {
    part.sort_unstable();
    part.chunk_by(|a, b| a == b).map(|same| pairs_in(same.len() as u64)).sum()
}

fn pairs_in(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

fn tied_pairs(groups: &[u32]) -> u64 {
    groups.iter().filter(|g| **g > 1).map(|&g| pairs_in(u64::from(g))).sum()
}
