//! A tape: what was computed with matrices of f64, so that one number's slope with all of it can be
//! found by going back.
//!
//! For learners that need derivatives of expressions, not of networks. Sums have one order,
//! transcendental functions come from `libm`: the same inputs give the same bits on every platform.
//!
//! ```
//! use duress_nn::tape::{TapeMatrix, Tape};
//! let mut tape = Tape::new();
//! let w = tape.leaf(TapeMatrix::new(2, 1, vec![3.0, -1.0]));
//! let x = tape.leaf(TapeMatrix::new(1, 2, vec![0.5, 2.0]));
//! let y = tape.matmul(x, w);
//! let loss = tape.mul(y, y);
//! let slopes = tape.slopes(loss);
//! assert_eq!(tape.value(loss).values(), [0.25]);
//! assert_eq!(slopes.slope_of(w).values(), [-0.5, -2.0]);
//! ```

use std::fmt;
use std::ops::Range;

/// A dense matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct TapeMatrix {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

/// Something that is on a tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Var(usize);

/// What was computed, in order.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    entries: Vec<TapeEntry>,
}

/// How one number changes with everything on a tape.
#[derive(Clone, Debug)]
pub struct Slopes(Vec<TapeMatrix>);

/// A matrix that has no inverse, or none to working precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular;

#[derive(Clone, Debug)]
struct TapeEntry {
    value: TapeMatrix,
    made: TapeOperation,
}

#[derive(Clone, Debug)]
enum TapeOperation {
    Leaf,
    Matmul(Var, Var),
    Add(Var, Var),
    Sub(Var, Var),
    Mul(Var, Var),
    Scale(Var, f64),
    /// A function value by value, with its slopes there.
    Mapped(Var, Vec<f64>),
    Sum(Var),
    Transpose(Var),
    Slice(Var, Range<usize>, Range<usize>),
    /// A⁻¹B, with A⁻ᵀ.
    Solve(Var, Var, TapeMatrix),
    /// ln|det A|, with A⁻ᵀ.
    LogDet(Var, TapeMatrix),
}

impl TapeMatrix {
    /// A matrix of these values, row by row.
    ///
    /// # Panics
    /// When there are not rows × columns of them. Like all that is said of shapes here: a mismatch
    /// is a mistake in the caller.
    pub fn new(rows: usize, columns: usize, values: Vec<f64>) -> TapeMatrix {
        assert_eq!(rows * columns, values.len(), "{rows} × {columns} values");
        TapeMatrix {
            rows,
            columns,
            values,
        }
    }

    pub fn zeros(rows: usize, columns: usize) -> TapeMatrix {
        TapeMatrix::new(rows, columns, vec![0.0; rows * columns])
    }

    pub fn identity(side: usize) -> TapeMatrix {
        let mut identity = TapeMatrix::zeros(side, side);
        (0..side).for_each(|at| identity.values[at * side + at] = 1.0);
        identity
    }

    pub fn number(value: f64) -> TapeMatrix {
        TapeMatrix::new(1, 1, vec![value])
    }

    pub fn shape(&self) -> [usize; 2] {
        [self.rows, self.columns]
    }

    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    pub fn transposed(&self) -> TapeMatrix {
        let of = |at: usize| self.values[at % self.rows * self.columns + at / self.rows];
        TapeMatrix::new(
            self.columns,
            self.rows,
            (0..self.values.len()).map(of).collect(),
        )
    }

    pub fn times(&self, other: &TapeMatrix) -> TapeMatrix {
        assert_eq!(
            self.columns,
            other.rows,
            "{:?} times {:?}",
            self.shape(),
            other.shape()
        );
        let mut product = TapeMatrix::zeros(self.rows, other.columns);
        if self.columns == 0 || other.columns == 0 {
            return product;
        }
        let rows = product
            .values
            .chunks_exact_mut(other.columns)
            .zip(self.values.chunks_exact(self.columns));
        for (out, row) in rows {
            // Over the inner index first: the innermost loop then runs along rows of both, side by
            // side.
            for (&x, from) in row.iter().zip(other.values.chunks_exact(other.columns)) {
                out.iter_mut().zip(from).for_each(|(sum, y)| *sum += x * y);
            }
        }
        product
    }

    fn map(&self, f: impl Fn(f64) -> f64) -> TapeMatrix {
        TapeMatrix::new(
            self.rows,
            self.columns,
            self.values.iter().map(|&x| f(x)).collect(),
        )
    }

