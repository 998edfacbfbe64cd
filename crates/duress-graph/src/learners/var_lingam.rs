//! VARLiNGAM: a vector autoregression, then the order within a step that the shape of its residuals
//! shows (Hyvärinen, Zhang, Shimizu and Hoyer, *JMLR* 11 (2010) 1709–1731; the order by DirectLiNGAM,
//! Shimizu et al., *JMLR* 12 (2011) 1225–1248).
//!
//! Made for complete data and noise that is not normal. A hidden value of the step before counts as the
//! mean of its variable, a hidden value of the step itself leaves its residual out.

use duress_core::subject::Failure;
use duress_stats::dist::Normal;

use crate::learners::regression::Regression;
use crate::matrix::{Square, dot};
use crate::panel::StandardisedPanel;
use crate::rows::WeightedRows;
use crate::select::{EdgeScores, two_sided};

/// The coefficient of each variable one step ago or, where it is earlier in the order, now (row) in
/// each variable now (column), in standard errors: the larger of the two, made smaller by what two
/// looks are worth.
pub fn score(panel: &StandardisedPanel) -> Result<EdgeScores, Failure> {
    let order = order_within_step(panel)?;
    let d = panel.variables().len();
    let both = panel.rows(&[1, 0], 1);
    let mut z = Square::zeros(d);
    for (nth, &to) in order.iter().enumerate() {
        let earlier = order[..nth].iter().map(|&k| d + k);
        let sources: Vec<usize> = (0..d).chain(earlier).collect();
        let sources_rows = columns(&both, &sources);
        let target_rows = columns(&both, &[d + to]);
        let regression = Regression::new(&sources_rows, &target_rows)?;
        for (&source, score) in sources.iter().zip(regression.z_scores(0)) {
            let known = &mut z[(source % d, to)];
            *known = known.abs().max(score.abs());
        }
        for &from in &order[..nth] {
            z[(from, to)] = twice_looked(z[(from, to)]);
        }
    }
    EdgeScores::new(panel.variables().to_vec(), z)
}

/// Variables, causes within a step before effects.
pub fn order_within_step(panel: &StandardisedPanel) -> Result<Vec<usize>, Failure> {
    let (before, now) = panel.before_and_now()?;
    Ok(causal_order(residuals(&before, &now)?))
}

/// The |z| whose p is twice as large.
fn twice_looked(z: f64) -> f64 {
    let p = two_sided(z);
    Normal.upper_quantile(p.min(0.5)).unwrap_or(z).min(z)
}

/// These columns only.
fn columns(rows: &WeightedRows, which: &[usize]) -> WeightedRows {
    let names = which.iter().map(|&k| rows.columns()[k].clone()).collect();
    let mut kept = WeightedRows::empty(names, rows.windows());
    for i in 0..rows.len() {
        let row = rows.row(i);
        let cells = which.iter().map(|&k| (row.values[k], row.weights[k]));
        kept.push(rows.window(i), cells);
    }
    kept
}

/// A column of residuals per variable; `None` where it was hidden.
type ResidualColumn = Vec<Option<f64>>;

/// What the step before does not explain.
fn residuals(before: &WeightedRows, now: &WeightedRows) -> Result<Vec<ResidualColumn>, Failure> {
    let regression = Regression::new(before, now)?;
    let of = |to: usize| {
        let coefficients = regression.coefficients(to);
        let residual = |i: usize| {
            let row = now.row(i);
            let seen = row.weights[to] > 0.0;
            seen.then(|| row.values[to] - dot(before.row(i).values, &coefficients))
        };
        (0..now.len()).map(residual).collect()
    };
    Ok((0..now.width()).map(of).collect())
}

/// Variables, causes before effects: again and again the one whose residuals are least dependent on
/// what the others leave of it.
fn causal_order(mut left: Vec<ResidualColumn>) -> Vec<usize> {
    let mut open: Vec<usize> = (0..left.len()).collect();
    let mut order = Vec::with_capacity(left.len());
    while !open.is_empty() {
        let first = most_independent(&left, &open);
        open.retain(|&k| k != first);
        for &k in &open {
            let slope = slope(&left[k], &left[first]);
            let source = left[first].clone();
            let cells = left[k].iter_mut().zip(source);
            cells.for_each(|(x, by)| {
                *x = x.map(|x| x - slope * by.unwrap_or(0.0));
            });
        }
        order.push(first);
    }
    order
}

/// The open variable that is least an effect of the other open ones.
fn most_independent(left: &[ResidualColumn], open: &[usize]) -> usize {
    let against = |&i: &usize| {
        let others = open.iter().filter(|&&k| k != i);
        let losses = others.map(|&k| {
            let lead = forward_lead(&left[i], &left[k]).min(0.0);
            lead * lead
        });
        losses.sum::<f64>()
    };
    let losses: Vec<f64> = open.iter().map(against).collect();
    let best = (0..open.len()).min_by(|&a, &b| losses[a].total_cmp(&losses[b]));
    open[best.unwrap_or(0)]
}

