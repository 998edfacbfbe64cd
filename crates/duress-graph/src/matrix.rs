//! Small dense matrices: as much linear algebra as a structure learner over tens of variables
//! needs.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// Every place of a table, row by row.
///
/// ```
/// use duress_graph::matrix::row_by_row;
/// assert!(row_by_row(1, 2).eq([(0, 0), (0, 1)]));
/// ```
pub fn row_by_row(rows: usize, columns: usize) -> impl Iterator<Item = (usize, usize)> + Clone {
    (0..rows).flat_map(move |row| (0..columns).map(move |column| (row, column)))
}

/// A square matrix, row by row.
///
/// ```
/// use duress_graph::matrix::Square;
/// let mut a = Square::zeros(2);
/// (a[(0, 0)], a[(0, 1)], a[(1, 0)], a[(1, 1)]) = (4.0, 2.0, 2.0, 3.0);
/// let inverse = a.inverse().unwrap();
/// assert!((inverse[(0, 0)] - 3.0 / 8.0).abs() < 1e-15);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Square {
    size: usize,
    cells: Vec<f64>,
}

/// The smallest pivot of a Cholesky decomposition that counts as positive, for matrices with a
/// diagonal near 1.
const SMALLEST_PIVOT: f64 = 1e-10;

impl Square {
    pub fn zeros(size: usize) -> Square {
        Square {
            size,
            cells: vec![0.0; size * size],
        }
    }

    /// These cells, row by row.
    ///
    /// # Panics
    /// When they are not `size` × `size`.
    pub fn from_cells(size: usize, cells: Vec<f64>) -> Square {
        assert_eq!(
            cells.len(),
            size * size,
            "a square has as many rows as columns"
        );
        Square { size, cells }
    }

    pub fn identity(size: usize) -> Square {
        let mut one = Square::zeros(size);
        (0..size).for_each(|i| one[(i, i)] = 1.0);
        one
    }

    /// Rows, and columns.
    pub fn size(&self) -> usize {
        self.size
    }

    pub fn cells(&self) -> &[f64] {
        &self.cells
    }

    pub fn row(&self, i: usize) -> &[f64] {
        &self.cells[i * self.size..(i + 1) * self.size]
    }

    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.cells[i * self.size..(i + 1) * self.size]
    }

    /// The rows and columns of these, in this order.
    pub fn select(&self, which: &[usize]) -> Square {
        let cells = which
            .iter()
            .flat_map(|&i| which.iter().map(move |&k| self[(i, k)]))
            .collect();
        Square {
            size: which.len(),
            cells,
        }
    }

    /// The same with `ridge` added to the diagonal.
    #[must_use]
    pub fn plus_diagonal(&self, ridge: f64) -> Square {
        let mut sum = self.clone();
        (0..self.size).for_each(|i| sum[(i, i)] += ridge);
        sum
    }

    pub fn times(&self, column: &[f64]) -> Vec<f64> {
        (0..self.size).map(|i| dot(self.row(i), column)).collect()
    }

    #[must_use]
    pub fn product(&self, other: &Square) -> Square {
        let mut product = Square::zeros(self.size);
        for i in 0..self.size {
            let out = &mut product.cells[i * self.size..(i + 1) * self.size];
            for (k, &x) in self.row(i).iter().enumerate().filter(|(_, x)| **x != 0.0) {
                add_times(out, x, other.row(k));
            }
        }
        product
    }

    #[must_use]
    pub fn transposed(&self) -> Square {
        let mut turned = Square::zeros(self.size);
        for (i, k) in row_by_row(self.size, self.size) {
            turned[(k, i)] = self[(i, k)];
        }
        turned
    }

    /// Every cell times a number.
    #[must_use]
    pub fn scaled(&self, by: f64) -> Square {
        Square {
            size: self.size,
            cells: self.cells.iter().map(|x| by * x).collect(),
        }
    }

    /// The lower triangle `L` of `L Lᵀ`, if the matrix is positive definite; only its lower
    /// triangle is read.
    pub fn cholesky(&self) -> Option<Square> {
        let mut lower = Square::zeros(self.size);
        for i in 0..self.size {
            for j in 0..=i {
                let rest = self[(i, j)] - dot(&lower.row(i)[..j], &lower.row(j)[..j]);
                lower[(i, j)] = if i == j {
                    if rest.is_nan() || rest <= SMALLEST_PIVOT {
                        return None;
                    }
                    libm::sqrt(rest)
                } else {
                    rest / lower[(j, j)]
                };
            }
        }
        Some(lower)
    }

    /// The inverse, if the matrix is symmetric and positive definite.
    pub fn inverse(&self) -> Option<Square> {
        let lower = self.cholesky()?;
        let mut inverse = Square::zeros(self.size);
        for column in 0..self.size {
            let mut unit = vec![0.0; self.size];
            unit[column] = 1.0;
            let solved = lower.solve_with_transpose(unit);
            (0..self.size).for_each(|row| inverse[(row, column)] = solved[row]);
        }
        Some(inverse)
    }

    /// The x of `A x = b`, if the matrix is positive definite; only its lower triangle is read.
    pub fn solve(&self, b: Vec<f64>) -> Option<Vec<f64>> {
        Some(self.cholesky()?.solve_with_transpose(b))
    }

    /// Moments over observed pairs as some data could have them: with as little added to the
    /// diagonal as takes every eigenvalue above 0.01, nearly. Moments taken over different pairs
    /// need not be those of any data.
    pub fn steady(&self) -> Option<Square> {
        const FIRST_RIDGE: f64 = 0.01;
        const LEAST_EIGENVALUE: f64 = 0.01;
        let ridges = std::iter::successors(Some(FIRST_RIDGE), |ridge| Some(2.0 * ridge)).take(12);
        std::iter::once(0.0)
            .chain(ridges)
            .find(|ridge| {
                self.plus_diagonal(ridge - LEAST_EIGENVALUE)
                    .cholesky()
                    .is_some()
            })
            .map(|ridge| self.plus_diagonal(ridge))
    }

    /// Solves `L Lᵀ x = b` for a lower triangle `L`.
    fn solve_with_transpose(&self, mut b: Vec<f64>) -> Vec<f64> {
        for i in 0..self.size {
            let rest = b[i] - dot(&self.row(i)[..i], &b[..i]);
            b[i] = rest / self[(i, i)];
        }
        for i in (0..self.size).rev() {
            let below: f64 = (i + 1..self.size).map(|k| self[(k, i)] * b[k]).sum();
            b[i] = (b[i] - below) / self[(i, i)];
        }
        b
    }
}

