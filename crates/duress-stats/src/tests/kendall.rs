//! Kendall's rank correlation τ-b.
//!
//! `τ_b = (C − D)/√((P − T_x)(P − T_y))` over P pairs, T of them tied. Discordant pairs are counted by merging (W. R.
//! Knight, JASA 61 (1966) 436). The exact distribution of `S = C − D` is counted: from inversions when at most one variable
//! has ties, over contingency tables when both have. Asymptotically `z = S/σ` with the variance for ties in both variables
//! (M. G. Kendall, *Rank Correlation Methods* (1970), ch. 4), without continuity correction unless asked.

use super::counting::{concordance, concordance_feasible, inversions};
use super::{p_of_hits, p_of_z, standardised};
use crate::order::{Entry, MOST, sorted, ties};
use crate::parallel::both;
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
    /// Ranks of y in order of x, and within ties of x in their own.
    y: Vec<u32>,
    x_groups: Vec<u32>,
    y_groups: Vec<u32>,
    pub(super) score: i64,
}

impl Pairs {
    pub(super) fn of(x: &[f64], y: &[f64]) -> Self {
        let (order, (y_rank, y_groups)) = both(x.len(), || sorted(x), || dense(&sorted(y)));
        let mut in_order: Vec<u32> = order.iter().map(|e| y_rank[e.index()]).collect();
        let mut x_groups = Vec::new();
        let (mut start, mut joint) = (0, 0_u64);
        for tie in ties(&order) {
            let part = &mut in_order[start..start + tie.len()];
            if part.len() > 1 {
                part.sort_unstable();
                joint += part.chunk_by(|a, b| a == b).map(|same| pairs_in(same.len() as u64)).sum::<u64>();
            }
            x_groups.push(tie.len() as u32);
            start += tie.len();
        }
        let kept = in_order.clone();
        let discordant = count_inversions(&mut in_order);
        let tied = tied_pairs(&x_groups) + tied_pairs(&y_groups) - joint;
        let untied = pairs_in(x.len() as u64) - tied;
        Self { y: kept, x_groups, y_groups, score: untied as i64 - 2 * discordant as i64 }
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
        let sum = |groups: &[u32], f: fn(f64) -> f64| groups.iter().map(|&t| f(f64::from(t))).sum::<f64>();
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
    fn score_of(&self, mut y: Vec<u32>) -> i64 {
        let (mut start, mut joint) = (0, 0);
        for &size in &self.x_groups {
            let part = &mut y[start..start + size as usize];
            part.sort_unstable();
            joint += part.chunk_by(|a, b| a == b).map(|same| pairs_in(same.len() as u64)).sum::<u64>();
            start += size as usize;
        }
        let tied = tied_pairs(&self.x_groups) + tied_pairs(&self.y_groups) - joint;
        let discordant = count_inversions(&mut y);
        (pairs_in(y.len() as u64) - tied) as i64 - 2 * discordant as i64
    }
}

fn pairs_in(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

fn tied_pairs(groups: &[u32]) -> u64 {
    groups.iter().map(|&g| pairs_in(u64::from(g))).sum()
}

/// Ranks as 0, 1, 2, … with equal values sharing one, and the sizes of the groups.
fn dense(entries: &[Entry]) -> (Vec<u32>, Vec<u32>) {
    let mut ranks = vec![0; entries.len()];
    entries.iter().for_each(|e| ranks[e.index()] = e.group());
    (ranks, ties(entries).map(|tie| tie.len() as u32).collect())
}

/// Pairs out of order, counted while the slice is sorted.
fn count_inversions(values: &mut Vec<u32>) -> u64 {
    let middle = values.len() / 2;
    if values.len() < 2 * parallel::WORTH_A_THREAD {
        return merge_count(values);
    }
    let mut right = values.split_off(middle);
    let (a, b) = both(usize::MAX, || merge_count(values), || merge_count(&mut right));
    let mut merged = vec![0; values.len() + right.len()];
    let across = merge(values, &right, &mut merged);
    *values = merged;
    a + b + across
}

/// Sorts in place from runs of 16 upwards and returns the inversions met.
fn merge_count(values: &mut Vec<u32>) -> u64 {
    const RUN: usize = 16;
    let mut count: u64 = values.chunks_mut(RUN).map(insertion_count).sum();
    let mut buffer = vec![0; values.len()];
    let mut width = RUN;
    while width < values.len() {
        for (source, target) in values.chunks(2 * width).zip(buffer.chunks_mut(2 * width)) {
            let (left, right) = source.split_at(width.min(source.len()));
            count += merge(left, right, target);
        }
        std::mem::swap(values, &mut buffer);
        width *= 2;
    }
    count
}

fn insertion_count(run: &mut [u32]) -> u64 {
    let mut count = 0;
    for i in 1..run.len() {
        let value = run[i];
        let mut j = i;
        while j > 0 && run[j - 1] > value {
            run[j] = run[j - 1];
            j -= 1;
        }
        run[j] = value;
        count += (i - j) as u64;
    }
    count
}

/// Merges two sorted runs and counts, for each of the right, the larger ones of the left; no branch depends on the data.
///
/// Runs of equal length are merged from both ends at once: two chains of dependent steps instead of one.
fn merge(left: &[u32], right: &[u32], out: &mut [u32]) -> u64 {
    if left.len() == right.len() { merge_equal(left, right, out) } else { merge_any(left, right, out) }
}

fn merge_equal(left: &[u32], right: &[u32], out: &mut [u32]) -> u64 {
    let n = left.len();
    let (right, (front, back)) = (&right[..n], out.split_at_mut(n));
    let (mut i, mut j, mut count) = (0, 0, 0);
    // What is not yet taken from behind is left[..=a], right[..=b].
    let (mut a, mut b) = (n - 1, n - 1);
    for (low, high) in front.iter_mut().zip(back.iter_mut().rev()) {
        let right_first = right[j] < left[i];
        *low = right[j].min(left[i]);
        count += (n - i) * usize::from(right_first);
        j += usize::from(right_first);
        i += usize::from(!right_first);

        let left_last = left[a] > right[b];
        *high = left[a].max(right[b]);
        count += (n - 1 - a) * usize::from(!left_last);
        a = a.wrapping_sub(usize::from(left_last));
        b = b.wrapping_sub(usize::from(!left_last));
    }
    count as u64
}

fn merge_any(left: &[u32], right: &[u32], out: &mut [u32]) -> u64 {
    let (mut i, mut j, mut count) = (0, 0, 0_u64);
    while i < left.len() && j < right.len() {
        let right_first = right[j] < left[i];
        out[i + j] = right[j].min(left[i]);
        count += ((left.len() - i) * usize::from(right_first)) as u64;
        j += usize::from(right_first);
        i += usize::from(!right_first);
    }
    let (at, rest) = (i + j, left.len() - i);
    out[at..at + rest].copy_from_slice(&left[i..]);
    out[at + rest..].copy_from_slice(&right[j..]);
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversions_are_those_of_the_definition() {
        for n in [2, 17, 33, 100, 257] {
            let mut stream = Stream::new(3, n);
            let mut values: Vec<u32> = (0..n).map(|_| stream.below(50)).collect();
            let brute: usize =
                (0..values.len()).map(|i| values[i + 1..].iter().filter(|v| **v < values[i]).count()).sum();
            assert_eq!(count_inversions(&mut values), brute as u64, "{n}");
            assert!(values.is_sorted(), "{n}");
        }
    }
}
