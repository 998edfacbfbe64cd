//! Scores: a number per item and class, and whether they are probabilities or logits.

use duress_core::answer::{SUM_TOLERANCE, Said};
use duress_core::problem::Problem;
use duress_stats::parallel::map_indices;

use crate::layout::words::says_probabilities;
use crate::table::{ROW, Table};
use crate::wording::Wording;

/// What numbers per class are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// To be told from the numbers.
    Auto,
    /// Probabilities.
    Probabilities,
    /// Logits.
    Logits,
}

impl Form {
    /// The form that the name of a column gives away, where nobody has said another.
    #[must_use]
    pub fn or_as_called(self, name: &str) -> Form {
        match (self, name) {
            (Form::Auto, "logits" | "logit") => Form::Logits,
            (Form::Auto, name) if says_probabilities(name) => Form::Probabilities,
            _ => self,
        }
    }

    /// Numbers of this form, once it is settled.
    fn said(self, rows: Vec<f64>) -> Said {
        if self == Form::Logits {
            Said::Logits(rows)
        } else {
            Said::Probabilities(rows)
        }
    }
}

/// A number per row and class.
pub struct Scores<'a> {
    table: &'a Table,
    /// The numbers, row after row.
    values: &'a [f64],
    classes: usize,
    /// The names of their columns, where each has one.
    names: &'a [String],
    wording: Wording,
}

impl<'a> Scores<'a> {
    /// The numbers of a list per row, or of the columns that make up a row ([`ROW`]).
    pub fn of(table: &'a Table, name: &str) -> Scores<'a> {
        let (classes, values) = table.numbers(name);
        Scores {
            table,
            values,
            classes,
            names: if name == ROW { table.names() } else { &[] },
            wording: Wording::Study,
        }
    }

    /// The same, with problems that name settings in this wording.
    #[must_use]
    pub fn worded(self, wording: Wording) -> Scores<'a> {
        Scores { wording, ..self }
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.classes
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.classes..][..self.classes]
    }

    /// What is said about each item, whose row is given where it has one; rows that are not of the
    /// form are refused.
    pub fn say(&self, form: Form, rows: &[Option<usize>]) -> Result<Said, Problem> {
        let form = self.settle(form)?;
        let mut all = Vec::with_capacity(rows.len() * self.classes);
        for row in rows {
            match row {
                Some(row) => all.extend_from_slice(self.row(*row)),
                // What stands in the place of an absent answer is never read.
                None => all.resize(all.len() + self.classes, 0.0),
            }
        }
        Ok(form.said(all))
    }

    /// Logits or probabilities, and every row one, or the row that is not. A row of logits hardly
    /// ever looks like probabilities; where more than a tenth of the rows do, the others are
    /// damaged probabilities and not logits.
    pub fn settle(&self, form: Form) -> Result<Form, Problem> {
        if form == Form::Logits {
            return Ok(form);
        }
        let rows = self.table.rows();
        let proper = map_indices(rows, |row| self.is_proper(row));
        let improper = proper.iter().filter(|proper| !**proper).count();
        let Some(first) = proper.iter().position(|proper| !proper) else {
            return Ok(Form::Probabilities);
        };
        if let Some(problem) = self.mistaken() {
            return Err(self.table.at(first, problem));
        }
        let beyond = || self.values.iter().any(|p| !(0.0..=1.0).contains(p));
        if form == Form::Auto && 10 * (rows - improper) <= rows && beyond() {
            return Ok(Form::Logits);
        }
        let sum: f64 = self.row(first).iter().sum();
        let values: Vec<String> = self
            .row(first)
            .iter()
            .take(8)
            .map(|p| p.to_string())
            .collect();
        let more = if self.classes() > values.len() {
            ", …"
        } else {
            ""
        };
        let sum_in_words = (sum * 1e6).round() / 1e6;
        let problem = Problem::new(format!(
            "the probabilities {}{more} sum to {sum_in_words}",
            values.join(", ")
        ))
        .expected("probabilities from 0 to 1 that sum to 1");
        let within = self.row(first).iter().all(|p| (0.0..=1.0).contains(p));
        // What two digits can be off by.
        let rounded = within && (sum - 1.0).abs() <= 0.005 * self.classes() as f64 + 1e-9;
        let hint = match rounded {
            true => "they look rounded: write more digits, or divide every row by its sum".into(),
            false => format!("if these are logits, say {}", self.wording.logits()),
        };
        Err(self.table.at(first, problem.hint(hint)))
    }

    /// What is plainly neither probabilities nor logits: percentages, or probabilities with a
    /// column beside them that is no class.
    fn mistaken(&self) -> Option<Problem> {
        let rows = self.table.rows();
        let of_hundred = |row: usize| {
            let sum: f64 = self.row(row).iter().sum();
            // As far off as percentages without a digit after the point come.
            self.row(row).iter().all(|p| *p >= 0.0) && (sum - 100.0).abs() <= 1.0
        };
        if (0..rows).all(of_hundred) {
            return Some(
                Problem::new("every row sums to 100: percent?")
                    .expected("probabilities that sum to 1: divide by 100"),
            );
        }
        let without = |class: usize| {
            (0..rows).all(|row| {
                let rest = self
                    .row(row)
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| *at != class)
                    .map(|(_, p)| p);
                let (sum, within) = rest.fold((0.0, true), |(sum, within), p| {
                    (sum + p, within && (0.0..=1.0).contains(p))
                });
                within && (sum - 1.0).abs() <= SUM_TOLERANCE
            })
        };
        let odd = self
            .names
            .iter()
            .enumerate()
            .find(|(class, _)| self.classes > 2 && without(*class))?
            .1;
        let problem = Problem::new(format!(
            "`{odd}` is hardly a class: without it every row sums to 1"
        ));
        Some(problem.expected("a column for each class").hint(format!(
            "say which columns are classes: {}",
            self.wording.classes()
        )))
    }

    fn is_proper(&self, row: usize) -> bool {
        let mut sum = 0.0;
        let mut within = true;
        for p in self.row(row) {
            sum += p;
            within &= (0.0..=1.0 + 1e-9).contains(p);
        }
        // The same rule as in the core, where answers are checked once more.
        within && (sum - 1.0).abs() <= SUM_TOLERANCE
    }
}

