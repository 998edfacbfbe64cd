//! DYNOTEARS: each variable on the others now, without a cycle, and on all one step before (Pamfil et al., AISTATS 2020).

use duress_core::subject::Failure;

use crate::learners::{lagged_rows, notears};
use crate::matrix::Square;
use crate::panel::Panel;
use crate::select::Scores;

/// What is added to the error for each unit of weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalty {
    /// Of a variable in another now.
    pub now: f64,
    /// Of a variable one step before.
    pub before: f64,
}

/// Weights target × source.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// Of the variables now in each other.
    pub now: Square,
    /// Of the variables one step before.
    pub before: Square,
}

/// The weight of each variable one step ago or now (row) in each variable now (column), whichever is larger.
pub fn score(panel: &Panel, penalty: Penalty) -> Result<Scores, Failure> {
    let d = panel.variables().len();
    let weights = fit(&lagged_rows::moments(panel)?, d, penalty)?;
    let mut both = Square::zero(2 * d);
    for i in 0..d {
        both.row_mut(i)[..d].copy_from_slice(weights.now.row(i));
        both.row_mut(i)[d..].copy_from_slice(weights.before.row(i));
    }
    lagged_rows::summarise(panel, &both)
}

/// The weights for moments of the `size` variables now, followed by those one step before.
pub fn fit(moments: &Square, size: usize, penalty: Penalty) -> Result<Weights, Failure> {
    let cell = |at: usize| match (at / (2 * size), at % (2 * size)) {
        (to, from) if to == from => f64::INFINITY,
        (_, from) if from < size => penalty.now,
        _ => penalty.before,
    };
    let penalties: Vec<f64> = (0..2 * size * size).map(cell).collect();
    let weights = notears::without_cycles(moments, size, &penalties)?;
    let (mut now, mut before) = (Square::zero(size), Square::zero(size));
    for (i, row) in weights.chunks(2 * size).enumerate() {
        now.row_mut(i).copy_from_slice(&row[..size]);
        before.row_mut(i).copy_from_slice(&row[size..]);
    }
    Ok(Weights { now, before })
}
