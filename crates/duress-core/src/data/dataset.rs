//! A dataset: what subjects are tested on, what they are fitted on, and where both come from.

use std::collections::{HashMap, HashSet};

use super::inputs::{InputKind, Inputs};
use super::items::Items;
use super::split::Split;
use crate::data::TableUse;
use crate::problem::Problem;
use crate::question::Question;
use crate::seed::Seed;
use crate::truth::Truth;

/// Sentences about a split that a reader of the report should know; it is told again of every
/// dataset derived from it.
pub type Describe = fn(&Items, &Truth) -> Vec<String>;

/// What a study's dataset holds: items to be tested on and, where subjects are fitted, other items
/// to fit them on.
#[derive(Clone, Debug)]
pub struct Dataset {
    fit: Option<Split>,
    test: Split,
    remarks: Vec<String>,
    describe: Option<Describe>,
    cluster: Option<String>,
}

impl Dataset {
    /// A dataset whose two splits share no item, neither by id nor by content.
    pub fn new(fit: Option<Split>, test: Split) -> Result<Dataset, Problem> {
        if test.items().is_empty() {
            return Err(Problem::new("there is no item to test on"));
        }
        if let Some(fit) = &fit {
            disjoint(fit.items(), test.items())?;
        }
        Ok(Dataset {
            fit,
            test,
            remarks: Vec::new(),
            describe: None,
            cluster: None,
        })
    }

    /// Says by which column items belong together, for studies that do not say it.
    #[must_use]
    pub fn clustered_by(mut self, column: &str) -> Dataset {
        self.cluster = Some(column.into());
        self
    }

    /// The column by which items belong together, where the dataset knows one.
    pub fn cluster(&self) -> Option<&str> {
        self.cluster.as_deref()
    }

    /// Adds something a reader of the report should know about these data.
    #[must_use]
    pub fn with_remark(mut self, remark: impl Into<String>) -> Dataset {
        self.remarks.push(remark.into());
        self
    }

    /// Says how what is fitted on is to be described; datasets derived from this one are described
    /// anew.
    #[must_use]
    pub fn described_by(mut self, describe: Describe) -> Dataset {
        self.describe = Some(describe);
        self
    }

    /// What subjects are fitted on.
    pub fn fit(&self) -> Option<&Split> {
        self.fit.as_ref()
    }

    /// What subjects are tested on.
    pub fn test(&self) -> &Split {
        &self.test
    }

    /// What a reader of the report should know.
    pub fn remarks(&self) -> Vec<String> {
        let shown = self.fit.as_ref().unwrap_or(&self.test);
        let described = self
            .describe
            .map(|describe| describe(shown.items(), shown.truth().open()));
        self.remarks
            .iter()
            .cloned()
            .chain(described.into_iter().flatten())
            .collect()
    }

    /// The same dataset with other splits, as a derived dataset has them.
    #[must_use]
    pub fn derive(&self, fit: Option<Split>, test: Split) -> Dataset {
        Dataset {
            fit,
            test,
            remarks: self.remarks.clone(),
            describe: self.describe,
            cluster: self.cluster.clone(),
        }
    }

    /// The same dataset with a regime held out: fitted on the windows of all others, tested on its
    /// own against its own truth.
    pub fn hold_out(&self, regime: u32) -> Result<Dataset, Problem> {
        let mut regimes: Vec<u32> = match self.test.items().inputs() {
            Inputs::Windows(windows) => windows.regimes().to_vec(),
            other => {
                let wrong = format!("no regime can be held out of {}", other.kind());
                return Err(Problem::new(wrong).expected("windows with regimes"));
            }
        };
        regimes.sort_unstable();
        regimes.dedup();
        let there = || {
            regimes
                .iter()
                .map(u32::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        };
        if !regimes.contains(&regime) {
            let wrong = format!("no window tested on is in regime {regime}");
            return Err(Problem::new(wrong).expected(format!("one of {}", there())));
        }
        let rest = self
            .fit
            .as_ref()
            .and_then(|fit| fit.of_regimes(|other| other != regime));
        match (rest, self.test.of_regimes(|other| other == regime)) {
            (Some(fit), Some(test)) => Ok(self.derive(Some(fit), test)),
            _ => Err(
                Problem::new(format!("all windows fitted on are in regime {regime}"))
                    .expected("two regimes or more: with one there is nothing left to fit on"),
            ),
        }
    }
}

fn disjoint(fit: &Items, test: &Items) -> Result<(), Problem> {
    let ids: HashSet<&str> = fit.ids().iter().collect();
    if let Some(id) = test.ids().iter().find(|id| ids.contains(id)) {
        return Err(Problem::new(format!(
            "item `{id}` is both fitted and tested on"
        )));
    }
    if matches!(fit.inputs(), Inputs::Unseen(_)) {
        return Ok(());
    }
    let contents: HashMap<u64, usize> = (0..fit.len()).map(|i| (fit.content_hash(i), i)).collect();
    let twin = (0..test.len()).find_map(|i| Some((i, *contents.get(&test.content_hash(i))?)));
    match twin {
        Some((i, j)) => Err(Problem::new(format!(
            "item `{}` to be tested on has the same content as item `{}` fitted on",
            &test.ids()[i],
            &fit.ids()[j]
        ))
        .hint("drop one of the two, or put both on one side")),
        None => Ok(()),
    }
}

/// Where a dataset comes from: a part that reads or generates it.
pub trait Source: Send + Sync {
    /// What its items look like.
    fn kind(&self) -> InputKind;

