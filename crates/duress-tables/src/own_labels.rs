//! The true classes that a table of answers has of its own: never what answers are scored against,
//! but compared with it.

use std::collections::HashMap;
use std::path::Path;

use duress_core::data::Split;
use duress_core::problem::Problem;
use duress_core::truth::{LabelConflict, label_conflict};

use crate::formats;
use crate::layout::answers::AnswersLayout;
use crate::layout::words::{INDEX_COLUMNS, LABEL_COLUMNS};
use crate::table::{Head, Table, by_name, find_column};

/// A column of true classes beside answers.
pub struct OwnLabels {
    table: Table,
    column: String,
    id: Option<String>,
    /// The index that pandas wrote, where nobody has taken it for ids.
    index: Option<String>,
}

impl OwnLabels {
    /// Reads the column that was named, or one that is called as true classes are and holds no
    /// answers.
    pub fn read(
        file: &Path,
        layout: &AnswersLayout,
        named: Option<&str>,
    ) -> Result<Option<OwnLabels>, Problem> {
        let heads = formats::heads(file)?;
        let Some(column) = own_label_column(&heads, layout, named)? else {
            return Ok(None);
        };
        let id = layout.id.clone();
        let wanted: Vec<&str> = id.as_deref().into_iter().chain([column.as_str()]).collect();
        let table = formats::read(file, &mut |heads| Ok(by_name(heads, &[], &wanted)))?;
        Ok(Some(OwnLabels {
            table,
            column,
            index: INDEX_COLUMNS.find(&heads).filter(|_| id.is_none()),
            id,
        }))
    }

    /// Refuses labels that are not the true ones, with how many and the first; says so where some
    /// cannot be compared, since they are no classes at all.
    pub fn compare(&self, split: &Split) -> Result<Option<String>, Problem> {
        let Some(classes) = split.classes() else {
            return Ok(None);
        };
        let texts: Vec<&str> = self
            .table
            .texts(&self.column)
            .iter()
            .map(str::trim)
            .collect();
        let said = classes_meant(&texts, classes);
        let stated = self.stated(split, &said);
        let each = stated.iter().map(|one| (one.item, one.class));
        if let Some(conflict) = label_conflict(split.truth(), each) {
            return Err(self.refused(split, &stated, &conflict));
        }
        let strange = said.iter().zip(&texts);
        let strange = strange.filter(|(said, text)| said.is_none() && !text.is_empty());
        Ok(match strange.count() {
            0 => None,
            some => Some(format!(
                "Of its column `{}`, {some} of {} rows are not compared with the true classes: they are none of them.",
                self.column,
                texts.len()
            )),
        })
    }

    /// What each row says about its item; rows about no item are for others to refuse.
    fn stated(&self, split: &Split, said: &[Option<u32>]) -> Vec<StatedLabel> {
        let label = |row: usize, item: usize| {
            let class = said[row]?;
            Some(StatedLabel { row, item, class })
        };
        let Some(id) = &self.id else {
            let both = said.len().min(split.items().len());
            return (0..both).filter_map(|row| label(row, row)).collect();
        };
        let places: HashMap<&str, usize> = split.items().ids().iter().zip(0..).collect();
        let ids = self.table.texts(id).iter().enumerate();
        ids.filter_map(|(row, id)| label(row, *places.get(id)?))
            .collect()
    }

    fn refused(&self, split: &Split, stated: &[StatedLabel], conflict: &LabelConflict) -> Problem {
        let first = &stated[conflict.first];
        let problem = Problem::new(format!(
            "`{}` of {:?} is {:?}, and the dataset says {:?}: {} of {} rows differ",
            self.column,
            split.items().ids().get(first.item),
            self.table.texts(&self.column).get(first.row),
            conflict.truth,
            conflict.differing,
            stated.len()
        ))
        .expected("the dataset's true class of every item");
        let hint = match (&self.id, &self.index) {
            (Some(_), _) => {
                "one of the two files is wrong; if this column is not the true class, `label` names the one that is".into()
            }
            (None, Some(index)) => format!(
                "rows are taken to be in the order of the items; `id = {index:?}`, of the dataset and of the subject, matches them by the index that pandas wrote"
            ),
            (None, None) => {
                "rows are taken to be in the order of the items: a column `id` in both files matches them".into()
            }
        };
        self.table.at(first.row, problem.hint(hint))
    }
}

/// The class that each label means: by its name, whatever the case, or else by its number, counted
/// from 0, or from 1 where that alone fits. What means none is for the caller to tell.
fn classes_meant(labels: &[&str], classes: &[String]) -> Vec<Option<u32>> {
    let by_name = classes_named(labels, classes);
    if by_name.iter().any(Option::is_some) {
        return by_name;
    }
    let counted_from = |first: f64| {
        let count = classes.len() as f64;
        classes_counted(labels, first, count)
    };
    counted_from(0.0)
        .or_else(|| counted_from(1.0))
        .unwrap_or(by_name)
}

/// The class whose name each label is. Two classes that differ by their case only are told apart by
/// it.
fn classes_named(labels: &[&str], classes: &[String]) -> Vec<Option<u32>> {
    let names = || classes.iter().zip(0..);
    let exact: HashMap<&str, u32> = names()
        .map(|(name, class)| (name.as_str(), class))
        .collect();
    let alike: HashMap<String, u32> = names()
        .map(|(name, class)| (name.to_lowercase(), class))
        .collect();
    let case_matters = alike.len() < classes.len();
    let named = |label: &&str| {
        let class = exact.get(label);
        let class = match case_matters {
            true => class,
            false => class.or_else(|| alike.get(&label.to_lowercase())),
        };
        class.copied()
    };
    labels.iter().map(named).collect()
}

/// The class whose number each label is, counted from `first`; nothing unless all that are not
/// empty fit.
fn classes_counted(labels: &[&str], first: f64, count: f64) -> Option<Vec<Option<u32>>> {
    let position = |label: &&str| {
        // pandas writes whole numbers as 2.0 where a cell of the column is empty.
        let number = label.parse::<f64>().ok()? - first;
        let fits = number.fract() == 0.0 && (0.0..count).contains(&number);
        fits.then_some(number as u32)
    };
    let found: Vec<Option<u32>> = labels.iter().map(position).collect();
    let mut all = labels.iter().zip(&found);
    let fit = all.all(|(label, class)| label.is_empty() || class.is_some());
    fit.then_some(found)
}

/// What a row says.
struct StatedLabel {
    row: usize,
    item: usize,
    class: u32,
}

/// The column that was named, or one that is called as true classes are and holds no answers.
pub fn own_label_column(
    heads: &[Head],
    layout: &AnswersLayout,
    named: Option<&str>,
) -> Result<Option<String>, Problem> {
    if named.is_some() {
        return find_column(heads, named, &[]);
    }
    let answers = layout.columns.includes(&layout.classes);
    let free = |head: &&Head| {
        let name = head.name.as_str();
        !answers(name)
            && layout.id.as_deref() != Some(name)
            && !layout.scores.iter().any(|score| score == name)
    };
    let free: Vec<Head> = heads.iter().filter(free).cloned().collect();
    Ok(LABEL_COLUMNS.find(&free))
}