    /// Value by value with another of the same shape, or one whose single row, column or number is
    /// used throughout.
    fn zip(&self, other: &TapeMatrix, f: impl Fn(f64, f64) -> f64) -> TapeMatrix {
        let side = |a: usize, b: usize| {
            assert!(
                a == b || a == 1 || b == 1,
                "{:?} with {:?}",
                self.shape(),
                other.shape()
            );
            if a == 1 { b } else { a }
        };
        let rows = side(self.rows, other.rows);
        let columns = side(self.columns, other.columns);
        let values = (0..rows * columns).map(|at| {
            let row = at / columns;
            let column = at % columns;
            f(self.spread(row, column), other.spread(row, column))
        });
        TapeMatrix::new(rows, columns, values.collect())
    }

    fn spread(&self, row: usize, column: usize) -> f64 {
        let row = if self.rows == 1 { 0 } else { row };
        let column = if self.columns == 1 { 0 } else { column };
        self.values[row * self.columns + column]
    }

    /// The way back from a row, column or number that was used throughout: the sum over its uses.
    fn gathered(self, [rows, columns]: [usize; 2]) -> TapeMatrix {
        if self.shape() == [rows, columns] {
            return self;
        }
        let mut sums = TapeMatrix::zeros(rows, columns);
        for (at, value) in self.values.iter().enumerate() {
            let row = at / self.columns;
            let column = at % self.columns;
            let row = if rows == 1 { 0 } else { row };
            let column = if columns == 1 { 0 } else { column };
            sums.values[row * columns + column] += value;
        }
        sums
    }

    fn add(&mut self, other: &TapeMatrix) {
        self.values
            .iter_mut()
            .zip(&other.values)
            .for_each(|(sum, x)| *sum += x);
    }

    /// The inverse and the logarithm of the determinant's size, by elimination with the largest
    /// pivot of each column.
    pub fn inverse(&self) -> Result<(TapeMatrix, f64), Singular> {
        let n = self.rows;
        assert_eq!(n, self.columns, "only a square matrix can have an inverse");
        let (mut left, mut right, mut logarithm) =
            (self.values.clone(), TapeMatrix::identity(n).values, 0.0);
        let largest = left.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        // What rounding leaves where elimination should have left zero.
        let nothing = largest * n as f64 * f64::EPSILON;
        for at in 0..n {
            let size = |row: &usize| left[row * n + at].abs();
            let pivot = (at..n)
                .max_by(|a, b| size(a).total_cmp(&size(b)))
                .unwrap_or(at);
            let value = left[pivot * n + at];
            if value.is_nan() || value.abs() <= nothing {
                return Err(Singular);
            }
            logarithm += libm::log(value.abs());
            for side in [&mut left, &mut right] {
                (0..n).for_each(|column| side.swap(at * n + column, pivot * n + column));
                side[at * n..(at + 1) * n]
                    .iter_mut()
                    .for_each(|x| *x /= value);
            }
            for row in (0..n).filter(|&row| row != at) {
                let times = left[row * n + at];
                for side in [&mut left, &mut right] {
                    for column in 0..n {
                        side[row * n + column] -= times * side[at * n + column];
                    }
                }
            }
        }
        Ok((TapeMatrix::new(n, n, right), logarithm))
    }
}

impl Tape {
    pub fn new() -> Tape {
        Tape::default()
    }

    /// Forgets everything, to be used again.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// What something came to.
    pub fn value(&self, var: Var) -> &TapeMatrix {
        &self.entries[var.0].value
    }

    /// Something that was not computed here.
    pub fn leaf(&mut self, value: TapeMatrix) -> Var {
        self.push(value, TapeOperation::Leaf)
    }

    pub fn matmul(&mut self, a: Var, b: Var) -> Var {
        self.push(
            self.value(a).times(self.value(b)),
            TapeOperation::Matmul(a, b),
        )
    }

    /// The sum, value by value; a single row, column or number is used throughout.
    pub fn add(&mut self, a: Var, b: Var) -> Var {
        self.push(
            self.value(a).zip(self.value(b), |a, b| a + b),
            TapeOperation::Add(a, b),
        )
    }

    /// The difference, value by value, as for [`Tape::add`].
    pub fn sub(&mut self, a: Var, b: Var) -> Var {
        self.push(
            self.value(a).zip(self.value(b), |a, b| a - b),
            TapeOperation::Sub(a, b),
        )
    }

    /// The product, value by value, as for [`Tape::add`].
    pub fn mul(&mut self, a: Var, b: Var) -> Var {
        self.push(
            self.value(a).zip(self.value(b), |a, b| a * b),
            TapeOperation::Mul(a, b),
        )
    }

