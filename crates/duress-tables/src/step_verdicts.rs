//! Verdicts on steps: what a person who looked at changes wrote beside each, `accepted` or `rejected`.

use std::collections::BTreeMap;
use std::path::Path;

use duress_core::problem::Problem;
use duress_core::word::Word;

use crate::formats;
use crate::table::{Table, find_column, no_column, plain_texts};

duress_core::words! {
    /// What is said of a step.
    pub enum StepVerdict {
        /// It is an error of its kind, and one only.
        Accepted = "accepted",
        /// It is not.
        Rejected = "rejected",
    }
}

/// The verdict of a row; none where the cell is empty.
///
/// # Errors
/// Another word.
pub fn step_verdict(table: &Table, row: usize) -> Result<Option<StepVerdict>, Problem> {
    let said = table.texts("verdict").get(row).trim();
    if said.is_empty() {
        return Ok(None);
    }
    let verdict = StepVerdict::from_word(said).ok_or_else(|| {
        let problem = Problem::new(format!("the verdict is `{said}`"));
        table.at(row, problem.nearest(said, StepVerdict::spellings()))
    })?;
    Ok(Some(verdict))
}

/// The verdicts of a table with the columns `id` and `verdict`, by id.
///
/// # Errors
/// A table that cannot be read, a column that is not there, a word that is no verdict, an id twice.
pub fn read_step_verdicts(file: &Path) -> Result<BTreeMap<String, StepVerdict>, Problem> {
    let table = formats::read(file, &mut |heads| {
        for name in ["id", "verdict"] {
            find_column(heads, None, &[name])?.ok_or_else(|| no_column(name, heads))?;
        }
        Ok(plain_texts(heads))
    })?;
    let (mut verdicts, mut seen) = (BTreeMap::new(), BTreeMap::new());
    for row in 0..table.rows() {
        let id = table.texts("id").get(row).trim().to_string();
        if let Some(before) = seen.insert(id.clone(), row) {
            return Err(table.twice(&id, before, row));
        }
        if let Some(verdict) = step_verdict(&table, row)? {
            verdicts.insert(id, verdict);
        }
    }
    Ok(verdicts)
}