/// By how much less dependent cause and residual are when `a` is the cause of `b` than the other way
/// round, in nats.
fn forward_lead(a: &ResidualColumn, b: &ResidualColumn) -> f64 {
    let pairs: Vec<(f64, f64)> = a
        .iter()
        .zip(b)
        .filter_map(|(a, b)| Some(((*a)?, (*b)?)))
        .collect();
    let x = standardised(pairs.iter().map(|p| p.0));
    let y = standardised(pairs.iter().map(|p| p.1));
    let n = x.len().max(1) as f64;
    let r = dot(&x, &y) / n;
    let rest = |of: &[f64], by: &[f64]| standardised(of.iter().zip(by).map(|(a, b)| a - r * b));
    let forward = entropy(&x) + entropy(&rest(&y, &x));
    let backward = entropy(&y) + entropy(&rest(&x, &y));
    backward - forward
}

fn standardised(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    values.iter_mut().for_each(|x| *x -= mean);
    let size = libm::sqrt(dot(&values, &values) / n);
    let scale = if size > 0.0 { 1.0 / size } else { 0.0 };
    values.iter_mut().for_each(|x| *x *= scale);
    values
}

/// The entropy of values of mean 0 and variance 1, by Hyvärinen's maximum-entropy approximation
/// (*NIPS* 10 (1998) 273–279).
fn entropy(values: &[f64]) -> f64 {
    const OF_NORMAL: f64 = 1.418_938_533_204_672_7;
    const TAILS: f64 = 79.047;
    const LEAN: f64 = 7.4129;
    const TAILS_OF_NORMAL: f64 = 0.37457;
    let n = values.len().max(1) as f64;
    let tails = values
        .iter()
        .map(|&x| libm::log(libm::cosh(x.clamp(-300.0, 300.0))))
        .sum::<f64>()
        / n;
    let lean = values
        .iter()
        .map(|&x| x * libm::exp(-0.5 * x * x))
        .sum::<f64>()
        / n;
    OF_NORMAL - TAILS * (tails - TAILS_OF_NORMAL) * (tails - TAILS_OF_NORMAL) - LEAN * lean * lean
}

/// How much of `of` goes with `by`, over the rows that show both.
fn slope(of: &ResidualColumn, by: &ResidualColumn) -> f64 {
    let mut across = 0.0;
    let mut square = 0.0;
    for (of, by) in of.iter().zip(by) {
        if let (Some(of), Some(by)) = (of, by) {
            across += of * by;
            square += by * by;
        }
    }
    if square > 0.0 { across / square } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::data::Windows;
    use duress_core::seed::Seed;

    /// b follows a within the step, c follows b one step later; the noise is uniform.
    fn windows() -> Windows {
        let mut draws = Seed::new(3).draws();
        let mut values = Vec::new();
        for _ in 0..200 {
            let mut x = [0.0; 3];
            for step in 0..30 {
                let mut noise = || 2.0 * draws.uniform() - 1.0;
                let a = 0.5 * x[0] + noise();
                let b = 0.5 * x[1] + 0.7 * a + noise();
                x = [a, b, 0.5 * x[2] + 0.6 * x[1] + noise()];
                if step >= 10 {
                    values.extend([x[2], x[1], x[0]]);
                }
            }
        }
        let names = ["c", "b", "a"].map(String::from).to_vec();
        Windows::new(names, 20, vec![0; 200], values).unwrap()
    }

    #[test]
    fn order_within_a_step_and_effects_of_the_step_before_are_found() {
        let panel = StandardisedPanel::new(&windows()).unwrap();
        let (before, now) = panel.before_and_now().unwrap();
        let order = causal_order(residuals(&before, &now).unwrap());
        let place = |k: usize| order.iter().position(|o| *o == k);
        assert!(place(2) < place(1), "a before b: {order:?}");
        let scores = score(&panel).unwrap();
        assert!(scores.score(2, 1) > 20.0 && scores.score(1, 0) > 20.0);
        for (from, to) in [(1, 2), (0, 1), (0, 2), (2, 0)] {
            assert!(scores.score(from, to) < 4.0, "{from} {to}");
        }
    }

    #[test]
    fn the_entropy_of_a_uniform_is_below_that_of_a_normal() {
        let mut draws = Seed::new(4).draws();
        let normal = standardised(
            (0..50_000)
                .map(|_| draws.normal())
                .collect::<Vec<_>>()
                .into_iter(),
        );
        let uniform = standardised(
            (0..50_000)
                .map(|_| draws.uniform())
                .collect::<Vec<_>>()
                .into_iter(),
        );
        assert!((entropy(&normal) - 1.4189).abs() < 0.003);
        assert!(entropy(&uniform) < 1.39);
    }
}
