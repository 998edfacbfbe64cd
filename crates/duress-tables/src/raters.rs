//! Labels of several raters: judges and people, as tables of labels have them.
//!
//! Three layouts: a column per rater (`item, judge, human`), several of each, and a row per label
//! (`item, rater, label`, perhaps `kind`). An empty cell, `NA`, `NaN`, `null`, `none`, `n/a` and `-`
//! are no label.

use std::collections::BTreeMap;
use std::path::Path;

use duress_core::problem::Problem;

use crate::formats;
use crate::table::{Head, Table, plain_texts};

duress_core::words! {
    /// Who a rater is.
    pub enum RaterKind {
        /// What is tested.
        Judge = "judge",
        /// Whom it is compared with.
        Human = "human",
    }
}

/// Somebody who labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelRater {
    /// The name, as the table has it.
    pub name: String,
    /// Who it is.
    pub kind: RaterKind,
}

/// Items with the labels of some raters.
#[derive(Clone, Debug)]
pub struct RaterTable {
    /// The ids of the items.
    pub items: Vec<String>,
    /// Who labelled.
    pub raters: Vec<LabelRater>,
    /// By rater and item.
    pub labels: Vec<Vec<Option<String>>>,
    /// Columns that nobody read.
    pub unread: Vec<String>,
}

/// Which columns or raters are judges and which people, where their names do not say it.
#[derive(Clone, Debug, Default)]
pub struct RaterHints {
    /// Names of judges.
    pub judges: Vec<String>,
    /// Names of people.
    pub humans: Vec<String>,
}

const ITEM_WORDS: [&str; 7] = [
    "item",
    "id",
    "ids",
    "item_id",
    "question_id",
    "sample_id",
    "uid",
];
const RATER_WORDS: [&str; 4] = ["rater", "annotator", "coder", "labeler"];
const LABEL_WORDS: [&str; 6] = ["label", "rating", "score", "verdict", "value", "grade"];
const JUDGE_STARTS: [&str; 6] = ["judge", "llm", "model", "auto", "grader", "gpt"];
const HUMAN_STARTS: [&str; 9] = [
    "human",
    "person",
    "people",
    "annotator",
    "expert",
    "gold",
    "author",
    "truth",
    "coder",
];
const NOTHING: [&str; 7] = ["", "na", "nan", "null", "none", "n/a", "-"];

/// Reads a table of labels.
///
/// # Errors
/// A file that cannot be read, nobody who is a judge or a person by name or hint, an item that a
/// rater labelled twice.
pub fn read_raters(file: &Path, hints: &RaterHints) -> Result<RaterTable, Problem> {
    let mut heads = Vec::new();
    let table = formats::read(file, &mut |found: &[Head]| {
        heads = found.iter().map(|head| head.name.clone()).collect();
        Ok(plain_texts(found))
    })?;
    let item = pick_column(&heads, &ITEM_WORDS);
    let rater = pick_column(&heads, &RATER_WORDS);
    let label = pick_column(&heads, &LABEL_WORDS);
    match (item, rater, label) {
        (Some(item), Some(rater), Some(label)) => {
            long(&table, &heads, [&item, &rater, &label], hints)
        }
        (item, ..) => wide(&table, &heads, item.as_deref(), hints),
    }
}

fn pick_column(heads: &[String], words: &[&str]) -> Option<String> {
    let known = |head: &&String| words.contains(&head.to_lowercase().as_str());
    heads.iter().find(known).cloned()
}

/// Who a rater is, by hint or by name.
fn kind_of(name: &str, said: Option<&str>, hints: &RaterHints) -> Option<RaterKind> {
    let listed = |list: &[String]| list.iter().any(|one| one == name);
    if listed(&hints.judges) {
        return Some(RaterKind::Judge);
    }
    if listed(&hints.humans) {
        return Some(RaterKind::Human);
    }
    let starts = |text: &str, words: &[&str]| {
        let text = text.to_lowercase();
        words.iter().any(|word| text.starts_with(word))
    };
    for text in said.into_iter().chain([name]) {
        if starts(text, &HUMAN_STARTS) {
            return Some(RaterKind::Human);
        }
        if starts(text, &JUDGE_STARTS) {
            return Some(RaterKind::Judge);
        }
    }
    None
}

fn label_in(cell: &str) -> Option<String> {
    let text = cell.trim();
    let nothing = NOTHING.contains(&text.to_lowercase().as_str());
    (!nothing).then(|| text.to_owned())
}