    pub fn scale(&mut self, a: Var, by: f64) -> Var {
        self.push(self.value(a).map(|x| x * by), TapeOperation::Scale(a, by))
    }

    /// Any function, value by value, with its derivative.
    pub fn map(&mut self, a: Var, f: impl Fn(f64) -> f64, slope: impl Fn(f64) -> f64) -> Var {
        let slopes = self.value(a).map(slope).values;
        self.push(self.value(a).map(f), TapeOperation::Mapped(a, slopes))
    }

    /// The hyperbolic tangent, value by value.
    pub fn tanh(&mut self, a: Var) -> Var {
        self.map(a, libm::tanh, |x| 1.0 - libm::tanh(x) * libm::tanh(x))
    }

    /// 1 / (1 + exp(−x)), value by value.
    pub fn sigmoid(&mut self, a: Var) -> Var {
        let sigmoid = |x: f64| 1.0 / (1.0 + libm::exp(-x));
        self.map(a, sigmoid, move |x| sigmoid(x) * (1.0 - sigmoid(x)))
    }

    pub fn exp(&mut self, a: Var) -> Var {
        self.map(a, libm::exp, libm::exp)
    }

    /// The natural logarithm, value by value.
    pub fn log(&mut self, a: Var) -> Var {
        self.map(a, libm::log, |x| 1.0 / x)
    }

    pub fn reciprocal(&mut self, a: Var) -> Var {
        self.map(a, |x| 1.0 / x, |x| -1.0 / (x * x))
    }

    pub fn sum(&mut self, a: Var) -> Var {
        self.push(
            TapeMatrix::number(self.value(a).values.iter().sum()),
            TapeOperation::Sum(a),
        )
    }

    pub fn transpose(&mut self, a: Var) -> Var {
        self.push(self.value(a).transposed(), TapeOperation::Transpose(a))
    }

    pub fn slice(&mut self, a: Var, rows: Range<usize>, columns: Range<usize>) -> Var {
        let from = self.value(a);
        assert!(
            rows.end <= from.rows && columns.end <= from.columns,
            "{rows:?} × {columns:?} of {:?}",
            from.shape()
        );
        let row = |row: usize| from.values[row * from.columns..][columns.clone()].to_vec();
        let values = rows.clone().flat_map(row).collect();
        self.push(
            TapeMatrix::new(rows.len(), columns.len(), values),
            TapeOperation::Slice(a, rows, columns),
        )
    }

    /// X where AX = B.
    pub fn solve(&mut self, a: Var, b: Var) -> Result<Var, Singular> {
        let (inverse, _) = self.value(a).inverse()?;
        let value = inverse.times(self.value(b));
        Ok(self.push(value, TapeOperation::Solve(a, b, inverse.transposed())))
    }

    /// The logarithm of the size of a determinant.
    pub fn log_det(&mut self, a: Var) -> Result<Var, Singular> {
        let (inverse, logarithm) = self.value(a).inverse()?;
        Ok(self.push(
            TapeMatrix::number(logarithm),
            TapeOperation::LogDet(a, inverse.transposed()),
        ))
    }

    /// How `of`, a single number, changes with everything on the tape.
    pub fn slopes(&self, of: Var) -> Slopes {
        assert_eq!(
            self.value(of).shape(),
            [1, 1],
            "only a single number has slopes"
        );
        let zeros = |entry: &TapeEntry| TapeMatrix::zeros(entry.value.rows, entry.value.columns);
        let mut slopes: Vec<TapeMatrix> = self.entries.iter().map(zeros).collect();
        slopes[of.0].values[0] = 1.0;
        for at in (0..=of.0).rev() {
            let above = std::mem::replace(&mut slopes[at], TapeMatrix::zeros(0, 0));
            if above.values.iter().any(|x| *x != 0.0) {
                self.propagate(at, &above, &mut slopes);
            }
            slopes[at] = above;
        }
        Slopes(slopes)
    }

    fn push(&mut self, value: TapeMatrix, made: TapeOperation) -> Var {
        self.entries.push(TapeEntry { value, made });
        Var(self.entries.len() - 1)
    }

