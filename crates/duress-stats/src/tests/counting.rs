//! Null distributions by counting arrangements, as probabilities on a grid of integers.
//!
//! Every recurrence adds positive numbers only, so each probability keeps its relative accuracy.

use std::collections::BTreeMap;

use crate::Side;

/// Probabilities of consecutive integers, the first of which is `start`.
#[derive(Debug, Clone)]
pub(super) struct IntegerDistribution {
    pub(super) start: i64,
    pub(super) mass: Vec<f64>,
}

impl IntegerDistribution {
    fn certain(value: i64) -> Self {
        Self {
            start: value,
            mass: vec![1.0],
        }
    }

    /// p on a side of an observed value, which is included in both tails.
    pub(super) fn p_value(&self, observed: i64, side: Side) -> f64 {
        let at = (observed - self.start).clamp(0, self.mass.len() as i64 - 1) as usize;
        let lower: f64 = self.mass[..=at].iter().sum();
        let upper: f64 = self.mass[at..].iter().rev().sum();
        side.of_tails(lower, upper)
    }

    /// The law of the sum of two independent counts.
    pub(super) fn sum_with(&self, other: &Self) -> Self {
        let mut mass = vec![0.0; self.mass.len() + other.mass.len() - 1];
        for (i, a) in self.mass.iter().enumerate().filter(|(_, a)| **a > 0.0) {
            mass[i..]
                .iter_mut()
                .zip(&other.mass)
                .for_each(|(m, b)| *m += a * b);
        }
        Self {
            start: self.start + other.start,
            mass,
        }
    }
}

/// The sum of those `parts` that a fair coin picks: Wilcoxon's W⁺ from (doubled) ranks.
pub(super) fn coin_sums(parts: &[u64]) -> IntegerDistribution {
    let total: u64 = parts.iter().sum();
    let mut mass = vec![0.0; total as usize + 1];
    mass[0] = 1.0;
    let mut reach = 0;
    for &part in parts {
        let part = part as usize;
        reach += part;
        for sum in (0..=reach).rev() {
            let taken = if sum >= part { mass[sum - part] } else { 0.0 };
            mass[sum] = 0.5 * (mass[sum] + taken);
        }
    }
    IntegerDistribution { start: 0, mass }
}

/// Inversions of a random arrangement of groups of equal things: Kendall's distribution with ties
/// in one variable.
///
/// Groups are added one by one; the inversions a group makes with all before it follow Mann and
/// Whitney's U.
pub(super) fn inversions(groups: &[u32]) -> IntegerDistribution {
    let mut placed = 0;
    let mut law = IntegerDistribution::certain(0);
    for &size in groups {
        law = law.sum_with(&mann_whitney(placed, size as usize));
        placed += size as usize;
    }
    law
}

/// U of samples of sizes `m` and `n`: the last of all values is of the second sample with
/// probability n/(m+n), and then lies above the m of the first.
fn mann_whitney(m: usize, n: usize) -> IntegerDistribution {
    let mut rows: Vec<Vec<f64>> = vec![vec![1.0]; m + 1];
    for second in 1..=n {
        let mut next: Vec<Vec<f64>> = vec![vec![1.0]];
        for first in 1..=m {
            let share = second as f64 / (first + second) as f64;
            let mut mass = vec![0.0; first * second + 1];
            mass[first..]
                .iter_mut()
                .zip(&rows[first])
                .for_each(|(p, q)| *p += share * q);
            mass.iter_mut()
                .zip(&next[first - 1])
                .for_each(|(p, q)| *p += (1.0 - share) * q);
            next.push(mass);
        }
        rows = next;
    }
    IntegerDistribution {
        start: 0,
        mass: rows.swap_remove(m),
    }
}

/// Whether [`concordance`] stays within a few million steps for these tie groups.
pub(super) fn concordance_feasible(x: &[u32], y: &[u32]) -> bool {
    states(x).min(states(y)) <= 4096.0
}

fn states(groups: &[u32]) -> f64 {
    groups.iter().map(|&g| f64::from(g) + 1.0).product()
}

/// Concordant minus discordant pairs when ties may be in both variables.
///
/// Groups of x are filled in ascending order with members of the groups of y; the state is how many
/// of each group of y are used up.
pub(super) fn concordance(x: &[u32], y: &[u32]) -> IntegerDistribution {
    let (x, y) = if states(x) < states(y) {
        (y, x)
    } else {
        (x, y)
    };
    let n: i64 = x.iter().map(|&g| i64::from(g)).sum();
    let width = (n * (n - 1) + 1) as usize;
    let mut laws = BTreeMap::from([(vec![0_u32; y.len()], IntegerDistribution::certain(0))]);
    for &size in x {
        let mut next: BTreeMap<Vec<u32>, IntegerDistribution> = BTreeMap::new();
        for (used, law) in &laws {
            let room: u32 = y.iter().zip(used).map(|(c, u)| c - u).sum();
            let mut chosen = vec![0; y.len()];
            each_choice(y, used, size, 0, &mut chosen, &mut |chosen| {
                let weight = count_ways(y, used, chosen) / binomial(room, size);
                let after: Vec<u32> = used.iter().zip(chosen).map(|(u, k)| u + k).collect();
                let shift = score(used, chosen);
                let target = next.entry(after).or_insert_with(|| IntegerDistribution {
                    start: -(width as i64 - 1) / 2,
                    mass: vec![0.0; width],
                });
                let offset = (law.start + shift - target.start) as usize;
                target.mass[offset..]
                    .iter_mut()
                    .zip(&law.mass)
                    .for_each(|(t, p)| *t += weight * p);
            });
        }
        next.values_mut().for_each(trim_zeros);
        laws = next;
    }
    laws.into_values()
        .next()
        .unwrap_or_else(|| IntegerDistribution::certain(0))
}

