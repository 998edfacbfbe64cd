//! Regression of targets on sources over what was observed, with standard errors that do not trust
//! neighbours in time.
//!
//! Coefficients come from moments over observed pairs, so a row with a hidden value still counts
//! for what it shows. Their standard errors are those of that estimator, not of least squares on
//! complete rows: the influence of every row on a coefficient is summed by window and squared
//! (Liang and Zeger, *Biometrika* 73 (1986) 13–22), which stays right when the noise is not even
//! and when moments over different pairs do not cancel. Right as long as what is hidden is hidden
//! at random.

use duress_core::subject::Failure;

use crate::matrix::{Matrix, Square, dot, row_by_row};
use crate::rows::{PairwiseMeans, WeightedRows};

/// Below this many windows per source, sums by window are too few to be squared, and single rows
/// are taken instead.
const WINDOWS_PER_SOURCE: usize = 4;

/// Fewer rows per source than this make a regression that fits anything.
const ROWS_PER_SOURCE: usize = 2;

/// Every target on all sources, row beside row.
pub(crate) struct Regression<'a> {
    sources: &'a WeightedRows,
    targets: &'a WeightedRows,
    same: PairwiseMeans,
    heard: PairwiseMeans,
    inverse: Square,
    /// Nothing is hidden and nothing was mended, so the influence of a row is its residual times
    /// its sources.
    plain: bool,
}

impl<'a> Regression<'a> {
    pub(crate) fn new(
        sources: &'a WeightedRows,
        targets: &'a WeightedRows,
    ) -> Result<Regression<'a>, Failure> {
        if sources.len() < ROWS_PER_SOURCE * sources.width() {
            return Err(Failure::unable(format!(
                "{} steps are too few to tell {} variables apart",
                sources.len(),
                sources.width()
            )));
        }
        let same = sources.moments(sources)?;
        let heard = sources.moments(targets)?;
        let moments = same.mean.clone().into_square();
        let steady = moments
            .steady()
            .and_then(|steady| Some((steady.inverse()?, steady == moments)));
        let (inverse, unmended) = steady.ok_or_else(|| {
            Failure::unable("the variables cannot be told apart: their moments have no inverse")
        })?;
        let plain = unmended && sources.is_complete() && targets.is_complete();
        Ok(Regression {
            sources,
            targets,
            same,
            heard,
            inverse,
            plain,
        })
    }

    /// The coefficient of each source in `target`.
    pub(crate) fn coefficients(&self, target: usize) -> Vec<f64> {
        self.inverse.times(&self.heard.mean.column(target))
    }

    /// The coefficients in `target`, and the covariances of each `size` neighbouring ones, block
    /// after block.
    pub(crate) fn blocks(&self, target: usize, size: usize) -> Vec<(Vec<f64>, Square)> {
        let coefficients = self.coefficients(target);
        let mut pull = Pull::new(self, target, &coefficients);
        let mut squares = vec![Square::zeros(size); coefficients.len() / size];
        let by_window = self.sources.windows() >= WINDOWS_PER_SOURCE * self.sources.width();
        let mut group = None;
        for i in 0..self.sources.len() {
            let window = self.sources.window(i);
            if !by_window || group != Some(window) {
                pull.square(&mut squares);
                group = Some(window);
            }
            pull.add(i);
        }
        pull.square(&mut squares);
        coefficients
            .chunks(size)
            .map(<[f64]>::to_vec)
            .zip(squares)
            .collect()
    }

    /// Each coefficient in `target`, in standard errors.
    pub(crate) fn z_scores(&self, target: usize) -> Vec<f64> {
        let in_errors = |(value, variance): (Vec<f64>, Square)| {
            let error = libm::sqrt(variance[(0, 0)]);
            if error > 0.0 { value[0] / error } else { 0.0 }
        };
        self.blocks(target, 1).into_iter().map(in_errors).collect()
    }
}

/// How far rows pull the moment conditions of one target away from zero.
struct Pull<'a> {
    of: &'a Regression<'a>,
    target: usize,
    coefficients: Vec<f64>,
    /// coefficient / count, and moment · coefficient / count, per pair of sources.
    slopes: Matrix,
    levels: Matrix,
    sums: Vec<f64>,
}