fn wide(
    table: &Table,
    heads: &[String],
    item: Option<&str>,
    hints: &RaterHints,
) -> Result<RaterTable, Problem> {
    let rows = 0..table.rows();
    let mut found = RaterTable {
        items: match item {
            Some(item) => rows
                .clone()
                .map(|row| table.texts(item).get(row).to_owned())
                .collect(),
            None => rows.clone().map(|row| (row + 1).to_string()).collect(),
        },
        raters: Vec::new(),
        labels: Vec::new(),
        unread: Vec::new(),
    };
    for head in heads.iter().filter(|head| Some(head.as_str()) != item) {
        match kind_of(head, None, hints) {
            Some(kind) => {
                let name = head.clone();
                found.raters.push(LabelRater { name, kind });
                let labels = rows.clone().map(|row| label_in(table.texts(head).get(row)));
                found.labels.push(labels.collect());
            }
            None => found.unread.push(head.clone()),
        }
    }
    let mut seen = BTreeMap::new();
    for (row, id) in found.items.iter().enumerate() {
        if let Some(before) = seen.insert(id, row) {
            return Err(table.twice(id, before, row));
        }
    }
    checked(found, heads, hints)
}

fn long(
    table: &Table,
    heads: &[String],
    [item, rater, label]: [&String; 3],
    hints: &RaterHints,
) -> Result<RaterTable, Problem> {
    let kind = pick_column(heads, &["kind", "type", "role"]);
    let cell = |column: &str, row: usize| table.texts(column).get(row).to_owned();
    let mut items: Vec<String> = Vec::new();
    let mut raters: Vec<LabelRater> = Vec::new();
    let mut labels: BTreeMap<(usize, usize), Option<String>> = BTreeMap::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for row in 0..table.rows() {
        let id = cell(item, row);
        let at = *places.entry(id.clone()).or_insert_with(|| {
            items.push(id.clone());
            items.len() - 1
        });
        let name = cell(rater, row);
        let said = kind.as_ref().map(|kind| cell(kind, row));
        let known = raters.iter().position(|one| one.name == name);
        let by = match known {
            Some(by) => by,
            None => {
                let kind = kind_of(&name, said.as_deref(), hints).ok_or_else(|| {
                    table.at(row, Problem::new(format!("is `{name}` a judge or a person?")))
                        .hint("a column `kind` with judge or human says it, or `--judge NAME` and `--human NAME`")
                })?;
                raters.push(LabelRater { name, kind });
                raters.len() - 1
            }
        };
        if labels
            .insert((by, at), label_in(&cell(label, row)))
            .is_some()
        {
            let wrong = format!("`{}` labels `{id}` twice", raters[by].name);
            return Err(table.at(row, Problem::new(wrong)));
        }
    }
    let of_rater = |by: usize| {
        let own = (0..items.len()).map(|at| labels.get(&(by, at)).cloned().flatten());
        own.collect::<Vec<_>>()
    };
    let labels = (0..raters.len()).map(of_rater).collect();
    let read = [Some(item), Some(rater), Some(label), kind.as_ref()];
    let unread = heads.iter().filter(|head| !read.contains(&Some(head)));
    let unread = unread.cloned().collect();
    checked(
        RaterTable {
            items,
            raters,
            labels,
            unread,
        },
        heads,
        hints,
    )
}

/// A table must have one of each, and whoever is hinted at.
fn checked(table: RaterTable, heads: &[String], hints: &RaterHints) -> Result<RaterTable, Problem> {
    let there = |name: &String| table.raters.iter().any(|rater| rater.name == *name);
    if let Some(nobody) = hints
        .judges
        .iter()
        .chain(&hints.humans)
        .find(|name| !there(name))
    {
        return Err(Problem::new(format!("nobody is called `{nobody}`"))
            .expected(format!("one of {}", heads.join(", "))));
    }
    let has = |kind: RaterKind| table.raters.iter().any(|rater| rater.kind == kind);
    if has(RaterKind::Judge) && has(RaterKind::Human) {
        return Ok(table);
    }
    let missing = match has(RaterKind::Judge) {
        true => "people",
        false => "a judge",
    };
    Err(
        Problem::new(format!("no column or rater is told to be {missing}"))
            .expected("columns called as judge… and human…, or `item`, `rater`, `label`")
            .hint(format!(
                "`--judge NAME` and `--human NAME` say who is who; there is: {}",
                heads.join(", ")
            )),
    )
}
