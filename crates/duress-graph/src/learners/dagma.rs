//! DAGMA: a linear model by least squares with a penalty on weights, led to a graph without cycles
//! along a central path of log-determinants (Bello, Aragam and Ravikumar, NeurIPS 2022).

use duress_core::subject::Failure;

use crate::learners::acyclic::log_det;
use crate::learners::descent::{Stop, descend};
use crate::learners::least_squares;
use crate::matrix::Square;

/// How much the data weigh against cycles, and how large weights may be, at each stage of the path:
/// the authors' numbers.
const PATH: [(f64, f64); 5] = [
    (1.0, 1.0),
    (1e-1, 0.9),
    (1e-2, 0.8),
    (1e-3, 0.7),
    (1e-4, 0.6),
];

/// When the weights of one stage lie outside the next one's cone, that cone is widened by this much
/// until they do not.
const WIDER: f64 = 0.1;

/// Each stage stops when a step lowers what the data say by less than this, or as its slope
/// vanishes: both shrink with the weight that the data have.
const STOP: Stop = Stop {
    steps: 5_000,
    decrease: 1e-7,
    slope: 1e-5,
};

/// The weights of a graph over all variables of `moments`, target × source; `penalty` is per
/// weight, infinite where there may be no edge.
pub fn fit(moments: &Square, penalty: &[f64]) -> Result<Square, Failure> {
    let d = moments.size();
    let mut weights = vec![0.0; d * d];
    let mut slopes = vec![0.0; d * d];
    for (share, mut cone) in PATH {
        while log_det(&weights, d, cone, &mut slopes).is_none() {
            cone += WIDER;
        }
        let penalty: Vec<f64> = penalty.iter().map(|penalty| share * penalty).collect();
        let stop = Stop {
            decrease: share * STOP.decrease,
            slope: share * STOP.slope,
            ..STOP
        };
        let done = descend(&mut weights, &penalty, stop, |weights, gradient| {
            let cycles = log_det(weights, d, cone, &mut slopes)?;
            let error = least_squares::error(moments, weights, d, gradient);
            gradient
                .iter_mut()
                .zip(&slopes)
                .for_each(|(gradient, slope)| *gradient = share * *gradient + slope);
            Some(share * error + cycles)
        });
        done.filter(|value| value.is_finite())
            .ok_or_else(|| Failure::unable("the descent left the range of numbers"))?;
    }
    Ok(Square::from_cells(d, weights))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learners::notears::penalties;
    use crate::matrix::row_by_row;
    use duress_core::seed::Seed;

    #[test]
    fn a_linear_model_with_even_noise_is_recovered_with_its_weights() {
        let edges = [
            (0, 1, 1.2),
            (0, 2, -0.9),
            (1, 3, 1.0),
            (2, 3, 0.8),
            (3, 4, -1.1),
        ];
        let mut draws = Seed::new(5).draws();
        let mut moments = Square::zeros(5);
        for _ in 0..4000 {
            let mut x: Vec<f64> = (0..5).map(|_| draws.normal()).collect();
            edges
                .iter()
                .for_each(|&(from, to, weight)| x[to] += weight * x[from]);
            (0..5).for_each(|i| crate::matrix::add_times(moments.row_mut(i), x[i] / 4000.0, &x));
        }
        let found = fit(&moments, &penalties(5, 0.02)).unwrap();
        for (to, from) in row_by_row(5, 5) {
            let expected = edges
                .iter()
                .find(|(a, b, _)| (*a, *b) == (from, to))
                .map_or(0.0, |edge| edge.2);
            assert!(
                (found[(to, from)] - expected).abs() < 0.1,
                "{from} → {to}: {}",
                found[(to, from)]
            );
        }
        assert_eq!(
            fit(&Square::identity(1), &penalties(1, 0.1)).unwrap(),
            Square::zeros(1)
        );
    }
}
