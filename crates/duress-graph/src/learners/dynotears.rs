//! DYNOTEARS: each variable on the others now, without a cycle, and on all one step before (Pamfil
//! et al., AISTATS 2020).

use duress_core::subject::Failure;

use crate::learners::{independent_rows, notears};
use crate::matrix::Square;
use crate::panel::StandardisedPanel;
use crate::select::EdgeScores;

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

/// The weight of each variable one step ago or now (row) in each variable now (column), whichever
/// is larger.
pub fn score(panel: &StandardisedPanel, penalty: Penalty) -> Result<EdgeScores, Failure> {
    let d = panel.variables().len();
    panel.before_and_now()?;
    let weights = fit(&independent_rows::moments(panel)?, d, penalty)?;
    let mut both = Square::zeros(2 * d);
    for i in 0..d {
        both.row_mut(i)[..d].copy_from_slice(weights.now.row(i));
        both.row_mut(i)[d..].copy_from_slice(weights.before.row(i));
    }
    independent_rows::summarise(panel, &both)
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
    let mut now = Square::zeros(size);
    let mut before = Square::zeros(size);
    for (i, row) in weights.chunks(2 * size).enumerate() {
        now.row_mut(i).copy_from_slice(&row[..size]);
        before.row_mut(i).copy_from_slice(&row[size..]);
    }
    Ok(Weights { now, before })
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::data::Windows;
    use duress_core::seed::Seed;

    #[test]
    fn what_acts_now_and_what_acted_a_step_ago_are_told_apart() {
        // b now on a now, c now on b before; all remember.
        let mut draws = Seed::new(4).draws();
        let mut values = Vec::new();
        for _ in 0..120 {
            let mut x = [0.0; 3];
            for step in 0..35 {
                let mut noise = || draws.normal();
                let a = 0.5 * x[0] + noise();
                x = [
                    a,
                    0.5 * x[1] + 0.8 * a + noise(),
                    0.5 * x[2] + 0.7 * x[1] + noise(),
                ];
                if step >= 15 {
                    values.extend(x);
                }
            }
        }
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let panel = StandardisedPanel::new(&Windows::new(names, 20, vec![0; 120], values).unwrap())
            .unwrap();
        let weights = fit(
            &independent_rows::moments(&panel).unwrap(),
            3,
            Penalty {
                now: 0.02,
                before: 0.02,
            },
        )
        .unwrap();
        assert!(
            weights.before[(2, 1)] > 0.3 && weights.now[(2, 1)].abs() < 0.1,
            "{weights:?}"
        );
        // Which of the two acts on the other within a step is not to be seen in standardised data;
        // only that one does.
        let forth = weights.now[(1, 0)].abs();
        let back = weights.now[(0, 1)].abs();
        assert!(
            forth.max(back) > 0.3 && forth.min(back) < 1e-2,
            "{weights:?}"
        );
        let scores = score(
            &panel,
            Penalty {
                now: 0.02,
                before: 0.02,
            },
        )
        .unwrap();
        assert!(scores.score(1, 2) > 0.3 && scores.score(2, 0).abs() < 0.1);
    }
}
