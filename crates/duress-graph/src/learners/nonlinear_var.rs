//! A nonlinear vector autoregression: each variable on a small basis of every variable one step
//! before.
//!
//! The basis are the first four Hermite polynomials of a value drawn in to ±3 standard deviations,
//! so that one outlier does not outweigh a thousand values. Whether a variable matters is asked of
//! its four coefficients together (Wald), so an effect whose line is flat is seen by its bend.

use duress_core::subject::Failure;
use duress_stats::dist::{ChiSquared, Normal};

use crate::learners::regression::Regression;
use crate::matrix::{Square, dot};
use crate::panel::StandardisedPanel;
use crate::rows::WeightedRows;
use crate::select::EdgeScores;

/// How many functions of each variable there are.
pub const BASIS: usize = 4;

/// Values are drawn in to this many standard deviations.
const REACH: f64 = 3.0;

/// How far the four coefficients of each variable one step ago (row) in each variable now (column)
/// are from zero, as the |z| of the same two-sided p.
pub fn regress(panel: &StandardisedPanel) -> Result<EdgeScores, Failure> {
    let (before, now) = panel.before_and_now()?;
    let bent = hermite_basis(&before);
    let regression = Regression::new(&bent, &now)?;
    let d = panel.variables().len();
    let mut z = Square::zeros(d);
    for to in 0..d {
        for (from, (value, covariance)) in regression.blocks(to, BASIS).into_iter().enumerate() {
            z[(from, to)] = chi_squared_as_z(wald_statistic(&value, &covariance))?;
        }
    }
    EdgeScores::new(panel.variables().to_vec(), z)
}

/// The basis of every column, each function with mean 0 and variance 1 over what was observed.
pub(crate) fn hermite_basis(rows: &WeightedRows) -> WeightedRows {
    let columns = rows
        .columns()
        .iter()
        .flat_map(|name| std::iter::repeat_n(name.clone(), BASIS))
        .collect();
    let mut sums = vec![0.0; rows.width() * BASIS];
    let mut squares = vec![0.0; rows.width() * BASIS];
    let mut counts = vec![0.0; rows.width()];
    for i in 0..rows.len() {
        let row = rows.row(i);
        for k in (0..rows.width()).filter(|&k| row.weights[k] > 0.0) {
            counts[k] += 1.0;
            for (m, value) in hermite(row.values[k]).into_iter().enumerate() {
                sums[k * BASIS + m] += value;
                squares[k * BASIS + m] += value * value;
            }
        }
    }
    let scale = |at: usize| {
        let n = counts[at / BASIS];
        let mean = sums[at] / n;
        let variance = squares[at] / n - (sums[at] / n) * (sums[at] / n);
        // A function that is the same for all values, as the square of ±1, says nothing and is left
        // at 0.
        (
            mean,
            if variance > 1e-12 {
                1.0 / libm::sqrt(variance)
            } else {
                0.0
            },
        )
    };
    let scales: Vec<(f64, f64)> = (0..sums.len()).map(scale).collect();
    let mut bent = WeightedRows::empty(columns, rows.windows());
    for i in 0..rows.len() {
        let row = rows.row(i);
        let cells = (0..rows.width()).flat_map(|k| {
            let scales = &scales[k * BASIS..];
            let values = hermite(row.values[k]);
            let seen = row.weights[k];
            (0..BASIS).map(move |m| (seen * (values[m] - scales[m].0) * scales[m].1, seen))
        });
        bent.push(rows.window(i), cells);
    }
    bent
}

/// The first four Hermite polynomials after the constant.
fn hermite(x: f64) -> [f64; BASIS] {
    let x = x.clamp(-REACH, REACH);
    let square = x * x;
    [
        x,
        square - 1.0,
        x * (square - 3.0),
        square * (square - 6.0) + 3.0,
    ]
}

