//! Least squares of a linear model from moments: what NOTEARS, DAGMA and DYNOTEARS all minimise.

use crate::matrix::{Square, add_times, dot};

/// Half the mean squared error of the first `targets` variables given all, and its gradient.
///
/// `weights` has a row per target with the weight of every variable in it; only the moments of the
/// data are needed, so the cost does not grow with their number.
pub fn error(moments: &Square, weights: &[f64], targets: usize, gradient: &mut [f64]) -> f64 {
    let p = moments.size();
    assert_eq!(
        (weights.len(), gradient.len()),
        (targets * p, targets * p),
        "a weight per pair"
    );
    let mut twice = 0.0;
    for (j, (row, slope)) in weights.chunks(p).zip(gradient.chunks_mut(p)).enumerate() {
        slope
            .iter_mut()
            .zip(moments.row(j))
            .for_each(|(slope, moment)| *slope = -moment);
        for (k, &weight) in row.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
            add_times(slope, weight, moments.row(k));
        }
        twice += moments[(j, j)] + dot(row, slope) - dot(row, moments.row(j));
    }
    0.5 * twice
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::seed::Seed;

    #[test]
    fn the_error_is_that_of_the_rows_and_its_gradient_that_of_finite_differences() {
        let mut draws = Seed::new(1).draws();
        let rows: Vec<[f64; 4]> = (0..50)
            .map(|_| std::array::from_fn(|_| draws.normal()))
            .collect();
        let mut moments = Square::zeros(4);
        for row in &rows {
            (0..4).for_each(|i| add_times(moments.row_mut(i), row[i] / 50.0, row));
        }
        let weights: Vec<f64> = (0..8)
            .map(|at| if at % 3 == 0 { 0.0 } else { draws.normal() })
            .collect();
        let value = |weights: &[f64]| error(&moments, weights, 2, &mut [0.0; 8]);
        let rest = |row: &[f64; 4], j: usize| (row[j] - dot(&weights[j * 4..][..4], row)).powi(2);
        let expected: f64 = rows
            .iter()
            .map(|row| 0.5 * (rest(row, 0) + rest(row, 1)) / 50.0)
            .sum();
        assert!((value(&weights) - expected).abs() < 1e-12);
        let mut gradient = [0.0; 8];
        error(&moments, &weights, 2, &mut gradient);
        for (at, found) in gradient.into_iter().enumerate() {
            let moved = |by: f64| {
                (0..8)
                    .map(|i| weights[i] + if i == at { by } else { 0.0 })
                    .collect::<Vec<_>>()
            };
            let slope = (value(&moved(1e-5)) - value(&moved(-1e-5))) / 2e-5;
            assert!((slope - found).abs() < 1e-8);
        }
    }
}
