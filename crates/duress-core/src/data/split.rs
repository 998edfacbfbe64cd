//! A split: items with their sealed truth, and the columns they can be sliced by.

use std::collections::BTreeMap;

use super::inputs::Inputs;
use super::items::Items;
use crate::problem::Problem;
use crate::truth::{Sealed, Truth};

/// The column that says the regime of a window.
pub const REGIME: &str = "regime";

/// Items with their sealed truth and the columns they can be sliced by.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    items: Items,
    truth: Sealed<Truth>,
    columns: BTreeMap<String, Vec<String>>,
}

impl Split {
    /// A split whose truth covers every item.
    pub fn new(items: Items, truth: Truth) -> Result<Split, Problem> {
        let covered = match &truth {
            Truth::Labels(labels) => labels.of().len(),
            Truth::References(references) => references.len(),
            Truth::Graph(_) | Truth::Regimes { .. } | Truth::Nothing => items.len(),
        };
        if covered != items.len() {
            return Err(Problem::new(format!(
                "truth for {covered} of {} items",
                items.len()
            )));
        }
        Ok(Split {
            items,
            truth: Sealed::new(truth),
            columns: BTreeMap::new(),
        })
    }

    /// Adds a column to slice by.
    ///
    /// # Panics
    /// When it has not one value per item: that is a dataset part's bug.
    #[must_use]
    pub fn with_column(mut self, name: &str, values: Vec<String>) -> Split {
        assert_eq!(
            values.len(),
            self.items.len(),
            "column {name} must have a value per item"
        );
        self.columns.insert(name.into(), values);
        self
    }

    /// Adds several columns to slice by.
    #[must_use]
    pub fn with_columns(self, columns: impl IntoIterator<Item = (String, Vec<String>)>) -> Split {
        let add =
            |split: Split, (name, values): (String, Vec<String>)| split.with_column(&name, values);
        columns.into_iter().fold(self, add)
    }

    /// The same items, stressed: the truth and the columns stay, except for the regimes, which
    /// stress may change.
    #[must_use]
    pub fn with_items(&self, items: Items) -> Split {
        assert_eq!(
            items.ids(),
            self.items.ids(),
            "stress must not change which items there are"
        );
        let mut columns = self.columns.clone();
        if let (Inputs::Windows(windows), Some(column)) = (items.inputs(), columns.get_mut(REGIME))
        {
            *column = windows.regimes().iter().map(u32::to_string).collect();
        }
        Split {
            items,
            truth: self.truth.clone(),
            columns,
        }
    }

    /// The windows whose regime `wanted` says, with their own truth.
    pub(super) fn of_regimes(&self, wanted: impl Fn(u32) -> bool) -> Option<Split> {
        let Inputs::Windows(windows) = self.items.inputs() else {
            return None;
        };
        let regimes = windows.regimes();
        let which: Vec<usize> = (0..regimes.len()).filter(|&i| wanted(regimes[i])).collect();
        let first = regimes[*which.first()?];
        let one = which.iter().all(|&i| regimes[i] == first).then_some(first);
        let pick = |values: &Vec<String>| which.iter().map(|&i| values[i].clone()).collect();
        Some(Split {
            items: self.items.select(&which),
            truth: Sealed::new(self.truth.open().select(&which, one)),
            columns: self
                .columns
                .iter()
                .map(|(name, values)| (name.clone(), pick(values)))
                .collect(),
        })
    }

    /// What a subject may see.
    pub fn items(&self) -> &Items {
        &self.items
    }

    /// The names of the classes, in order, where the truth is labels. They are no secret; which
    /// item has which is.
    pub fn classes(&self) -> Option<&[String]> {
        match self.truth.open() {
            Truth::Labels(labels) => Some(labels.classes()),
            _ => None,
        }
    }

    /// The truth, sealed.
    pub fn truth(&self) -> &Sealed<Truth> {
        &self.truth
    }

    /// The columns items can be sliced by.
    pub fn columns(&self) -> &BTreeMap<String, Vec<String>> {
        &self.columns
    }
}
