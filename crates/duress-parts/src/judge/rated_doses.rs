//! Which items, ladders and doses a table of ratings is about, before anybody asks for them by name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use duress_core::problem::Problem;
use duress_core::severity::Severity;
use duress_tables::formats;
use duress_tables::table::{Head, plain_texts};

use super::frame::rating_words::{DOSE_WORDS, ID_WORDS, LADDER_WORDS, column_called};

/// What a table of ratings is about.
#[derive(Clone, Debug, PartialEq)]
pub struct RatedDoses {
    /// The items, in the order in which they come.
    pub ids: Vec<String>,
    /// The doses above 0 of each ladder; a table without a column for it has one, which has no name.
    pub ladders: BTreeMap<Option<String>, Vec<Severity>>,
    /// The ladders that have rows without an error of their own: a judge that is asked twice may
    /// say two things of the same response.
    pub own_clean: BTreeSet<Option<String>>,
}

/// Whether columns say how many errors a rated response has.
pub fn has_doses(heads: &[Head]) -> bool {
    let there = |words: &[&str]| column_called(heads, words).is_some();
    there(&DOSE_WORDS) && there(&ID_WORDS)
}

/// Reads what a table of ratings is about.
///
/// # Errors
/// A table that cannot be read, without ids or doses, or with a dose that is no number.
pub fn rated_doses(file: &Path, id: Option<&str>) -> Result<RatedDoses, Problem> {
    let mut columns = (String::new(), String::new(), None);
    let table = formats::read(file, &mut |heads| {
        let need = |words: &[&str]| {
            let none = || duress_tables::table::no_column(words[0], heads);
            column_called(heads, words).ok_or_else(none)
        };
        let id = id.map_or_else(|| need(&ID_WORDS), |id| need(&[id]))?;
        columns = (id, need(&DOSE_WORDS)?, column_called(heads, &LADDER_WORDS));
        Ok(plain_texts(heads))
    })?;
    let (id, dose, ladder) = columns;
    let mut seen = BTreeSet::new();
    let mut ids = Vec::new();
    let mut doses: BTreeMap<Option<String>, Vec<Severity>> = BTreeMap::new();
    let mut own_clean = BTreeSet::new();
    for row in 0..table.rows() {
        let item = table.texts(&id).get(row);
        if seen.insert(item.to_string()) {
            ids.push(item.to_string());
        }
        let said = table.texts(&dose).get(row).trim();
        let severity = said
            .parse::<f64>()
            .ok()
            .and_then(|dose| Severity::new(dose).ok());
        let severity = severity.ok_or_else(|| {
            let wrong = Problem::new(format!("{said:?} in `{dose}` is no dose"));
            table.at(row, wrong.expected("a number of errors, from 0"))
        })?;
        let name = ladder
            .as_ref()
            .map(|column| table.texts(column).get(row).trim().to_string());
        if severity.is_clean() {
            own_clean.insert(name);
            continue;
        }
        let own = doses.entry(name).or_default();
        if !own.contains(&severity) {
            own.push(severity);
        }
    }
    for own in doses.values_mut() {
        own.sort_by(|one, other| one.value().total_cmp(&other.value()));
    }
    Ok(RatedDoses {
        ids,
        ladders: doses,
        own_clean,
    })
}