/// All rows of a table in order, as they are: checked, and then taken out of the table, since
/// millions should not be there twice.
pub fn take(table: &mut Table, name: &str, form: Form, wording: Wording) -> Result<Said, Problem> {
    let form = Scores::of(table, name).worded(wording).settle(form)?;
    Ok(form.said(table.take_numbers(name)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::table::{Column, RowPlace};

    #[test]
    fn rounded_probabilities_are_told_so_and_not_taken_for_logits() {
        let names: Vec<String> = (0..10).map(|class| class.to_string()).collect();
        let values = vec![0.24, 0.08, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05];
        let row = Column::Row { names, values };
        let table =
            Table::new(Path::new("t.csv"), RowPlace::Rows, vec![(ROW.into(), row)]).unwrap();
        for form in [Form::Auto, Form::Probabilities] {
            let why = Scores::of(&table, ROW)
                .settle(form)
                .unwrap_err()
                .to_string();
            assert!(
                why.contains("0.1, … sum to 1.02;") && why.contains("they look rounded"),
                "{why}"
            );
            assert!(!why.contains("logits"), "{why}");
        }
    }

    #[test]
    fn what_is_plainly_neither_probabilities_nor_logits_is_refused() {
        let names = ["cat", "dog", "age"].map(String::from);
        let settled = |columns: [[f64; 2]; 3]| {
            let values = (0..2)
                .flat_map(|row| columns.map(|column| column[row]))
                .collect();
            let row = Column::Row {
                names: names.to_vec(),
                values,
            };
            let table =
                Table::new(Path::new("t.csv"), RowPlace::Rows, vec![(ROW.into(), row)]).unwrap();
            Scores::of(&table, ROW)
                .settle(Form::Auto)
                .map_err(|problem| problem.to_string())
        };
        assert_eq!(
            settled([[0.5, 0.2], [0.25, 0.7], [0.25, 0.1]]),
            Ok(Form::Probabilities)
        );
        assert_eq!(
            settled([[2.5, -0.2], [-1.0, 0.7], [0.1, 4.0]]),
            Ok(Form::Logits)
        );
        let why = settled([[0.4, 0.7], [0.6, 0.3], [61.0, 23.0]]).unwrap_err();
        assert!(why.contains("`age` is hardly a class"), "{why}");
        let why = settled([[40.0, 70.0], [50.0, 30.0], [10.0, 0.0]]).unwrap_err();
        assert!(why.contains("every row sums to 100"), "{why}");
    }
}
