//! What people wrote into a sheet: of what kind a step is, or whether it is accepted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use duress_core::problem::Problem;
use duress_findings::{KindJudged, KindNamed, Review, ReviewStep};
use duress_tables::formats;
use duress_tables::step_verdicts::step_verdict;
use duress_tables::table::{Table, plain_texts};

/// Reads a table with a column `id` and `subtype`, `verdict` or both; empty cells are no answer.
///
/// # Errors
/// A table that cannot be read, one without these columns, an id that is no step of the study or
/// stands there twice, a subtype or a verdict that is none.
pub fn read_review(steps: &[ReviewStep], file: &Path) -> Result<Review, Problem> {
    let mut heads = Vec::new();
    let table = formats::read(file, &mut |found| {
        heads = found.iter().map(|head| head.name.clone()).collect();
        Ok(plain_texts(found))
    })?;
    let has = |name: &str| heads.iter().any(|head| head == name);
    if !has("id") || !(has("subtype") || has("verdict")) {
        return Err(
            Problem::new(format!("the columns are {}", heads.join(", ")))
                .expected("`id`, and `subtype` or `verdict`")
                .in_file(file),
        );
    }
    let rows = Rows::of_table(&table, steps)?;
    let named = if has("subtype") {
        rows.named()?
    } else {
        Vec::new()
    };
    let judged = if has("verdict") {
        rows.judged()?
    } else {
        Vec::new()
    };
    let columns: Vec<&str> = ["subtype", "verdict"]
        .into_iter()
        .filter(|name| has(name))
        .collect();
    let answered = rows.answered(&columns);
    Ok(Review {
        file: file.display().to_string(),
        answered,
        unanswered: rows.steps.len() - answered,
        named,
        judged,
    })
}

/// The rows of a table, each with the step that it is about.
struct Rows<'a> {
    table: &'a Table,
    steps: Vec<&'a ReviewStep>,
}

impl<'a> Rows<'a> {
    fn of_table(table: &'a Table, all: &'a [ReviewStep]) -> Result<Rows<'a>, Problem> {
        let known: BTreeMap<&str, &ReviewStep> =
            all.iter().map(|step| (step.id.as_str(), step)).collect();
        let mut seen = BTreeMap::new();
        let mut steps = Vec::new();
        for row in 0..table.rows() {
            let id = table.texts("id").get(row).trim();
            let Some(step) = known.get(id) else {
                let problem = Problem::new(format!("`{id}` is no step of this study"));
                return Err(table.at(
                    row,
                    problem.expected("an id from the sheet that this study gives"),
                ));
            };
            if let Some(before) = seen.insert(id, row) {
                return Err(table.twice(id, before, row));
            }
            steps.push(*step);
        }
        Ok(Rows { table, steps })
    }

    fn cell(&self, column: &str, row: usize) -> &str {
        self.table.texts(column).get(row).trim()
    }

    fn answered(&self, columns: &[&str]) -> usize {
        let all = 0..self.steps.len();
        all.filter(|row| columns.iter().any(|name| !self.cell(name, *row).is_empty()))
            .count()
    }

    fn named(&self) -> Result<Vec<KindNamed>, Problem> {
        let kinds: BTreeSet<&str> = self.steps.iter().map(|step| step.kind.as_str()).collect();
        let mut taken: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        for (row, step) in self.steps.iter().enumerate() {
            let said = self.cell("subtype", row);
            if said.is_empty() {
                continue;
            }
            if !kinds.contains(said) {
                let problem = Problem::new(format!("`{said}` is no subtype of this sheet"));
                return Err(self
                    .table
                    .at(row, problem.nearest(said, kinds.iter().copied())));
            }
            *taken
                .entry(&step.kind)
                .or_default()
                .entry(said)
                .or_default() += 1;
        }
        Ok(taken
            .into_iter()
            .map(|(kind, said)| named(kind, said))
            .collect())
    }

    fn judged(&self) -> Result<Vec<KindJudged>, Problem> {
        let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        for (row, step) in self.steps.iter().enumerate() {
            let Some(verdict) = step_verdict(self.table, row)? else {
                continue;
            };
            counts.entry(&step.kind).or_default()[verdict as usize] += 1;
        }
        let judged = counts
            .into_iter()
            .map(|(kind, [accepted, rejected])| KindJudged {
                kind: kind.into(),
                accepted,
                rejected,
            });
        Ok(judged.collect())
    }
}

fn named(kind: &str, said: BTreeMap<&str, usize>) -> KindNamed {
    let right = said.get(kind).copied().unwrap_or(0);
    let others = said.iter().filter(|(name, _)| **name != kind);
    let mut taken_for: Vec<(String, usize)> = others
        .map(|(name, times)| ((*name).to_string(), *times))
        .collect();
    taken_for.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    KindNamed {
        kind: kind.into(),
        steps: said.values().sum(),
        right,
        taken_for,
    }
}
