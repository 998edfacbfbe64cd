//! The index that pandas wrote, as ids: rows that have no other name, but a number of their own.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use duress_tables::formats;
use duress_tables::layout::AnswerColumns;
use duress_tables::layout::guess::TableGuess;
use duress_tables::layout::words::INDEX_COLUMNS;
use duress_tables::table::by_name;

/// Takes the index for ids where there are no others, it names every row of the truth once, and the
/// same rows in every table. Whether it was taken.
pub(super) fn taken_as_ids(guess: &mut TableGuess, truth: &Path, tables: &[PathBuf]) -> bool {
    let has_ids = guess.id.is_some() || guess.label_id.is_some();
    if has_ids || matches!(guess.answers, AnswerColumns::Long { .. }) {
        return false;
    }
    let Some((label_id, true_rows)) = index(truth) else {
        return false;
    };
    let mut names = HashSet::new();
    let all_alike = tables.iter().all(|table| match index(table) {
        Some((name, rows)) => {
            names.insert(name);
            rows == true_rows
        }
        None => false,
    });
    let mut names = names.into_iter();
    let (Some(id), None, true) = (names.next(), names.next(), all_alike) else {
        return false;
    };
    guess.unread.retain(|name| *name != id);
    guess.label_unread.retain(|name| *name != label_id);
    (guess.id, guess.label_id) = (Some(id), Some(label_id));
    true
}

/// The index of a table and what is in it, if no two rows have the same.
fn index(table: &Path) -> Option<(String, HashSet<String>)> {
    let name = INDEX_COLUMNS.find(&formats::heads(table).ok()?)?;
    let read = formats::read(table, &mut |heads| Ok(by_name(heads, &[], &[&name]))).ok()?;
    let rows: HashSet<String> = read.texts(&name).iter().map(String::from).collect();
    (rows.len() == read.rows()).then_some((name, rows))
}
