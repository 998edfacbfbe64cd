//! Scores: a number per item and class, and whether they are probabilities or logits.

use duress_core::answer::{SUM_TOLERANCE, Said};
use duress_core::problem::Problem;

use super::table::Table;

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
    /// The form that the name of a column of lists gives away, where nobody has said another.
    #[must_use]
    pub fn or_as_called(self, name: &str) -> Form {
        match (self, name) {
            (Form::Auto, "logits") => Form::Logits,
            (Form::Auto, "probabilities" | "probs") => Form::Probabilities,
            _ => self,
        }
    }
}

/// A number per row and class, whichever way the file has them.
pub struct Scores<'a> {
    table: &'a Table,
    /// For each class, the values from its first on.
    columns: Vec<&'a [f64]>,
    /// How far apart two rows are.
    stride: usize,
}

impl<'a> Scores<'a> {
    /// A column per class.
    pub fn of_columns(table: &'a Table, columns: &[String]) -> Scores<'a> {
        Scores { table, columns: columns.iter().map(|name| table.numbers(name).1).collect(), stride: 1 }
    }

    /// A list per row, with a number per class.
    pub fn of_list(table: &'a Table, name: &str) -> Scores<'a> {
        let (stride, values) = table.numbers(name);
        Scores { table, columns: (0..stride).map(|class| &values[class..]).collect(), stride }
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.columns.len()
    }

    fn row(&self, row: usize) -> impl Iterator<Item = f64> {
        self.columns.iter().map(move |column| column[row * self.stride])
    }

    /// What is said about each item, whose row is given where it has one; rows that are not of the form are refused.
    pub fn say(&self, form: Form, rows: &[Option<usize>]) -> Result<Said, Problem> {
        let form = self.settle(form)?;
        let mut all = Vec::with_capacity(rows.len() * self.classes());
        for row in rows {
            match row {
                Some(row) => all.extend(self.row(*row)),
                // What stands in the place of an absent answer is never read.
                None => all.resize(all.len() + self.classes(), 0.0),
            }
        }
        Ok(if form == Form::Logits { Said::Logits(all) } else { Said::Probabilities(all) })
    }

    /// Logits or probabilities, and every row one, or the row that is not. A row of logits hardly ever looks like probabilities; where more than a
    /// tenth of the rows do, the others are damaged probabilities and not logits.
    pub fn settle(&self, form: Form) -> Result<Form, Problem> {
        if form == Form::Logits {
            return Ok(form);
        }
        let rows = self.table.rows();
        let (mut first, mut improper) = (None, 0);
        for row in (0..rows).filter(|row| !self.is_proper(*row)) {
            first.get_or_insert(row);
            improper += 1;
        }
        let Some(first) = first else { return Ok(Form::Probabilities) };
        let beyond = || (0..rows).any(|row| self.row(row).any(|p| !(0.0..=1.0).contains(&p)));
        if form == Form::Auto && 10 * (rows - improper) <= rows && beyond() {
            return Ok(Form::Logits);
        }
        let sum: f64 = self.row(first).sum();
        let values: Vec<String> = self.row(first).take(8).map(|p| p.to_string()).collect();
        let problem = Problem::new(format!("the probabilities {} sum to {sum}", values.join(", ")))
            .expected("probabilities from 0 to 1 that sum to 1")
            .hint("if these are logits, say `form = \"logits\"`");
        Err(self.table.at(first, problem))
    }

    fn is_proper(&self, row: usize) -> bool {
        let sum: f64 = self.row(row).sum();
        // The same rule as in the core, where answers are checked once more.
        self.row(row).all(|p| (0.0..=1.0 + 1e-9).contains(&p)) && (sum - 1.0).abs() <= SUM_TOLERANCE
    }
}
