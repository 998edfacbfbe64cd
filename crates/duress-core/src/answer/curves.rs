//! Some numbers about each item, by name and in order: the points of a curve, or what else an
//! explanation came to when it was put to the test.

use super::Absence;
use crate::explanation::AskedExplanation;

/// A row of numbers for each item, or why there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveAnswers {
    pub(super) asked: AskedExplanation,
    pub(super) points: Vec<String>,
    pub(super) rows: Vec<Result<Vec<f64>, Absence>>,
}

impl CurveAnswers {
    /// One row per item: a number at each of the points.
    pub fn new(
        asked: AskedExplanation,
        points: Vec<String>,
        rows: Vec<Result<Vec<f64>, Absence>>,
    ) -> CurveAnswers {
        CurveAnswers {
            asked,
            points,
            rows,
        }
    }

    /// What was asked.
    pub fn asked(&self) -> AskedExplanation {
        self.asked
    }

    /// What the points are called, in the order of the rows.
    pub fn points(&self) -> &[String] {
        &self.points
    }

    /// One row per item.
    pub fn rows(&self) -> &[Result<Vec<f64>, Absence>] {
        &self.rows
    }

    /// The same about other items: with these rows.
    pub(crate) fn with_rows(&self, rows: Vec<Result<Vec<f64>, Absence>>) -> CurveAnswers {
        CurveAnswers {
            rows,
            ..self.clone()
        }
    }

    pub(super) fn validate(&self, items: usize) -> Result<(), String> {
        if self.rows.len() != items {
            return Err(format!("{} rows for {items} items", self.rows.len()));
        }
        for (item, row) in self.rows.iter().enumerate() {
            let Ok(row) = row else { continue };
            if row.len() != self.points.len() || row.iter().any(|value| !value.is_finite()) {
                return Err(format!(
                    "item {item} has not {} finite numbers",
                    self.points.len()
                ));
            }
        }
        Ok(())
    }
}
