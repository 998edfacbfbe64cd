//! Masks on values: what a graph looks like to someone who sees only which values are hidden.
//!
//! A control, not a learner of causes: where values are hidden because of other variables, the mask
//! of one variable follows the values of others, and a learner could pass that off as structure.
//! How much there is to be had this way is what this tells.

use duress_core::subject::Failure;

use crate::learners::regression::Regression;
use crate::matrix::Square;
use crate::panel::StandardisedPanel;
use crate::rows::WeightedRows;
use crate::select::EdgeScores;

/// The coefficient of each variable (row) in whether each other variable is observed at the same
/// step (column), in standard errors; 0 for a variable that is hidden always or never.
pub fn regress(panel: &StandardisedPanel) -> Result<EdgeScores, Failure> {
    let values = panel.rows(&[0], 0);
    let masks = standardised_masks(&values);
    let regression = Regression::new(&values, &masks)?;
    let d = panel.variables().len();
    let mut z = Square::zeros(d);
    for to in 0..d {
        let scores = regression
            .z_scores(to)
            .into_iter()
            .enumerate()
            .filter(|(from, _)| *from != to);
        scores.for_each(|(from, score)| z[(from, to)] = score);
    }
    EdgeScores::new(panel.variables().to_vec(), z)
}

/// Whether each cell is observed, with mean 0 and variance 1 per column; 0 where that never
/// changes.
fn standardised_masks(values: &WeightedRows) -> WeightedRows {
    let n = values.len();
    let d = values.width();
    let share = |k: usize| (0..n).map(|i| values.row(i).weights[k]).sum::<f64>() / n as f64;
    let scales: Vec<(f64, f64)> = (0..d)
        .map(share)
        .map(|p| {
            (
                p,
                if p > 0.0 && p < 1.0 {
                    1.0 / libm::sqrt(p * (1.0 - p))
                } else {
                    0.0
                },
            )
        })
        .collect();
    let mut masks = WeightedRows::empty(values.columns().to_vec(), values.windows());
    for i in 0..n {
        let cells = values.row(i).weights.iter().zip(&scales);
        masks.push(
            values.window(i),
            cells.map(|(seen, (share, scale))| ((seen - share) * scale, 1.0)),
        );
    }
    masks
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::data::Windows;
    use duress_core::seed::Seed;

    fn windows(hide: impl Fn(&[f64], &mut duress_core::seed::Draws) -> Option<usize>) -> Windows {
        let mut draws = Seed::new(3).draws();
        let values: Vec<f64> = (0..80 * 12 * 3).map(|_| draws.normal()).collect();
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let mut windows = Windows::new(names, 12, vec![0; 80], values.clone()).unwrap();
        for (row, cells) in values.chunks(3).enumerate() {
            if let Some(variable) = hide(cells, &mut draws) {
                windows.hide(row / 12, row % 12, variable);
            }
        }
        windows
    }

    #[test]
    fn a_value_that_hides_another_is_found_and_chance_is_not() {
        let scores = |windows| regress(&StandardisedPanel::new(&windows).unwrap()).unwrap();
        let structural = scores(windows(|cells, _| (cells[0] > 0.5).then_some(1)));
        assert!(structural.score(0, 1) < -10.0 && structural.score(2, 1).abs() < 3.5);
        let chance = scores(windows(|_, draws| draws.chance(0.3).then_some(1)));
        assert!((0..3).all(|from| chance.score(from, 1).abs() < 3.5));
        assert_eq!(chance.score(0, 2), 0.0);
    }

    #[test]
    fn what_causes_the_values_is_not_seen_through_chance_masks() {
        // Each variable follows the one before it in the chain, a step later and strongly.
        let mut draws = Seed::new(7).draws();
        let mut values = Vec::new();
        for _ in 0..80 {
            let mut x = [0.0; 3];
            for _ in 0..12 {
                x = [draws.normal(), x[0] + draws.normal(), x[1] + draws.normal()];
                values.extend(x);
            }
        }
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let mut windows = Windows::new(names, 12, vec![0; 80], values).unwrap();
        for (w, t, v) in
            (0..80).flat_map(|w| (0..12).flat_map(move |t| (0..3).map(move |v| (w, t, v))))
        {
            if draws.chance(0.3) {
                windows.hide(w, t, v);
            }
        }
        let panel = StandardisedPanel::new(&windows).unwrap();
        let (masks, causes) = (
            regress(&panel).unwrap(),
            crate::learners::lagged_regression::regress(&panel).unwrap(),
        );
        let most = |scores: &EdgeScores| scores.sizes().into_iter().fold(0.0, f64::max);
        assert!(
            most(&masks) < 3.5 && most(&causes) > 10.0,
            "{} {}",
            most(&masks),
            most(&causes)
        );
    }

    #[test]
    fn masks_that_never_change_say_nothing() {
        let scores = regress(&StandardisedPanel::new(&windows(|_, _| None)).unwrap()).unwrap();
        assert!((0..9).all(|at| scores.score(at / 3, at % 3) == 0.0));
    }
}
