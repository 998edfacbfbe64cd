//! How far a weighted graph is from having no cycle, as smooth functions of the weights, with their
//! gradients.
//!
//! Weights are held as `size` rows, the row of a variable holding what acts on it. Both functions
//! read the squares of the weights, which are zero exactly where there is no edge, and both skip
//! them there.

use crate::matrix::add_times;

/// Terms of the series below this, and squares of weights, are left out: a graph counts as free of
/// cycles at 1e-8.
const NEGLIGIBLE: f64 = 1e-14;

/// tr exp(W∘W) − d, whose value is 0 exactly where W has no cycle, and its gradient (Zheng et al.,
/// NeurIPS 2018).
///
/// Every term of the series is non-negative, so the plain sum loses nothing. Each product costs as
/// much as there are edges, and the nearer to a graph without cycles, the fewer terms there are: as
/// many as its longest path has edges, in the end.
pub fn exponential(weights: &[f64], size: usize, gradient: &mut [f64]) -> f64 {
    let sum = series(&squared_links(weights, size), size);
    for i in 0..size {
        for k in 0..size {
            gradient[i * size + k] = 2.0 * weights[i * size + k] * sum[k * size + i];
        }
    }
    (0..size).map(|i| sum[i * size + i] - 1.0).sum()
}

/// −log det(s·I − W∘W) + d·log s and its gradient; `None` outside the cone of M-matrices, where
/// there is no such value (Bello, Aragam and Ravikumar, NeurIPS 2022).
///
/// Elimination without exchange of rows: a matrix with no positive cell off its diagonal is an
/// M-matrix exactly when every pivot is positive.
pub fn log_det(weights: &[f64], size: usize, s: f64, gradient: &mut [f64]) -> Option<f64> {
    let mut inverse: Vec<f64> = weights.iter().map(|w| -w * w).collect();
    (0..size).for_each(|i| inverse[i * size + i] += s);
    let mut value = size as f64 * libm::log(s);
    let mut pivot_row = vec![0.0; size];
    for k in 0..size {
        let pivot = inverse[k * size + k];
        if pivot.is_nan() || pivot <= 0.0 {
            return None;
        }
        value -= libm::log(pivot);
        inverse[k * size + k] = 1.0;
        inverse[k * size..(k + 1) * size]
            .iter_mut()
            .for_each(|x| *x /= pivot);
        pivot_row.copy_from_slice(&inverse[k * size..(k + 1) * size]);
        for i in (0..size).filter(|&i| i != k) {
            let row = &mut inverse[i * size..(i + 1) * size];
            let factor = std::mem::take(&mut row[k]);
            if factor != 0.0 {
                add_times(row, -factor, &pivot_row);
            }
        }
    }
    for i in 0..size {
        for k in 0..size {
            gradient[i * size + k] = 2.0 * weights[i * size + k] * inverse[k * size + i];
        }
    }
    Some(value)
}

/// Per row, the columns with a weight that counts, and its square.
fn squared_links(weights: &[f64], size: usize) -> Vec<Vec<(usize, f64)>> {
    let squares = |row: &[f64]| {
        row.iter()
            .enumerate()
            .filter(|(_, w)| **w != 0.0)
            .map(|(k, w)| (k, w * w))
            .collect()
    };
    weights.chunks(size).map(squares).collect()
}

/// I + A + A²/2 + A³/6 + …, until a term is negligible or, by a weight too large, infinite.
fn series(links: &[Vec<(usize, f64)>], size: usize) -> Vec<f64> {
    let mut term = vec![0.0; size * size];
    let mut next = vec![0.0; size * size];
    (0..size).for_each(|i| term[i * size + i] = 1.0);
    let mut sum = term.clone();
    for k in 1.. {
        for (row, out) in links.iter().zip(next.chunks_mut(size)) {
            out.fill(0.0);
            add_rows(out, row, 1.0 / f64::from(k), &term);
        }
        std::mem::swap(&mut term, &mut next);
        let mut largest: f64 = 0.0;
        for (sum, term) in sum.iter_mut().zip(&term) {
            *sum += term;
            largest = largest.max(*term);
        }
        if !(NEGLIGIBLE..f64::INFINITY).contains(&largest) {
            break;
        }
    }
    sum
}

