//! What learners made for independent rows are given of windows: each step beside the one before,
//! as twice the variables; windows of one step are such rows already.
//!
//! The order of time is told them: nothing now acts on the step before. From their graph over twice
//! the variables comes one over the variables themselves: an edge where either copy of one acts on
//! the later copy of the other. Hidden values are left out pair by pair from the moments, which are
//! mended where no data could have them.

use duress_core::subject::Failure;

use crate::matrix::Square;
use crate::panel::StandardisedPanel;
use crate::select::EdgeScores;

/// Moments of the variables now and, where there is one, one step before, and the penalty of each
/// weight, target × source.
pub(crate) struct IndependentRows {
    pub(crate) moments: Square,
    pub(crate) penalties: Vec<f64>,
}

pub(crate) fn read_independent_rows(
    panel: &StandardisedPanel,
    penalty: f64,
) -> Result<IndependentRows, Failure> {
    let d = panel.variables().len();
    let moments = moments(panel)?;
    let allowed = |to: usize, from: usize| to != from && !(to >= d && from < d);
    let width = moments.size();
    let cell = |at: usize| {
        if allowed(at / width, at % width) {
            penalty
        } else {
            f64::INFINITY
        }
    };
    Ok(IndependentRows {
        moments,
        penalties: (0..width * width).map(cell).collect(),
    })
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
    for (from, to) in (0..d)
        .flat_map(|i| (0..d).map(move |k| (i, k)))
        .filter(|(i, k)| i != k)
    {
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