    /// What is true of them.
    fn offers(&self) -> Question;

    /// Whether another seed gives other items.
    fn varies(&self) -> bool;

    /// The items, once and for all for this seed.
    fn load(&self, seed: Seed) -> Result<Dataset, Problem>;

    /// What it reads of tables that others may read too; what it alone reads it remarks on itself.
    fn tables(&self) -> Result<Vec<TableUse>, Problem> {
        Ok(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Images, REGIME, Windows};
    use crate::truth::Labels;

    fn split(ids: &[&str], pixels: &[f32]) -> Split {
        let images = Images::new([1, 1, 1], pixels.to_vec()).unwrap();
        let items = Items::new(
            ids.iter().map(|id| (*id).into()).collect(),
            Inputs::Images(images),
        )
        .unwrap();
        let labels = Labels::new(vec!["a".into()], vec![0; ids.len()]).unwrap();
        Split::new(items, Truth::Labels(labels)).unwrap()
    }

    #[test]
    fn a_dataset_whose_splits_share_an_id_or_a_content_is_refused() {
        let check = |fit: Split, expected: &str| {
            let problem = Dataset::new(Some(fit), split(&["x", "y"], &[0.1, 0.2])).unwrap_err();
            assert!(problem.message.contains(expected), "{problem}");
        };
        check(split(&["x"], &[0.9]), "item `x` is both");
        check(
            split(&["z"], &[0.2]),
            "item `y` to be tested on has the same content as item `z`",
        );
        assert!(Dataset::new(Some(split(&["z"], &[0.3])), split(&["x"], &[0.1])).is_ok());
    }

    fn in_regimes(of: &[u32], truth: Truth) -> Split {
        let values = (0..of.len()).map(|i| (100 * of.len() + i) as f64).collect();
        let windows = Windows::new(vec!["a".into()], 1, of.to_vec(), values).unwrap();
        let ids = (0..of.len()).map(|i| format!("{}-{i}", of.len())).collect();
        let column = of.iter().map(u32::to_string).collect();
        let items = Items::new(ids, Inputs::Windows(windows)).unwrap();
        Split::new(items, truth)
            .unwrap()
            .with_column(REGIME, column)
    }

    #[test]
    fn a_regime_held_out_is_tested_on_alone_against_its_own_truth() {
        let graph = |names: &[&str]| {
            crate::graph::Graph::new(names.iter().map(|n| (*n).into()).collect(), []).unwrap()
        };
        let truth = || Truth::Regimes {
            whole: graph(&["w"]),
            by_regime: vec![graph(&["r0"]), graph(&["r1"])],
        };
        let (fit, test) = (
            in_regimes(&[0, 1, 0], truth()),
            in_regimes(&[9, 1, 0, 1], truth()),
        );
        let held = Dataset::new(Some(fit), test).unwrap().hold_out(1).unwrap();
        assert_eq!(held.fit().unwrap().columns()[REGIME], ["0", "0"]);
        assert_eq!(held.test().items().ids(), ["4-1", "4-3"]);
        assert_eq!(held.test().truth().open().graph(), Some(&graph(&["r1"])));
    }

    #[test]
    fn a_regime_that_is_the_only_one_or_not_there_cannot_be_held_out() {
        let check = |fit: &[u32], regime: u32, expected: &str| {
            let (fit, test) = (
                in_regimes(fit, Truth::Nothing),
                in_regimes(&[1, 1, 1, 1, 1], Truth::Nothing),
            );
            let problem = Dataset::new(Some(fit), test)
                .unwrap()
                .hold_out(regime)
                .unwrap_err();
            assert!(problem.to_string().contains(expected), "{problem}");
        };
        check(
            &[7, 1],
            3,
            "no window tested on is in regime 3; expected one of 1",
        );
        check(
            &[1, 1],
            1,
            "all windows fitted on are in regime 1; expected two regimes or more",
        );
    }
}
