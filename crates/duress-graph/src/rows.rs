//! Rows: steps of windows laid side by side, with the moments of what was seen in them.

use duress_core::subject::Failure;
use duress_stats::dist::Normal;

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

    /// Every column as normal scores of its ranks among what was observed of it (Blom; ties share the
    /// score of their middle).
    pub fn normal_scores(&self) -> WeightedRows {
        let mut scored = self.clone();
        let width = self.width();
        for column in 0..width {
            let mut seen: Vec<usize> = (0..self.len())
                .map(|i| i * width + column)
                .filter(|&at| self.weights[at] > 0.0)
                .collect();
            seen.sort_by(|&a, &b| self.values[a].total_cmp(&self.values[b]));
            let n = seen.len() as f64;
            let mut first = 0;
            for same in seen.chunk_by(|&a, &b| self.values[a] == self.values[b]) {
                let rank = first as f64 + (same.len() + 1) as f64 / 2.0;
                let share = (rank - 0.375) / (n + 0.25);
                let score = Normal.quantile(share).unwrap_or(0.0);
                same.iter().for_each(|&at| scored.values[at] = score);
                first += same.len();
            }
        }
        scored
    }

    /// These columns, and beside them one for each group of windows but the first, 1 in its windows.
    pub fn beside_groups(&self, group_of_window: &[u32]) -> WeightedRows {
        let mut groups = group_of_window.to_vec();
        groups.sort_unstable();
        groups.dedup();
        let names = groups.iter().skip(1).map(|group| format!("regime {group}"));
        let columns = self.columns.iter().cloned().chain(names).collect();
        let mut wider = WeightedRows::empty(columns, self.windows);
        for i in 0..self.len() {
            let row = self.row(i);
            let own = group_of_window[self.window[i]];
            let there = groups
                .iter()
                .skip(1)
                .map(|group| f64::from(u8::from(*group == own)));
            let cells = row.values.iter().copied().zip(row.weights.iter().copied());
            wider.push(self.window[i], cells.chain(there.map(|there| (there, 1.0))));
        }
        wider
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