    /// Adds to the slopes of what an entry was made from.
    fn propagate(&self, at: usize, above: &TapeMatrix, slopes: &mut [TapeMatrix]) {
        let mut give =
            |to: Var, slope: TapeMatrix| slopes[to.0].add(&slope.gathered(self.value(to).shape()));
        match &self.entries[at].made {
            TapeOperation::Leaf => {}
            TapeOperation::Matmul(a, b) => {
                give(*a, above.times(&self.value(*b).transposed()));
                give(*b, self.value(*a).transposed().times(above));
            }
            TapeOperation::Add(a, b) => {
                give(*a, above.clone());
                give(*b, above.clone());
            }
            TapeOperation::Sub(a, b) => {
                give(*a, above.clone());
                give(*b, above.map(|x| -x));
            }
            TapeOperation::Mul(a, b) => {
                give(*a, above.zip(self.value(*b), |above, b| above * b));
                give(*b, above.zip(self.value(*a), |above, a| above * a));
            }
            TapeOperation::Scale(a, by) => give(*a, above.map(|x| x * by)),
            TapeOperation::Mapped(a, slope) => {
                let values = above
                    .values
                    .iter()
                    .zip(slope)
                    .map(|(above, slope)| above * slope);
                give(
                    *a,
                    TapeMatrix::new(above.rows, above.columns, values.collect()),
                );
            }
            TapeOperation::Sum(a) => give(*a, self.value(*a).map(|_| above.values[0])),
            TapeOperation::Transpose(a) => give(*a, above.transposed()),
            TapeOperation::Slice(a, rows, columns) => {
                let mut whole = self.value(*a).map(|_| 0.0);
                for (row, from) in rows.clone().zip(above.values.chunks(columns.len().max(1))) {
                    whole.values[row * whole.columns..][columns.clone()].copy_from_slice(from);
                }
                give(*a, whole);
            }
            TapeOperation::Solve(a, b, inverse) => {
                let slope = inverse.times(above);
                let by = slope.times(&self.entries[at].value.transposed());
                give(*a, by.map(|x| -x));
                give(*b, slope);
            }
            TapeOperation::LogDet(a, inverse) => give(*a, inverse.map(|x| x * above.values[0])),
        }
    }
}

impl Slopes {
    /// How the number changes with something on the tape.
    pub fn slope_of(&self, var: Var) -> &TapeMatrix {
        &self.0[var.0]
    }
}

impl fmt::Display for Singular {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the matrix has no inverse")
    }
}

impl std::error::Error for Singular {}

#[cfg(test)]
mod tests {
    use duress_core::seed::Seed;

    use super::*;

    fn drawn(rows: usize, columns: usize, seed: u64) -> TapeMatrix {
        let mut draws = Seed::new(seed).draws();
        TapeMatrix::new(
            rows,
            columns,
            (0..rows * columns).map(|_| draws.normal()).collect(),
        )
    }

    /// Compares the slopes of an expression with finite differences, for every value of every leaf.
    fn check(leaves: &[TapeMatrix], expression: impl Fn(&mut Tape, &[Var]) -> Var) {
        let run = |leaves: &[TapeMatrix]| {
            let mut tape = Tape::new();
            let vars: Vec<Var> = leaves.iter().map(|leaf| tape.leaf(leaf.clone())).collect();
            let result = expression(&mut tape, &vars);
            // Projected on something without symmetry, so that no slope can hide.
            let [rows, columns] = tape.value(result).shape();
            let way = tape.leaf(drawn(rows, columns, 99));
            let along = tape.mul(result, way);
            let number = tape.sum(along);
            (tape.value(number).values()[0], tape.slopes(number), vars)
        };
        let (_, slopes, vars) = run(leaves);
        for (leaf, var) in vars.iter().enumerate() {
            for at in 0..leaves[leaf].values.len() {
                let moved = |by: f64| {
                    let mut moved = leaves.to_vec();
                    moved[leaf].values[at] += by;
                    run(&moved).0
                };
                let finite = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                let slope = slopes.slope_of(*var).values()[at];
                assert!(
                    (finite - slope).abs() < 1e-7 * (1.0 + finite.abs()),
                    "leaf {leaf}[{at}]: {finite} {slope}"
                );
            }
        }
    }