impl Index<(usize, usize)> for Square {
    type Output = f64;
    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.cells[row * self.size + column]
    }
}

impl IndexMut<(usize, usize)> for Square {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.cells[row * self.size + column]
    }
}

/// A matrix of any shape, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    columns: usize,
    cells: Vec<f64>,
}

impl Matrix {
    pub fn zeros(rows: usize, columns: usize) -> Matrix {
        Matrix {
            columns,
            cells: vec![0.0; rows * columns],
        }
    }

    pub fn cells(&self) -> &[f64] {
        &self.cells
    }

    pub fn row(&self, i: usize) -> &[f64] {
        &self.cells[i * self.columns..(i + 1) * self.columns]
    }

    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.cells[i * self.columns..(i + 1) * self.columns]
    }

    pub fn column(&self, k: usize) -> Vec<f64> {
        self.cells
            .iter()
            .skip(k)
            .step_by(self.columns)
            .copied()
            .collect()
    }

    /// The same as a square.
    ///
    /// # Panics
    /// When it is not one.
    pub fn into_square(self) -> Square {
        assert_eq!(
            self.columns * self.columns,
            self.cells.len(),
            "as many rows as columns"
        );
        Square {
            size: self.columns,
            cells: self.cells,
        }
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.cells[row * self.columns + column]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.cells[row * self.columns + column]
    }
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `y += a·x`.
pub fn add_times(y: &mut [f64], a: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::seed::Seed;

    fn random_positive(size: usize) -> Square {
        let mut draws = Seed::new(1).draws();
        let root: Vec<f64> = (0..size * size).map(|_| draws.normal()).collect();
        let mut product = Square::identity(size);
        for i in 0..size {
            for j in 0..size {
                product[(i, j)] += dot(&root[i * size..][..size], &root[j * size..][..size]);
            }
        }
        product
    }

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity() {
        let a = random_positive(9);
        let inverse = a.inverse().unwrap();
        for i in 0..9 {
            let column: Vec<f64> = (0..9).map(|row| inverse[(row, i)]).collect();
            let product = a.times(&column);
            for (row, value) in product.iter().enumerate() {
                assert!(
                    (value - f64::from(u8::from(row == i))).abs() < 1e-10,
                    "{row} {i} {value}"
                );
            }
        }
    }

    #[test]
    fn what_is_not_positive_definite_has_no_inverse() {
        let mut a = Square::identity(2);
        (a[(0, 1)], a[(1, 0)]) = (1.0, 1.0);
        assert!(a.inverse().is_none());
        (a[(0, 1)], a[(1, 0)]) = (f64::NAN, f64::NAN);
        assert!(a.inverse().is_none());
        assert!(a.plus_diagonal(1.0).cholesky().is_none());
    }

    #[test]
    fn moments_that_no_data_could_have_are_mended() {
        let mut impossible = Square::identity(3);
        for (i, k, r) in [(0, 1, 0.9), (1, 2, 0.9), (0, 2, -0.9)] {
            (impossible[(i, k)], impossible[(k, i)]) = (r, r);
        }
        assert!(impossible.inverse().is_none());
        assert!(impossible.steady().unwrap().inverse().is_some());
        assert_eq!(Square::identity(3).steady(), Some(Square::identity(3)));
    }
}
