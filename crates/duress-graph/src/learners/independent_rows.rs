//! What learners made for independent rows are given of windows: each step beside the one before,
//! as twice the variables; windows of one step are such rows already.
//!
//! The order of time is told them: nothing now acts on the step before. From their graph over twice
//! the variables comes one over the variables themselves: an edge where either copy of one acts on
//! the later copy of the other. Hidden values are left out pair by pair from the moments, which are
//! mended where no data could have them.

use duress_core::subject::Failure;

use crate::matrix::{Square, row_by_row};
use crate::panel::StandardisedPanel;
use crate::select::EdgeScores;

/// A learner that makes weights, target × source, of moments and a penalty per weight.
pub type FitWeights = fn(&Square, &[f64]) -> Result<Square, Failure>;

/// Scores by such a learner: the weight of each variable one step ago, if there is one, or now
/// (row) in each variable now (column), whichever is larger.
pub fn score(
    panel: &StandardisedPanel,
    penalty: f64,
    fit: FitWeights,
) -> Result<EdgeScores, Failure> {
    let moments = moments(panel)?;
    let penalties = penalties(panel.variables().len(), moments.size(), penalty);
    let weights = fit(&moments, &penalties)?;
    summarise(panel, &weights)
}

/// The penalty of each weight, target × source: infinite for a variable in itself, and for what is
/// now in the step before.
fn penalties(variables: usize, width: usize, penalty: f64) -> Vec<f64> {
    let is_past = |variable: usize| variable >= variables;
    let is_allowed = |to: usize, from: usize| to != from && (!is_past(to) || is_past(from));
    (0..width * width)
        .map(|at| {
            if is_allowed(at / width, at % width) {
                penalty
            } else {
                f64::INFINITY
            }
        })
        .collect()
}

/// The moments of the variables now, then of those one step before, if there is one.
pub(crate) fn moments(panel: &StandardisedPanel) -> Result<Square, Failure> {
    let rows = panel.independent_rows();
    rows.moments(&rows)?
        .mean
        .into_square()
        .steady()
        .ok_or_else(|| {
            Failure::unable("the variables cannot be told apart: their moments have no inverse")
        })
}

/// The larger of the weights now and one step before, of each variable (row) in each variable now
/// (column).
pub(crate) fn summarise(
    panel: &StandardisedPanel,
    weights: &Square,
) -> Result<EdgeScores, Failure> {
    let d = panel.variables().len();
    let mut scores = Square::zeros(d);
    for (from, to) in row_by_row(d, d).filter(|(i, k)| i != k) {
        let now = weights[(to, from)];
        let before = if weights.size() > d {
            weights[(to, d + from)]
        } else {
            0.0
        };
        scores[(from, to)] = if now.abs() > before.abs() {
            now
        } else {
            before
        };
    }
    EdgeScores::new(panel.variables().to_vec(), scores)
}
