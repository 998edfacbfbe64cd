//! Comparisons: what changed between two runs.

use duress_core::place::Place;
use serde::Serialize;

use crate::quantity::{Quantity, Reading};

/// What changed between two runs.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The study hash of the first run.
    pub before: String,
    /// The study hash of the second.
    pub after: String,
    /// The level of every interval.
    pub level: f64,
    /// Every gauge at every place that both runs have.
    pub changes: Vec<Change>,
    /// What only one of them has, in words.
    pub unmatched: Vec<String>,
    /// What a reader should know.
    pub caveats: Vec<String>,
}

/// One gauge at one place, before and after.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
    /// Where.
    pub place: Place,
    /// The gauge.
    pub gauge: String,
    /// In the first run, over what both have.
    pub before: Reading,
    /// In the second.
    pub after: Reading,
    /// After minus before, paired.
    pub difference: Quantity,
    /// Which way it went.
    pub verdict: Moved,
}

/// Which way a gauge went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moved {
    /// The interval of the difference lies on the better side of zero.
    Better,
    /// It lies on the worse side.
    Worse,
    /// It lies on one side, and neither is better.
    Changed,
    /// Nothing changed at all: every reading is the same.
    Same,
    /// The interval holds zero.
    Unclear,
    /// There is no interval, and the difference says why.
    Undefined,
}

impl Moved {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Moved::Better => "better",
            Moved::Worse => "worse",
            Moved::Changed => "changed",
            Moved::Same => "same",
            Moved::Unclear => "unclear",
            Moved::Undefined => "undefined",
        }
    }
}

impl Comparison {
    /// How many changes went which way.
    pub fn count(&self, moved: Moved) -> usize {
        self.changes
            .iter()
            .filter(|change| change.verdict == moved)
            .count()
    }

    /// Whether the second run has no value where the first had one.
    pub fn lost(&self) -> bool {
        self.changes
            .iter()
            .any(|change| change.before.value().is_some() && change.after.value().is_none())
    }

    /// The changes in one sentence.
    pub fn verdict(&self) -> String {
        let changed = match self.count(Moved::Changed) {
            0 => String::new(),
            some => format!("{some} changed neither way, "),
        };
        format!(
            "{} better, {} worse, {changed}{} unclear, {} the same, {} undefined, of {} comparisons",
            self.count(Moved::Better),
            self.count(Moved::Worse),
            self.count(Moved::Unclear),
            self.count(Moved::Same),
            self.count(Moved::Undefined),
            self.changes.len()
        )
    }
}
