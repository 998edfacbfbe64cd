//! One table of scores: which of its columns are items, scores, arrangements and models.

use std::path::Path;

use duress_core::problem::Problem;
use duress_tables::layout::named_or_usual;
use duress_tables::layout::words::{
    ARRANGED_ITEMS, ARRANGEMENTS, AVERAGE_SCORES, ColumnWords, EXPLANATION_SCORES, GAP_MARKS,
    MODELS,
};
use duress_tables::table::{Choose, Head, Table, Want};

use super::super::TableHints;
use super::unit_order::UnitOrder;

/// Where the scores of a table stand.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ScoreColumns {
    /// A row per item and arrangement: the columns of the arrangement and of the score.
    Long(String, String),
    /// A row per item, a column per arrangement.
    Wide(Vec<(String, UnitOrder)>),
    /// A row per item of the arrangement that the file or sheet is called after.
    Named(String),
    /// A row per item with its mean over arrangements.
    Averages(String),
}

impl ScoreColumns {
    /// Where they stand, if the table has any.
    pub(super) fn find(heads: &[Head], hints: &TableHints) -> Option<ScoreColumns> {
        let score = hints.score.as_deref();
        let wide: Vec<(String, UnitOrder)> = heads
            .iter()
            .filter(|head| !head.listed)
            .filter_map(|head| {
                let order = UnitOrder::of_score_column(&head.name, score)?;
                Some((head.name.clone(), order))
            })
            .collect();
        // Words such as `normal` may be the name of a class as well: alone they tell nothing.
        let letters = |(name, _): &(String, UnitOrder)| UnitOrder::is_lettered(name);
        if wide.iter().any(|(_, order)| order.inversions() > 0) || wide.iter().any(letters) {
            return Some(ScoreColumns::Wide(wide));
        }
        let named = named_or_usual(heads, score, EXPLANATION_SCORES);
        let named = named.ok().flatten();
        match (ARRANGEMENTS.find(heads), named) {
            (Some(arrangement), Some(score)) => Some(ScoreColumns::Long(arrangement, score)),
            (None, Some(score)) => Some(ScoreColumns::Named(score)),
            (_, None) => AVERAGE_SCORES.find(heads).map(ScoreColumns::Averages),
        }
    }

    fn has(&self, name: &str) -> bool {
        match self {
            ScoreColumns::Long(arrangement, score) => name == arrangement || name == score,
            ScoreColumns::Wide(columns) => columns.iter().any(|(column, _)| column == name),
            ScoreColumns::Named(score) | ScoreColumns::Averages(score) => name == score,
        }
    }
}

/// A table that was read, with what its columns are.
pub(super) struct ScoreTable {
    pub(super) table: Table,
    pub(super) item: String,
    pub(super) model: Option<String>,
    pub(super) scores: ScoreColumns,
    /// Columns that say something else of the items.
    pub(super) others: Vec<String>,
}

type ReadTable<'a> = dyn FnMut(&mut Choose<'_>) -> Result<Table, Problem> + 'a;

impl ScoreTable {
    /// Reads a table; one without scores is a problem.
    pub(super) fn read(
        hints: &TableHints,
        file: &Path,
        read: &mut ReadTable<'_>,
    ) -> Result<ScoreTable, Problem> {
        let mut found = None;
        let table = read(&mut |heads| {
            let item = column(heads, hints.id.as_deref(), ARRANGED_ITEMS)?;
            let scores = match ScoreColumns::find(heads, hints) {
                Some(scores) => scores,
                None => return Err(no_scores(heads, hints)),
            };
            let model = MODELS.find(heads);
            let own =
                |name: &str| name == item || Some(name) == model.as_deref() || scores.has(name);
            let others = heads
                .iter()
                .filter(|head| !head.listed && !own(&head.name) && !of_arrangement(&head.name))
                .map(|head| head.name.clone())
                .collect::<Vec<_>>();
            let want = |head: &Head| match head.listed {
                false if own(&head.name) || others.contains(&head.name) => Want::TextsOrGaps,
                _ => Want::Nothing,
            };
            let wants = heads.iter().map(want).collect();
            found = Some((item, model, scores, others));
            Ok(wants)
        })
        .map_err(|problem| problem.in_file(file))?;
        let Some((item, model, scores, others)) = found else {
            return Err(Problem::new("the table has no header").in_file(file));
        };
        Ok(ScoreTable {
            table,
            item,
            model,
            scores,
            others,
        })
    }

    /// The score in a cell; none where it is empty, or marked as such.
    pub(super) fn score(&self, column: &str, row: usize) -> Result<Option<f64>, Problem> {
        let cell = self.table.texts(column).get(row).trim();
        if cell.is_empty() || GAP_MARKS.has(cell) {
            return Ok(None);
        }
        match cell.parse::<f64>() {
            Ok(score) if score.is_finite() => Ok(Some(score)),
            _ => {
                let wrong = Problem::new(format!("`{column}` is {cell:?}"));
                let wrong = wrong.expected("a score, or nothing where there is none");
                let hint = "a table of scrambled texts has no scores: the stressor `arrangement` makes them anew";
                Err(self.table.at(row, wrong.hint(hint)))
            }
        }
    }
}

/// Whether a column is about one arrangement only, as `ABDC_Prediction` is.
fn of_arrangement(name: &str) -> bool {
    let order = name.split_once('_').map_or(name, |(order, _)| order);
    order.len() > 2 && UnitOrder::exactly(order).is_some()
}

/// A column that was named, or is called as such columns are; that there is none is a problem.
fn column(heads: &[Head], named: Option<&str>, words: ColumnWords) -> Result<String, Problem> {
    named_or_usual(heads, named, words)?.ok_or_else(|| missing(heads, words))
}

fn missing(heads: &[Head], words: ColumnWords) -> Problem {
    let names: Vec<&str> = heads.iter().map(|head| head.name.as_str()).collect();
    Problem::new(format!(
        "there is no column called as {} are",
        words.first()
    ))
    .expected(format!("one of {}", words.all().join(", ")))
    .hint(format!("there is: {}", names.join(", ")))
}

/// Why a table without scores is of no use: a table of results is told so.
fn no_scores(heads: &[Head], hints: &TableHints) -> Problem {
    if let Err(problem) = named_or_usual(heads, hints.score.as_deref(), EXPLANATION_SCORES) {
        return problem;
    }
    missing(heads, EXPLANATION_SCORES)
}

/// Whether a table has results of such scores and none itself.
pub(super) fn has_results(heads: &[Head]) -> bool {
    let has = |name: &str| {
        heads
            .iter()
            .any(|head| head.name.eq_ignore_ascii_case(name))
    };
    has("MDR") && has("MDA")
}

/// Whether a table sums up others: means per arrangement, or a sheet or file that is called so.
pub(super) fn is_summary(name: &str, heads: &[Head]) -> bool {
    let words = name.to_lowercase();
    words.contains("summary") && UnitOrder::parse(name).is_none()
        || ARRANGEMENTS.find(heads).is_some() && AVERAGE_SCORES.find(heads).is_some()
}