impl<'a> Pull<'a> {
    fn new(of: &'a Regression<'a>, target: usize, coefficients: &[f64]) -> Pull<'a> {
        let p = coefficients.len();
        let mut slopes = Matrix::zeros(p, p);
        let mut levels = Matrix::zeros(p, p);
        for (i, k) in row_by_row(p, p) {
            slopes[(i, k)] = coefficients[k] / of.same.count[(i, k)];
            levels[(i, k)] = slopes[(i, k)] * of.same.mean[(i, k)];
        }
        Pull {
            of,
            target,
            coefficients: coefficients.to_vec(),
            slopes,
            levels,
            sums: vec![0.0; p],
        }
    }

    fn add(&mut self, row: usize) {
        let from = self.of.sources.row(row);
        let to = self.of.targets.row(row);
        let x = from.values;
        let seen = from.weights;
        let y = to.values[self.target];
        let y_seen = to.weights[self.target];
        if self.of.plain {
            let share = 1.0 / self.of.sources.len() as f64;
            let rest = share * (y - dot(x, &self.coefficients));
            self.sums
                .iter_mut()
                .zip(x)
                .for_each(|(sum, x)| *sum += rest * x);
            return;
        }
        for i in (0..self.sums.len()).filter(|&i| seen[i] > 0.0) {
            let at = (i, self.target);
            let mut pull = y_seen * (x[i] * y - self.of.heard.mean[at]) / self.of.heard.count[at];
            let slopes = self.slopes.row(i);
            let levels = self.levels.row(i);
            for k in 0..self.sums.len() {
                pull -= x[i] * x[k] * slopes[k] - seen[k] * levels[k];
            }
            self.sums[i] += pull;
        }
    }

    fn square(&mut self, squares: &mut [Square]) {
        let moved = self.of.inverse.times(&self.sums);
        let size = moved.len() / squares.len();
        for (square, moved) in squares.iter_mut().zip(moved.chunks(size)) {
            for (i, a) in moved.iter().enumerate() {
                square
                    .row_mut(i)
                    .iter_mut()
                    .zip(moved)
                    .for_each(|(sum, b)| *sum += a * b);
            }
        }
        self.sums.fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::seed::Seed;

    /// A target that is a known mixture of three sources, with some cells hidden.
    fn rows(hidden: f64, seed: u64) -> (WeightedRows, WeightedRows) {
        let mut draws = Seed::new(seed).draws();
        let names = |n: usize| (0..n).map(|i| format!("x{i}")).collect::<Vec<_>>();
        let (mut sources, mut targets) = (
            WeightedRows::empty(names(3), 200),
            WeightedRows::empty(names(1), 200),
        );
        for row in 0..4000 {
            let x = [draws.normal(), draws.normal(), draws.normal()];
            let y = 0.5 * x[0] - 0.2 * x[1] + draws.normal();
            let mut cell = |x: f64| {
                if draws.chance(hidden) {
                    (0.0, 0.0)
                } else {
                    (x, 1.0)
                }
            };
            sources.push(row / 20, x.map(&mut cell));
            targets.push(row / 20, [cell(y)]);
        }
        (sources, targets)
    }

    #[test]
    fn without_missing_values_the_coefficients_are_those_of_least_squares() {
        let (sources, targets) = rows(0.0, 1);
        let found = Regression::new(&sources, &targets).unwrap().coefficients(0);
        for k in 0..3 {
            let rest = |i: usize| targets.row(i).values[0] - dot(sources.row(i).values, &found);
            let slope: f64 = (0..4000).map(|i| rest(i) * sources.row(i).values[k]).sum();
            assert!(
                slope.abs() < 1e-8,
                "residuals and sources are orthogonal: {slope}"
            );
        }
    }

    #[test]
    fn the_short_way_of_complete_rows_is_the_long_way() {
        let (sources, targets) = rows(0.0, 2);
        let short = Regression::new(&sources, &targets).unwrap();
        assert!(short.plain);
        let long = Regression {
            plain: false,
            ..Regression::new(&sources, &targets).unwrap()
        };
        for (a, b) in short.z_scores(0).into_iter().zip(long.z_scores(0)) {
            assert!((a - b).abs() < 1e-8 * (1.0 + a.abs()), "{a} {b}");
        }
    }

    #[test]
    fn blocks_hold_the_variances_that_single_coefficients_have() {
        let (sources, targets) = rows(0.3, 3);
        let regression = Regression::new(&sources, &targets).unwrap();
        let (value, covariance) = &regression.blocks(0, 3)[0];
        for (i, z) in regression.z_scores(0).into_iter().enumerate() {
            assert!((value[i] / libm::sqrt(covariance[(i, i)]) - z).abs() < 1e-9);
        }
        assert!(
            (value[0] - 0.5).abs() < 0.1 && (value[1] + 0.2).abs() < 0.1,
            "{value:?}"
        );
    }
}
