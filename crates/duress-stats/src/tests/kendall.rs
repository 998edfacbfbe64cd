//! Kendall's rank correlation τ-b.
//!
//! `τ_b = (C − D)/√((P − T_x)(P − T_y))` over P pairs, T of them tied. Discordant pairs are counted
//! by merging (W. R. Knight, JASA 61 (1966) 436). The exact distribution of `S = C − D` is counted:
//! from inversions when at most one variable has ties, over contingency tables when both have.
//! Asymptotically `z = S/σ` with the variance for ties in both variables (M. G. Kendall, *Rank
//! Correlation Methods* (1970), ch. 4), without continuity correction unless asked.

use std::ops::Range;

use super::counting::{concordance, concordance_feasible, inversions};
use super::{p_of_hits, p_of_z, standardised};
use crate::inversions::sort_counting;
use crate::order::{MOST, sort_key, sorted};
use crate::random::RandomStream;
use crate::{Route, Side, TestResult, UndefinedReason, check, parallel};

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
/// Samples of different lengths, fewer than two pairs, a constant sample, or an exact route that
/// cannot be counted.
pub fn kendall(
    x: &[f64],
    y: &[f64],
    side: Side,
    route: Route,
) -> Result<TestResult, UndefinedReason> {
    check::rankable_pairs(x, y, MOST)?;
    let pairs = RankedPairs::from_samples(x, y);
    let tau = pairs.tau()?;
    let (how, p) = pairs.p_value(side, route)?;
    let method = format!("Kendall τ-b, {how}");
    Ok(TestResult {
        estimate: Some(tau),
        ..TestResult::without_extras(method, "τ-b", tau, p, side, x.len())
    })
}

/// Two rankings, their ties, and concordant minus discordant pairs.
pub(super) struct RankedPairs {
    /// Keys of y, ascending.
    y: Vec<u64>,
    /// Where values of x, in order, are equal; and those of y.
    x_ties: Vec<Range<usize>>,
    y_ties: Vec<Range<usize>>,
    pub(super) score: i64,
}

impl RankedPairs {
    pub(super) fn from_samples(x: &[f64], y: &[f64]) -> Self {
        let order = sorted(x);
        let mut in_order =
            parallel::map_indices(x.len(), |place| sort_key(y[order[place].index()]));
        let x_ties = stretches(x.len(), |at| order[at].group() == order[at + 1].group());
        drop(order);
        let joint = sort_joints(&mut in_order, &x_ties);
        let discordant = sort_counting(&mut in_order);
        let y_ties = stretches(x.len(), |at| in_order[at] == in_order[at + 1]);
        let tied = tied_pairs(&x_ties) + tied_pairs(&y_ties) - joint;
        let untied = pairs_in(x.len()) - tied;
        Self {
            y: in_order,
            x_ties,
            y_ties,
            score: untied as i64 - 2 * discordant as i64,
        }
    }

    pub(super) fn n(&self) -> usize {
        self.y.len()
    }

    fn tau(&self) -> Result<f64, UndefinedReason> {
        let all = pairs_in(self.n());
        let free_x = all - tied_pairs(&self.x_ties);
        let free_y = all - tied_pairs(&self.y_ties);
        if free_x == 0 || free_y == 0 {
            let what = if free_x == 0 {
                "the values of the first sample"
            } else {
                "the values of the second sample"
            };
            return Err(UndefinedReason::NoSpread { what });
        }
        let tau = self.score as f64 / libm::sqrt(free_x as f64 * free_y as f64);
        Ok(tau.clamp(-1.0, 1.0))
    }

