//! Correlation of each variable one step ago with each variable now, one pair at a time: nothing
//! else is held fixed.

use duress_core::subject::Failure;

use crate::matrix::{Square, row_by_row};
use crate::panel::StandardisedPanel;
use crate::select::EdgeScores;

/// Below this many windows, sums by window are too few to be squared, and single steps are taken
/// instead.
const FEWEST_WINDOWS: usize = 30;

/// Which steps are set beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairedSteps {
    /// The earlier step (row) and the later one (column): not symmetric.
    Lagged,
    /// The same step: symmetric.
    Same,
}

/// The correlation of each pair, in standard errors, over the steps in which both were observed.
///
/// The standard error sums over a window before it squares, so neighbours in time that are alike do
/// not pass for evidence.
pub fn correlate(panel: &StandardisedPanel, steps: PairedSteps) -> Result<EdgeScores, Failure> {
    let (before, other) = match (steps, panel.steps()) {
        (PairedSteps::Lagged, _) => panel.before_and_now()?,
        (PairedSteps::Same, 1) => (panel.rows(&[0], 0), panel.rows(&[0], 0)),
        // The steps that have one after them, as for the lagged correlation.
        (PairedSteps::Same, _) => (panel.rows(&[1], 1), panel.rows(&[1], 1)),
    };
    let pairs = before.moments(&other)?;
    let d = panel.variables().len();
    let by_window = panel.windows() >= FEWEST_WINDOWS;
    let mut squares = Square::zeros(d);
    let mut sums = Square::zeros(d);
    let mut group = None;
    for row in 0..before.len() {
        if !by_window || group != Some(before.window(row)) {
            square(&mut sums, &mut squares);
            group = Some(before.window(row));
        }
        let a = before.row(row);
        let b = other.row(row);
        for i in (0..d).filter(|&i| a.weights[i] > 0.0) {
            for k in 0..d {
                sums[(i, k)] += a.values[i] * b.values[k] - b.weights[k] * pairs.mean[(i, k)];
            }
        }
    }
    square(&mut sums, &mut squares);
    let mut z = Square::zeros(d);
    for (i, k) in row_by_row(d, d) {
        let error = libm::sqrt(squares[(i, k)]) / pairs.count[(i, k)];
        z[(i, k)] = if error > 0.0 {
            pairs.mean[(i, k)] / error
        } else {
            0.0
        };
    }
    EdgeScores::new(panel.variables().to_vec(), z)
}

fn square(sums: &mut Square, squares: &mut Square) {
    let d = sums.size();
    for (i, k) in row_by_row(d, d) {
        squares[(i, k)] += sums[(i, k)] * sums[(i, k)];
        sums[(i, k)] = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::data::Windows;
    use duress_core::seed::Seed;

    /// `b` follows `a` by one step; `c` is noise. All remember themselves.
    fn windows() -> Windows {
        let mut draws = Seed::new(2).draws();
        let mut values = Vec::new();
        for _ in 0..100 {
            let mut now = [draws.normal(), draws.normal(), draws.normal()];
            for _ in 0..20 {
                let mut noise = || draws.normal();
                now = [
                    0.7 * now[0] + noise(),
                    0.7 * now[1] + 0.6 * now[0] + noise(),
                    0.7 * now[2] + noise(),
                ];
                values.extend(now);
            }
        }
        let names = ["a", "b", "c"].map(String::from).to_vec();
        Windows::new(names, 20, (0..100).map(|w| w % 2).collect(), values).unwrap()
    }

    #[test]
    fn the_direction_in_which_time_runs_correlates_more() {
        let scores = correlate(
            &StandardisedPanel::new(&windows()).unwrap(),
            PairedSteps::Lagged,
        )
        .unwrap();
        assert!(scores.score(0, 1) > scores.score(1, 0) && scores.score(1, 0) > 5.0);
        assert!(
            [(0, 2), (2, 0), (1, 2), (2, 1)]
                .iter()
                .all(|&(i, k)| scores.score(i, k).abs() < 3.5)
        );
    }

    #[test]
    fn within_a_step_there_is_no_direction() {
        let scores = correlate(
            &StandardisedPanel::new(&windows()).unwrap(),
            PairedSteps::Same,
        )
        .unwrap();
        assert!((scores.score(0, 1) - scores.score(1, 0)).abs() < 1e-9);
    }
}
