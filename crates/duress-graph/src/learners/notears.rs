//! NOTEARS: a linear model by least squares with a penalty on weights, made free of cycles by an
//! augmented Lagrangian (Zheng, Aragam, Ravikumar and Xing, NeurIPS 2018).

use duress_core::subject::Failure;

use crate::learners::acyclic::exponential;
use crate::learners::descent::{Stop, descend};
use crate::learners::least_squares;
use crate::matrix::Square;

/// Rounds of the augmented Lagrangian at most, what counts as no cycle, and the heaviest cost of
/// one: the authors' numbers.
const ROUNDS: usize = 100;
const NO_CYCLE: f64 = 1e-8;
const HEAVIEST: f64 = 1e16;

/// A round must leave this share of the cycles at most, or they are made to cost ten times more.
const LEFT: f64 = 0.25;

/// When one descent of many is near enough: looser than the 2e-9 of the authors' optimiser, which
/// takes several times the steps to the same edges.
const STOP: Stop = Stop {
    steps: 15_000,
    decrease: 1e-7,
    slope: 1e-5,
};

/// The weights of a graph over all variables of `moments`, target × source; `penalty` is per
/// weight, infinite where there may be no edge.
pub fn fit(moments: &Square, penalty: &[f64]) -> Result<Square, Failure> {
    let d = moments.size();
    let weights = without_cycles(moments, d, penalty)?;
    Ok(Square::from_cells(d, weights))
}

/// The weights of all variables of `moments` in its first `targets`, among which there is no cycle.
pub(crate) fn without_cycles(
    moments: &Square,
    targets: usize,
    penalty: &[f64],
) -> Result<Vec<f64>, Failure> {
    let p = moments.size();
    let mut weights = vec![0.0; targets * p];
    let mut cost = 1.0;
    let mut multiplier = 0.0;
    let mut cycles = f64::INFINITY;
    let mut own = vec![0.0; targets * targets];
    let mut slopes = vec![0.0; targets * targets];
    for _ in 0..ROUNDS {
        let mut left = cycles;
        while cost < HEAVIEST {
            let done = descend(&mut weights, penalty, STOP, |weights, gradient| {
                let error = least_squares::error(moments, weights, targets, gradient);
                within(weights, targets, &mut own);
                let h = exponential(&own, targets, &mut slopes);
                for (gradient, slopes) in gradient.chunks_mut(p).zip(slopes.chunks(targets)) {
                    crate::matrix::add_times(
                        &mut gradient[..targets],
                        cost * h + multiplier,
                        slopes,
                    );
                }
                Some(error + 0.5 * cost * h * h + multiplier * h)
            });
            done.filter(|value| value.is_finite())
                .ok_or_else(|| Failure::unable("the descent left the range of numbers"))?;
            within(&weights, targets, &mut own);
            left = exponential(&own, targets, &mut slopes);
            if left > LEFT * cycles {
                cost *= 10.0
            } else {
                break;
            }
        }
        cycles = left;
        multiplier += cost * cycles;
        if cycles <= NO_CYCLE || cost >= HEAVIEST {
            break;
        }
    }
    Ok(weights)
}

/// The weights of the targets in each other.
fn within(weights: &[f64], targets: usize, own: &mut [f64]) {
    let p = weights.len() / targets;
    for (own, row) in own.chunks_mut(targets).zip(weights.chunks(p)) {
        own.copy_from_slice(&row[..targets]);
    }
}

/// A penalty for every weight but those of variables in themselves.
pub fn penalties(size: usize, penalty: f64) -> Vec<f64> {
    (0..size * size)
        .map(|at| {
            if at / size == at % size {
                f64::INFINITY
            } else {
                penalty
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::dot;
    use crate::matrix::row_by_row;
    use crate::select::without_cycles as acyclic_part;
    use duress_core::seed::Seed;

    /// The moments of a linear model with noise of variance 1: edges (from, to, weight), causes
    /// before effects.
    fn moments(size: usize, edges: &[(usize, usize, f64)]) -> Square {
        let mut draws = Seed::new(3).draws();
        let mut moments = Square::zeros(size);
        for _ in 0..4000 {
            let mut x: Vec<f64> = (0..size).map(|_| draws.normal()).collect();
            edges
                .iter()
                .for_each(|&(from, to, weight)| x[to] += weight * x[from]);
            (0..size).for_each(|i| crate::matrix::add_times(moments.row_mut(i), x[i] / 4000.0, &x));
        }
        moments
    }

    const EDGES: [(usize, usize, f64); 5] = [
        (0, 1, 1.2),
        (0, 2, -0.9),
        (1, 3, 1.0),
        (2, 3, 0.8),
        (3, 4, -1.1),
    ];

    #[test]
    fn a_linear_model_with_even_noise_is_recovered_with_its_weights() {
        let found = fit(&moments(5, &EDGES), &penalties(5, 0.05)).unwrap();
        for (to, from) in row_by_row(5, 5) {
            let expected = EDGES
                .iter()
                .find(|(a, b, _)| (*a, *b) == (from, to))
                .map_or(0.0, |edge| edge.2);
            assert!(
                (found[(to, from)] - expected).abs() < 0.15,
                "{from} → {to}: {}",
                found[(to, from)]
            );
        }
        let mut edges: Vec<(usize, usize)> = (0..25).map(|at| (at % 5, at / 5)).collect();
        edges.retain(|&(from, to)| found[(to, from)].abs() > 1e-3);
        assert_eq!(
            acyclic_part(5, &edges).len(),
            edges.len(),
            "no cycle is left"
        );
    }

    #[test]
    fn where_no_edge_may_be_there_is_none() {
        let mut penalty = penalties(5, 0.05);
        penalty[5] = f64::INFINITY;
        let found = fit(&moments(5, &EDGES), &penalty).unwrap();
        assert_eq!(found[(1, 0)], 0.0);
        assert!((0..5).all(|i| found[(i, i)] == 0.0));
        assert_eq!(
            fit(&Square::identity(1), &penalties(1, 0.1)).unwrap(),
            Square::zeros(1)
        );
    }

    #[test]
    fn a_heavy_penalty_leaves_nothing() {
        let found = fit(&moments(5, &EDGES), &penalties(5, 100.0)).unwrap();
        assert_eq!(dot(found.cells(), found.cells()), 0.0);
    }
}
