//! NOTEARS: a linear model by least squares with a penalty on weights, made free of cycles by an augmented Lagrangian (Zheng,
//! Aragam, Ravikumar and Xing, NeurIPS 2018).

use duress_core::subject::Failure;

use crate::learners::acyclic::exponential;
use crate::learners::descent::{Stop, descend};
use crate::learners::lagged_rows::{self, LaggedRows};
use crate::learners::least_squares;
use crate::matrix::Square;
use crate::panel::Panel;
use crate::select::Scores;

/// Rounds of the augmented Lagrangian at most, what counts as no cycle, and the heaviest cost of one: the authors' numbers.
const ROUNDS: usize = 100;
const NO_CYCLE: f64 = 1e-8;
const HEAVIEST: f64 = 1e16;

/// A round must leave this share of the cycles at most, or they are made to cost ten times more.
const LEFT: f64 = 0.25;

/// When one descent of many is near enough: looser than the 2e-9 of the authors' optimiser, which takes several times the steps to
/// the same edges.
const STOP: Stop = Stop { steps: 15_000, decrease: 1e-6, slope: 1e-5 };

/// The weight of each variable one step ago or now (row) in each variable now (column), whichever is larger.
pub fn score(panel: &Panel, penalty: f64) -> Result<Scores, Failure> {
    let LaggedRows { moments, penalties } = lagged_rows::read(panel, penalty)?;
    let weights = fit(&moments, &penalties)?;
    lagged_rows::summarise(panel, &weights)
}

/// The weights of a graph over all variables of `moments`, target × source; `penalty` is per weight, infinite where there may be
/// no edge.
pub fn fit(moments: &Square, penalty: &[f64]) -> Result<Square, Failure> {
    let d = moments.size();
    let weights = without_cycles(moments, d, penalty)?;
    let mut square = Square::zero(d);
    weights.chunks(d).enumerate().for_each(|(i, row)| square.row_mut(i).copy_from_slice(row));
    Ok(square)
}

/// The weights of all variables of `moments` in its first `targets`, among which there is no cycle.
pub(crate) fn without_cycles(moments: &Square, targets: usize, penalty: &[f64]) -> Result<Vec<f64>, Failure> {
    let p = moments.size();
    let mut weights = vec![0.0; targets * p];
    let (mut cost, mut multiplier, mut cycles) = (1.0, 0.0, f64::INFINITY);
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
                    crate::matrix::add_times(&mut gradient[..targets], cost * h + multiplier, slopes);
                }
                Some(error + 0.5 * cost * h * h + multiplier * h)
            });
            done.filter(|value| value.is_finite())
                .ok_or_else(|| Failure::unable("the descent left the range of numbers"))?;
            within(&weights, targets, &mut own);
            left = exponential(&own, targets, &mut slopes);
            if left > LEFT * cycles { cost *= 10.0 } else { break }
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
    (0..size * size).map(|at| if at / size == at % size { f64::INFINITY } else { penalty }).collect()
}
