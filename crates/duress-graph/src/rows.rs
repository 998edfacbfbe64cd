//! Rows: steps of windows laid side by side, with the moments of what was seen in them.

use duress_core::subject::Failure;

use crate::matrix::{Matrix, row_by_row};

/// Fewer observed pairs than this make a moment that is nothing but noise.
const FEWEST_PAIRS: u32 = 10;

/// Rows of named columns: a value and a weight per column, both 0 where nothing was observed, and
/// the window a row is from.
#[derive(Clone, Debug)]
pub struct WeightedRows {
    columns: Vec<String>,
    windows: usize,
    window: Vec<usize>,
    values: Vec<f64>,
    weights: Vec<f64>,
}

impl WeightedRows {
    /// No rows yet, from so many windows.
    pub fn empty(columns: Vec<String>, windows: usize) -> WeightedRows {
        WeightedRows {
            columns,
            windows,
            window: Vec::new(),
            values: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// Adds a row of `window`, a `(value, weight)` per column.
    pub fn push(&mut self, window: usize, cells: impl IntoIterator<Item = (f64, f64)>) {
        self.window.push(window);
        for (value, weight) in cells {
            self.values.push(value);
            self.weights.push(weight);
        }
        assert_eq!(
            self.values.len(),
            self.window.len() * self.width(),
            "a cell for each column"
        );
    }

    /// What each column is called; two may have the same name.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    pub fn width(&self) -> usize {
        self.columns.len()
    }

    pub fn len(&self) -> usize {
        self.window.len()
    }

    pub fn is_empty(&self) -> bool {
        self.window.is_empty()
    }

    /// How many windows the rows are from.
    pub fn windows(&self) -> usize {
        self.windows
    }

    /// The window of row `i`.
    pub fn window(&self, i: usize) -> usize {
        self.window[i]
    }

    pub fn row(&self, i: usize) -> WeightedRow<'_> {
        let cells = i * self.width()..(i + 1) * self.width();
        WeightedRow {
            values: &self.values[cells.clone()],
            weights: &self.weights[cells],
        }
    }

    /// Whether nothing is hidden.
    pub fn is_complete(&self) -> bool {
        self.weights.iter().all(|&weight| weight > 0.0)
    }

    /// The moments of these columns with those of the same rows of `other`, each over the rows in
    /// which both were observed.
    pub fn moments(&self, other: &WeightedRows) -> Result<PairwiseMeans, Failure> {
        assert_eq!(self.len(), other.len(), "rows side by side");
        let mut pairs = PairwiseMeans {
            mean: Matrix::zeros(self.width(), other.width()),
            count: Matrix::zeros(self.width(), other.width()),
        };
        (0..self.len()).for_each(|i| pairs.add(self.row(i), other.row(i)));
        pairs.finish(&self.columns, &other.columns)?;
        Ok(pairs)
    }
}

/// One row: a value and a weight per column, both 0 where nothing was observed.
#[derive(Clone, Copy, Debug)]
pub struct WeightedRow<'a> {
    pub values: &'a [f64],
    /// 1 where there is a value.
    pub weights: &'a [f64],
}

/// Means of products, and over how many pairs each was taken.
#[derive(Clone, Debug)]
pub struct PairwiseMeans {
    pub mean: Matrix,
    pub count: Matrix,
}

impl PairwiseMeans {
    fn add(&mut self, a: WeightedRow<'_>, b: WeightedRow<'_>) {
        for i in (0..a.values.len()).filter(|&i| a.weights[i] > 0.0) {
            let x = a.values[i];
            self.mean
                .row_mut(i)
                .iter_mut()
                .zip(b.values)
                .for_each(|(sum, y)| *sum += x * y);
            self.count
                .row_mut(i)
                .iter_mut()
                .zip(b.weights)
                .for_each(|(sum, y)| *sum += y);
        }
    }

    fn finish(&mut self, rows: &[String], columns: &[String]) -> Result<(), Failure> {
        for (i, k) in row_by_row(rows.len(), columns.len()) {
            let count = self.count[(i, k)];
            if count < f64::from(FEWEST_PAIRS) {
                return Err(Failure::unable(format!(
                    "`{}` and `{}` are observed together {count} times; needs {FEWEST_PAIRS} or more",
                    rows[i], columns[k]
                )));
            }
            self.mean[(i, k)] /= count;
        }
        Ok(())
    }
}