    /// The p-value of S and how it was found.
    pub(super) fn p_value(
        &self,
        side: Side,
        route: Route,
    ) -> Result<(String, f64), UndefinedReason> {
        let n = self.n();
        match route {
            Route::Auto if n <= EXACT_BY_DEFAULT && self.feasible() => {
                Ok(("exact".to_owned(), self.exact(side)))
            }
            Route::Exact => {
                check::at_most("the number of pairs", n, EXACT_LIMIT)?;
                match self.feasible() {
                    true => Ok(("exact".to_owned(), self.exact(side))),
                    false => Err(UndefinedReason::Because(
                        "too many patterns of ties to count".to_owned(),
                    )),
                }
            }
            Route::Auto => Ok(("asymptotic".to_owned(), self.asymptotic(false, side)?)),
            Route::Asymptotic { continuity } => {
                let name = if continuity {
                    "asymptotic, corrected"
                } else {
                    "asymptotic"
                };
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
        (!self.x_ties.is_empty(), !self.y_ties.is_empty())
    }

    fn feasible(&self) -> bool {
        let (x, y) = self.groups();
        self.tied() != (true, true) || concordance_feasible(&x, &y)
    }

    fn groups(&self) -> (Vec<u32>, Vec<u32>) {
        (
            groups(&self.x_ties, self.n()),
            groups(&self.y_ties, self.n()),
        )
    }

    fn exact(&self, side: Side) -> f64 {
        let (x, y) = self.groups();
        let (groups, ties) = match self.tied() {
            (true, true) => return concordance(&x, &y).p_value(self.score, side),
            (true, false) => (x, &self.x_ties),
            _ => (y, &self.y_ties),
        };
        // S falls by two for every inversion; the law of inversions is symmetric.
        let free = pairs_in(self.n()) - tied_pairs(ties);
        inversions(&groups).p_value((free as i64 + self.score) / 2, side)
    }

    pub(super) fn variance(&self) -> f64 {
        let n = self.n() as f64;
        // A group of one adds nothing to any of these sums.
        let sum = |ties: &[Range<usize>], f: fn(f64) -> f64| {
            ties.iter().map(|tie| f(tie.len() as f64)).sum::<f64>()
        };
        let x = &self.x_ties;
        let y = &self.y_ties;
        let first = |t: f64| t * (t - 1.0) * (2.0 * t + 5.0);
        let pairs = |t: f64| t * (t - 1.0);
        let triples = |t: f64| t * (t - 1.0) * (t - 2.0);
        let m = n * (n - 1.0);
        let triple = match self.n() {
            2 => 0.0,
            _ => sum(x, triples) * sum(y, triples) / (9.0 * m * (n - 2.0)),
        };
        (m * (2.0 * n + 5.0) - sum(x, first) - sum(y, first)) / 18.0
            + sum(x, pairs) * sum(y, pairs) / (2.0 * m)
            + triple
    }

    fn asymptotic(&self, continuity: bool, side: Side) -> Result<f64, UndefinedReason> {
        let z = standardised(self.score as f64, self.variance(), 1.0, continuity, side)?;
        Ok(p_of_z(z, side))
    }

    fn drawn(&self, resamples: usize, seed: u64, side: Side) -> f64 {
        let scores = parallel::map_with_state(
            resamples,
            0,
            || (),
            |(), b| {
                let mut y = self.y.clone();
                RandomStream::new(seed, b as u64).shuffle(&mut y);
                self.score_of(y)
            },
        );
        let lower = scores.iter().filter(|s| **s <= self.score).count();
        let upper = scores.iter().filter(|s| **s >= self.score).count();
        p_of_hits(lower, upper, resamples, side)
    }

    /// S when the values of y, in order of x, are these.
    fn score_of(&self, mut y: Vec<u64>) -> i64 {
        let joint = sort_joints(&mut y, &self.x_ties);
        let tied = tied_pairs(&self.x_ties) + tied_pairs(&self.y_ties) - joint;
        let untied = pairs_in(y.len()) - tied;
        untied as i64 - 2 * sort_counting(&mut y) as i64
    }
}

/// Sorts the y of every tie of x and returns the pairs tied in both.
fn sort_joints(y: &mut [u64], x_ties: &[Range<usize>]) -> u64 {
    let joint = |tie: &Range<usize>| {
        let part = &mut y[tie.clone()];
        part.sort_unstable();
        part.chunk_by(|a, b| a == b)
            .map(|same| pairs_in(same.len()))
            .sum::<u64>()
    };
    x_ties.iter().map(joint).sum()
}

/// Where two neighbours or more of a sorted sample are the same, as most large samples are nowhere.
fn stretches(n: usize, same_as_next: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut found = Vec::new();
    while at < n {
        let start = at;
        while at + 1 < n && same_as_next(at) {
            at += 1;
        }
        at += 1;
        if at > start + 1 {
            found.push(start..at);
        }
    }
    found
}

/// The sizes of all groups of equal values in order, also those of one.
fn groups(ties: &[Range<usize>], n: usize) -> Vec<u32> {
    let mut sizes = Vec::new();
    let mut behind = 0;
    for tie in ties.iter().cloned().chain(std::iter::once(n..n)) {
        sizes.extend(std::iter::repeat_n(1, tie.start - behind));
        sizes.push(tie.len() as u32);
        behind = tie.end;
    }
    sizes.pop();
    sizes
}

fn pairs_in(n: usize) -> u64 {
    let n = n as u64;
    n * n.saturating_sub(1) / 2
}

fn tied_pairs(ties: &[Range<usize>]) -> u64 {
    ties.iter().map(|tie| pairs_in(tie.len())).sum()
}