    #[test]
    fn slopes_are_those_of_finite_differences() {
        let a = drawn(3, 4, 1);
        let b = drawn(4, 2, 2);
        let c = drawn(3, 4, 3);
        check(&[a.clone(), b.clone()], |tape, v| tape.matmul(v[0], v[1]));
        check(&[a.clone(), c.clone()], |tape, v| tape.add(v[0], v[1]));
        check(&[a.clone(), c.clone()], |tape, v| tape.sub(v[0], v[1]));
        check(&[a.clone(), c.clone()], |tape, v| tape.mul(v[0], v[1]));
        for other in [drawn(1, 4, 4), drawn(3, 1, 5), drawn(1, 1, 6)] {
            check(&[a.clone(), other.clone()], |tape, v| tape.add(v[0], v[1]));
            check(&[other.clone(), a.clone()], |tape, v| tape.sub(v[0], v[1]));
            check(&[a.clone(), other], |tape, v| tape.mul(v[0], v[1]));
        }
        check(std::slice::from_ref(&a), |tape, v| tape.scale(v[0], -2.5));
        check(std::slice::from_ref(&a), |tape, v| tape.tanh(v[0]));
        check(std::slice::from_ref(&a), |tape, v| tape.sigmoid(v[0]));
        check(std::slice::from_ref(&a), |tape, v| tape.exp(v[0]));
        check(&[a.map(|x| x.abs() + 0.5)], |tape, v| tape.log(v[0]));
        check(&[a.map(|x| x.abs() + 0.5)], |tape, v| tape.reciprocal(v[0]));
        check(std::slice::from_ref(&a), |tape, v| tape.sum(v[0]));
        check(std::slice::from_ref(&a), |tape, v| tape.transpose(v[0]));
        check(std::slice::from_ref(&a), |tape, v| {
            tape.slice(v[0], 1..3, 0..2)
        });
        check(&[drawn(4, 4, 7), b], |tape, v| {
            tape.solve(v[0], v[1]).unwrap()
        });
        check(&[drawn(4, 4, 8)], |tape, v| tape.log_det(v[0]).unwrap());
    }

    /// What DAGMA minimises, and a layer with its input used twice: uses of one value add up.
    #[test]
    fn slopes_of_expressions_are_those_of_finite_differences() {
        check(
            &[drawn(4, 4, 1).map(|x| 0.3 * x), drawn(6, 4, 2)],
            |tape, v| {
                let squares = tape.mul(v[0], v[0]);
                let identity = tape.leaf(TapeMatrix::identity(4).map(|x| 2.0 * x));
                let inside = tape.sub(identity, squares);
                let barrier = tape.log_det(inside).unwrap();
                let explained = tape.matmul(v[1], v[0]);
                let residual = tape.sub(v[1], explained);
                let squared = tape.mul(residual, residual);
                let fit = tape.sum(squared);
                tape.sub(fit, barrier)
            },
        );
        check(&[drawn(3, 3, 3), drawn(1, 3, 4)], |tape, v| {
            let sum = tape.matmul(v[0], v[0]);
            let shifted = tape.add(sum, v[1]);
            let bent = tape.tanh(shifted);
            tape.mul(bent, v[0])
        });
    }

    #[test]
    fn solving_and_determinants_are_right() {
        let a = TapeMatrix::new(2, 2, vec![0.0, 2.0, 3.0, 1.0]);
        let (inverse, logarithm) = a.inverse().unwrap();
        assert!((logarithm - libm::log(6.0)).abs() < 1e-15);
        let product = a.times(&inverse);
        assert!(
            product
                .values()
                .iter()
                .zip(TapeMatrix::identity(2).values())
                .all(|(a, b)| (a - b).abs() < 1e-15)
        );
        let singular = TapeMatrix::new(2, 2, vec![1.0, 2.0, 2.0, 4.0]);
        assert_eq!(singular.inverse(), Err(Singular));
        let thirds = TapeMatrix::new(3, 3, vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
        assert_eq!(
            thirds.inverse(),
            Err(Singular),
            "rounding leaves a pivot of 1e-17"
        );
        let mut tape = Tape::new();
        let var = tape.leaf(singular);
        assert_eq!(tape.log_det(var), Err(Singular));
    }

    #[test]
    fn what_a_number_does_not_depend_on_has_no_slope() {
        let mut tape = Tape::new();
        let a = tape.leaf(drawn(2, 2, 1));
        let b = tape.leaf(drawn(2, 2, 2));
        let sum = tape.sum(a);
        let later = tape.matmul(a, b);
        let slopes = tape.slopes(sum);
        assert_eq!(slopes.slope_of(b), &TapeMatrix::zeros(2, 2));
        assert_eq!(slopes.slope_of(later), &TapeMatrix::zeros(2, 2));
        assert_eq!(slopes.slope_of(a).values(), [1.0; 4]);
    }

    #[test]
    #[should_panic(expected = "[2, 3] times [2, 3]")]
    fn shapes_that_do_not_fit_are_a_mistake_that_is_named() {
        let mut tape = Tape::new();
        let a = tape.leaf(drawn(2, 3, 1));
        tape.matmul(a, a);
    }
}