/// How far values are from zero, squared, in units of their covariance; 0 when that is degenerate.
pub(crate) fn wald_statistic(value: &[f64], covariance: &Square) -> f64 {
    let largest = (0..value.len())
        .map(|i| covariance[(i, i)])
        .fold(0.0, f64::max);
    if largest <= 0.0 {
        return 0.0;
    }
    let mut scaled = covariance.clone();
    (0..value.len()).for_each(|i| {
        scaled
            .row_mut(i)
            .iter_mut()
            .for_each(|cell| *cell /= largest)
    });
    let inverse = scaled.plus_diagonal(1e-8).inverse();
    inverse.map_or(0.0, |inverse| {
        (dot(value, &inverse.times(value)) / largest).max(0.0)
    })
}

/// The |z| whose two-sided p is that of a χ² with as many degrees of freedom as the basis has
/// functions.
pub(crate) fn chi_squared_as_z(chi_squared: f64) -> Result<f64, Failure> {
    const SMALLEST: f64 = 1e-280;
    let impossible = |why: duress_stats::UndefinedReason| Failure::unable(why.to_string());
    let p = ChiSquared::new(BASIS as f64)
        .map_err(impossible)?
        .sf(chi_squared);
    if p > SMALLEST {
        return Normal.upper_quantile(p / 2.0).map_err(impossible);
    }
    // Beyond the smallest p a number can hold, in logarithms: p = e^(−χ²/2) (1 + χ²/2) for four
    // degrees of freedom, set equal to the tail of the normal, 2 φ(z) (1/z − 1/z³ + 3/z⁵), and
    // solved for z by repeating.
    let log_p = -0.5 * chi_squared + libm::log1p(0.5 * chi_squared);
    let mut z = libm::sqrt(-2.0 * log_p);
    for _ in 0..30 {
        let rest = libm::log(std::f64::consts::FRAC_2_PI) - 2.0 * libm::log(z);
        let tail = 2.0 * libm::log1p((3.0 / (z * z) - 1.0) / (z * z));
        z = libm::sqrt(rest + tail - 2.0 * log_p);
    }
    Ok(z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::data::Windows;
    use duress_core::seed::Seed;

    /// `b` follows the square of `a`; `c` is noise.
    fn windows() -> Windows {
        let mut draws = Seed::new(2).draws();
        let mut values = Vec::new();
        for _ in 0..120 {
            let mut a = draws.normal();
            for _ in 0..20 {
                let b = 0.4 * (a * a - 1.0) + draws.normal();
                a = 0.3 * a + draws.normal();
                values.extend([a, b, draws.normal()]);
            }
        }
        Windows::new(
            ["a", "b", "c"].map(String::from).to_vec(),
            20,
            vec![0; 120],
            values,
        )
        .unwrap()
    }

    #[test]
    fn an_effect_whose_line_is_flat_is_seen_by_its_bend() {
        let panel = StandardisedPanel::new(&windows()).unwrap();
        let bent = regress(&panel).unwrap();
        let straight = crate::learners::lagged_regression::regress(&panel).unwrap();
        assert!(bent.score(0, 1) > 10.0 && straight.score(0, 1).abs() < 5.0);
        assert!(
            [(1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
                .iter()
                .all(|&(i, k)| bent.score(i, k) < 4.0)
        );
    }

    #[test]
    fn hidden_values_are_left_out() {
        let mut hidden = windows();
        let mut draws = Seed::new(9).draws();
        for (w, t, v) in
            (0..120).flat_map(|w| (0..20).flat_map(move |t| (0..3).map(move |v| (w, t, v))))
        {
            if draws.chance(0.4) {
                hidden.hide(w, t, v);
            }
        }
        let scores = regress(&StandardisedPanel::new(&hidden).unwrap()).unwrap();
        assert!(
            scores.score(0, 1) > 6.0 && scores.score(1, 0) < 4.0,
            "{} {}",
            scores.score(0, 1),
            scores.score(1, 0)
        );
    }

    #[test]
    fn z_grows_with_the_statistic_also_where_p_is_no_number_any_more() {
        let z: Vec<f64> = (0..400)
            .map(|i| chi_squared_as_z(f64::from(i) * 10.0).unwrap())
            .collect();
        assert!(z.windows(2).all(|pair| pair[0] < pair[1]));
        // The median of χ² with four degrees of freedom has p one half.
        assert!(
            (chi_squared_as_z(3.356_693_980_033_321).unwrap() - 0.674_489_750_196).abs() < 1e-9
        );
    }
}