/// Adds `scale · x` times row `k` of `table` for each `(k, x)`, four at a time so that `out` is
/// read a quarter as often.
fn add_rows(out: &mut [f64], row: &[(usize, f64)], scale: f64, table: &[f64]) {
    let size = out.len();
    let of = |k: usize| &table[k * size..(k + 1) * size];
    let mut fours = row.chunks_exact(4);
    for four in &mut fours {
        let a = of(four[0].0);
        let b = of(four[1].0);
        let c = of(four[2].0);
        let d = of(four[3].0);
        let [wa, wb, wc, wd] = [0, 1, 2, 3].map(|i| scale * four[i].1);
        for (((out, a), (b, c)), d) in out.iter_mut().zip(a).zip(b.iter().zip(c)).zip(d) {
            *out += (wa * a + wb * b) + (wc * c + wd * d);
        }
    }
    for (k, x) in fours.remainder() {
        add_times(out, scale * x, of(*k));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::seed::Seed;

    fn random(size: usize, scale: f64, share: f64, seed: u64) -> Vec<f64> {
        let mut draws = Seed::new(seed).draws();
        (0..size * size)
            .map(|at| {
                if at / size == at % size || !draws.chance(share) {
                    0.0
                } else {
                    scale * draws.normal()
                }
            })
            .collect()
    }

    /// Largest difference between a gradient and central differences of the value, relative to the
    /// largest slope.
    fn off(weights: &[f64], mut of: impl FnMut(&[f64], &mut [f64]) -> f64) -> f64 {
        let mut gradient = vec![0.0; weights.len()];
        let mut unused = vec![0.0; weights.len()];
        of(weights, &mut gradient);
        let largest = gradient.iter().fold(1e-3_f64, |most, g| most.max(g.abs()));
        let mut worst: f64 = 0.0;
        for at in 0..weights.len() {
            let mut value = |by: f64| {
                let mut moved = weights.to_vec();
                moved[at] += by;
                of(&moved, &mut unused)
            };
            let slope = (value(1e-5) - value(-1e-5)) / 2e-5;
            worst = worst.max((slope - gradient[at]).abs() / largest);
        }
        worst
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        for (scale, share) in [(0.2, 1.0), (0.5, 0.3), (1.2, 0.8)] {
            let weights = random(7, scale, share, 3);
            assert!(off(&weights, |w, g| exponential(w, 7, g)) < 1e-7, "{scale}");
        }
        let weights = random(7, 0.2, 0.7, 5);
        assert!(off(&weights, |w, g| log_det(w, 7, 1.0, g).unwrap()) < 1e-7);
        assert!(off(&weights, |w, g| log_det(w, 7, 0.8, g).unwrap()) < 1e-7);
    }

    #[test]
    fn both_are_zero_exactly_where_there_is_no_cycle() {
        let mut acyclic = random(6, 2.0, 1.0, 1);
        (0..36)
            .filter(|at| at / 6 <= at % 6)
            .for_each(|at| acyclic[at] = 0.0);
        let mut gradient = vec![0.0; 36];
        assert!(exponential(&acyclic, 6, &mut gradient).abs() < 1e-9);
        assert!(log_det(&acyclic, 6, 1.0, &mut gradient).unwrap().abs() < 1e-12);
        acyclic[1] = 0.1;
        assert!(exponential(&acyclic, 6, &mut gradient) > 1e-4);
    }

    #[test]
    fn outside_the_cone_there_is_no_value() {
        let two_cycle = [0.0, 1.1, 1.1, 0.0];
        assert_eq!(log_det(&two_cycle, 2, 1.0, &mut [0.0; 4]), None);
        assert!(log_det(&two_cycle, 2, 2.0, &mut [0.0; 4]).is_some());
        assert_eq!(
            log_det(&[0.0, f64::NAN, 0.5, 0.0], 2, 1.0, &mut [0.0; 4]),
            None
        );
    }
}
