//! A nonlinear autoregression on filtered states: each variable on a small basis of what a Kalman
//! filter knows of every variable one step before.
//!
//! A linear model of hidden states ([`em_kalman`](crate::learners::em_kalman)), two rounds of EM from
//! a noise-corrected guess, gives every step a mean and a variance, seen or not. What is regressed on
//! is what a function of the state is *expected* to be under them: such a regressor is blurred by
//! missing values and noise, and its coefficient is not. The filter, not the smoother: a state that
//! has looked ahead has seen its effect and passes for its cause.

use duress_core::subject::Failure;

use crate::learners::em_kalman::StateSpaceModel;
use crate::learners::nonlinear_var::{chi_squared_as_z, wald_statistic};
use crate::learners::regression::Regression;
use crate::matrix::Square;
use crate::panel::StandardisedPanel;
use crate::rows::WeightedRows;
use crate::select::EdgeScores;

/// How many functions of each variable there are. Four, as `nonlinear-var` has: its Wald statistic
/// is read with as many degrees of freedom.
const BASIS: usize = 4;

/// EM is slow at the end and most of its gain comes first.
const ROUNDS: usize = 2;

/// How far the four coefficients of each filtered variable one step ago (row) in each variable now
/// (column) are from zero, as the |z| of the same two-sided p.
pub fn regress(panel: &StandardisedPanel) -> Result<EdgeScores, Failure> {
    let (_, now) = panel.before_and_now()?;
    let model = StateSpaceModel::first_rounds(panel, ROUNDS)?
        .pop()
        .unwrap_or_else(|| unreachable!("there is the guess at least"));
    let expected = expected_basis(&model, panel);
    let regression = Regression::new(&expected, &now)?;
    let d = panel.variables().len();
    let mut z = Square::zeros(d);
    for to in 0..d {
        for (from, (value, covariance)) in regression.blocks(to, BASIS).into_iter().enumerate() {
            z[(from, to)] = chi_squared_as_z(wald_statistic(&value, &covariance))?;
        }
    }
    EdgeScores::new(panel.variables().to_vec(), z)
}

/// What each function of each state but a window's last is expected to be, given what was seen up to
/// it; every column with mean 0 and variance 1.
fn expected_basis(model: &StateSpaceModel, panel: &StandardisedPanel) -> WeightedRows {
    let d = panel.variables().len();
    let mut cells: Vec<f64> = Vec::new();
    let mut windows = Vec::new();
    model.each_filtered(panel, |window, step, mean, spread| {
        if step + 1 < panel.steps() {
            windows.push(window);
            cells.extend((0..d).flat_map(|i| expected_hermite(mean[i], spread[(i, i)])));
        }
    });
    let width = d * BASIS;
    let n = windows.len() as f64;
    for column in 0..width {
        let values = || cells.iter().skip(column).step_by(width);
        let mean = values().sum::<f64>() / n;
        let variance = values().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        let scale = if variance > 1e-12 {
            1.0 / libm::sqrt(variance)
        } else {
            0.0
        };
        let column = cells.iter_mut().skip(column).step_by(width);
        column.for_each(|x| *x = (*x - mean) * scale);
    }
    let names = panel.variables().iter();
    let names = names.flat_map(|name| std::iter::repeat_n(name.clone(), BASIS));
    let mut rows = WeightedRows::empty(names.collect(), panel.windows());
    for (window, row) in windows.into_iter().zip(cells.chunks(width)) {
        rows.push(window, row.iter().map(|&x| (x, 1.0)));
    }
    rows
}

/// The expected Hermite polynomials of a normal with this mean and variance.
fn expected_hermite(mean: f64, variance: f64) -> [f64; BASIS] {
    // He_k of a sum of a number and a normal: the binomial theorem with the normal's moments.
    let gap = 1.0 - variance;
    let square = mean * mean;
    [
        mean,
        square - gap,
        mean * (square - 3.0 * gap),
        square * (square - 6.0 * gap) + 3.0 * gap * gap,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::data::Windows;
    use duress_core::seed::Seed;

    /// `b` follows the square of `a`, both are seen through noise and with gaps; `c` is for itself.
    fn windows() -> Windows {
        let mut draws = Seed::new(2).draws();
        let mut values = Vec::new();
        for _ in 0..200 {
            let mut a = draws.normal();
            let mut b = draws.normal();
            let mut c = draws.normal();
            for _ in 0..20 {
                let bend = 0.4 * (a * a - 1.0);
                (a, b, c) = (
                    0.7 * a + 0.7 * draws.normal(),
                    0.6 * b + bend + 0.5 * draws.normal(),
                    0.7 * c + 0.7 * draws.normal(),
                );
                values.extend([a, b, c].map(|x| x + 0.5 * draws.normal()));
            }
        }
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let mut windows = Windows::new(names, 20, vec![0; 200], values).unwrap();
        for (w, t, v) in
            (0..200).flat_map(|w| (0..20).flat_map(move |t| (0..3).map(move |v| (w, t, v))))
        {
            if draws.chance(0.5) {
                windows.hide(w, t, v);
            }
        }
        windows
    }

    #[test]
    fn a_bend_is_found_through_noise_and_gaps_where_the_plain_regression_is_weaker() {
        let panel = StandardisedPanel::new(&windows()).unwrap();
        let filtered = regress(&panel).unwrap();
        let plain = crate::learners::nonlinear_var::regress(&panel).unwrap();
        assert!(filtered.score(0, 1) > 1.2 * plain.score(0, 1));
        for (from, to) in [(1, 0), (0, 2), (2, 0), (1, 2), (2, 1)] {
            let score = filtered.score(from, to);
            assert!(score < 4.0, "{from} {to}: {score}");
        }
    }

    #[test]
    fn expected_polynomials_are_means_over_draws() {
        let mut draws = Seed::new(4).draws();
        let mean = 0.8;
        let variance = 0.3;
        let mut sums = [0.0; BASIS];
        for _ in 0..200_000 {
            let x = mean + libm::sqrt(variance) * draws.normal();
            let certain = expected_hermite(x, 0.0);
            (0..BASIS).for_each(|k| sums[k] += certain[k] / 200_000.0);
        }
        for (drawn, expected) in sums.into_iter().zip(expected_hermite(mean, variance)) {
            assert!((drawn - expected).abs() < 0.02, "{drawn} {expected}");
        }
    }
}