fn trim_zeros(law: &mut IntegerDistribution) {
    let first = law.mass.iter().position(|p| *p > 0.0).unwrap_or(0);
    let last = law.mass.iter().rposition(|p| *p > 0.0).unwrap_or(0);
    law.mass = law.mass[first..=last].to_vec();
    law.start += first as i64;
}

/// Calls `visit` with every way to take `size` members out of what is left of the groups.
fn each_choice(
    groups: &[u32],
    used: &[u32],
    size: u32,
    at: usize,
    chosen: &mut Vec<u32>,
    visit: &mut impl FnMut(&[u32]),
) {
    if at == groups.len() {
        if size == 0 {
            visit(chosen);
        }
        return;
    }
    for take in 0..=size.min(groups[at] - used[at]) {
        chosen[at] = take;
        each_choice(groups, used, size - take, at + 1, chosen, visit);
    }
    chosen[at] = 0;
}

fn count_ways(groups: &[u32], used: &[u32], chosen: &[u32]) -> f64 {
    groups
        .iter()
        .zip(used)
        .zip(chosen)
        .map(|((g, u), &k)| binomial(g - u, k))
        .product()
}

fn binomial(n: u32, k: u32) -> f64 {
    (0..k).fold(1.0, |product, i| {
        product * f64::from(n - i) / f64::from(i + 1)
    })
}

/// Concordant minus discordant pairs between the new members and all earlier ones.
fn score(used: &[u32], chosen: &[u32]) -> i64 {
    let all: i64 = used.iter().map(|&u| i64::from(u)).sum();
    let mut below = 0;
    let mut score = 0;
    for (&u, &k) in used.iter().zip(chosen) {
        let above = all - below - i64::from(u);
        score += i64::from(k) * (below - above);
        below += i64::from(u);
    }
    score
}

/// `Σ aᵢ b_π(i)` over random permutations π: Spearman's and Page's distributions, ties included.
///
/// The state is the set of b used so far, so this is for at most a dozen values.
pub(super) fn matched_products(a: &[u64], b: &[u64]) -> IntegerDistribution {
    let n = a.len();
    let mut laws: Vec<Option<IntegerDistribution>> = vec![None; 1 << n];
    laws[0] = Some(IntegerDistribution::certain(0));
    for set in 0..(1_usize << n) {
        let Some(law) = laws[set].take() else {
            continue;
        };
        let place = set.count_ones() as usize;
        if place == n {
            return law;
        }
        let weight = 1.0 / (n - place) as f64;
        for (j, &value) in b.iter().enumerate().filter(|(j, _)| set >> j & 1 == 0) {
            let shifted = law.start + (a[place] * value) as i64;
            add_into(&mut laws[set | 1 << j], shifted, &law.mass, weight);
        }
    }
    IntegerDistribution::certain(0)
}

/// Adds `weight` times a law to another, widening it as needed.
fn add_into(target: &mut Option<IntegerDistribution>, start: i64, mass: &[f64], weight: f64) {
    let target = target.get_or_insert_with(|| IntegerDistribution {
        start,
        mass: Vec::new(),
    });
    if start < target.start {
        let gap = (target.start - start) as usize;
        target.mass.splice(0..0, std::iter::repeat_n(0.0, gap));
        target.start = start;
    }
    let offset = (start - target.start) as usize;
    if target.mass.len() < offset + mass.len() {
        target.mass.resize(offset + mass.len(), 0.0);
    }
    target.mass[offset..]
        .iter_mut()
        .zip(mass)
        .for_each(|(t, p)| *t += weight * p);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(law: &IntegerDistribution) -> f64 {
        law.mass.iter().sum()
    }

    #[test]
    fn every_law_sums_to_one() {
        for law in [
            coin_sums(&[2, 4, 7, 7]),
            inversions(&[1, 2, 3]),
            concordance(&[2, 1, 2], &[1, 3, 1]),
            matched_products(&[0, 1, 2, 3], &[0, 1, 1, 5]),
        ] {
            assert!(libm::fabs(total(&law) - 1.0) < 1e-14, "{law:?}");
        }
    }

    #[test]
    fn three_distinct_values_have_known_inversions() {
        let law = inversions(&[1, 1, 1]);
        let expected = [1.0, 2.0, 2.0, 1.0].map(|c| c / 6.0);
        assert!(
            law.mass
                .iter()
                .zip(expected)
                .all(|(p, e)| libm::fabs(p - e) < 1e-15)
        );
    }

    #[test]
    fn concordance_without_ties_is_inversions() {
        let table = concordance(&[1; 6], &[1; 6]);
        let chain = inversions(&[1; 6]);
        for (k, p) in chain.mass.iter().enumerate() {
            let s = 15 - 2 * k as i64;
            let q = table.mass[(s - table.start) as usize];
            assert!(libm::fabs(p - q) < 1e-15);
        }
    }
}
