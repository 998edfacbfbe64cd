//! Comparisons: what changed between two runs.

use std::fmt;

use duress_core::place::Place;
use serde::Serialize;

use crate::id::Id;
use crate::quantity::{Quantity, Reading};
use crate::tagged::tagged;
use crate::words::{DriftVerdict, Moved, WhichRun};

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
    /// Of judges whose responses are others than before: who changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drifts: Vec<Drift>,
    /// What only one of them has.
    pub unmatched: Vec<Unmatched>,
    /// What a reader should know.
    pub caveats: Vec<ComparisonDoubt>,
}

/// Whether a judge changed between two runs, or what it judges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Drift {
    /// The judge.
    pub judge: String,
    /// The gauge of its ratings.
    pub gauge: String,
    /// The datasets with the same responses in both runs.
    pub anchors: Vec<String>,
    /// Those with others.
    pub others: Vec<String>,
    /// Who changed.
    pub verdict: DriftVerdict,
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Drift { judge, gauge, .. } = self;
        let (anchors, others) = (self.anchors.join(", "), self.others.join(", "));
        write!(f, "{gauge} of {judge}: ")?;
        match self.verdict {
            DriftVerdict::Judge => write!(
                f,
                "the judge changed: it rates {anchors} otherwise, where every response is as it was. What changed in {others} cannot be told from that."
            ),
            DriftVerdict::System => write!(
                f,
                "the responses of {others} changed: by more than the judge did on {anchors}, where every response is as it was."
            ),
            DriftVerdict::Either => write!(
                f,
                "{others} changed, and so little that the judge could have: on {anchors}, where every response is as it was, no more is ruled out."
            ),
            DriftVerdict::Neither => write!(
                f,
                "no change is shown, neither in {others} nor on {anchors}, where every response is as it was."
            ),
            DriftVerdict::NoAnchor => write!(
                f,
                "the responses of {others} are others than before, and no dataset is the same in both runs: whether the judge changed cannot be told."
            ),
        }
    }
}

/// What only one of two runs has.
#[derive(Clone, Debug, Serialize)]
pub struct Unmatched {
    /// The run that has it.
    pub run: WhichRun,
    /// The gauge.
    pub gauge: String,
    /// Where.
    pub place: Place,
}

impl fmt::Display for Unmatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unmatched { run, gauge, place } = self;
        let place = place.in_words(true);
        write!(f, "only in the {run} run: {gauge} of {place}")
    }
}

tagged! {
    /// What a reader of a comparison should know.
    pub enum ComparisonDoubt {
        /// Better and worse are adjusted over all comparisons, in each direction; intervals are not.
        Adjusted {
            /// How many.
            comparisons: usize,
            /// The level of intervals.
            level: f64,
        } = "adjusted" => "{comparisons} comparisons: better and worse are adjusted over all of them (Holm, {:.1} % in each direction); the intervals are not.", 100.0 * (1.0 - level);
        /// Files of a ledger from before there were checksums.
        UncheckedFiles {
            /// Whose.
            run: WhichRun,
            /// How many.
            files: usize,
        } = "unchecked-files" => "In the {run} run: {files} {} no checksum (an earlier duress wrote none): damage there would not be noticed.", if *files == 1 { "file of the ledger has" } else { "files of the ledger have" };
        /// Seeds that only one of the runs has.
        SharedSeeds {
            /// How many both have.
            shared: usize,
        } = "shared-seeds" => "Only {shared} seeds are in both runs; the others are left out.";
    }
}

/// One gauge at one place, before and after.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
    /// How it is quoted: as the estimate it is about.
    pub id: Id,
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

    /// Whether not one difference could be told: no common place, no common item, no common seed.
    pub fn is_empty(&self) -> bool {
        self.count(Moved::Undefined) == self.changes.len()
    }

    /// What is said below the numbers: what only one run has, and what a reader should know.
    pub fn remarks(&self) -> Vec<String> {
        let drifts = self.drifts.iter().map(ToString::to_string);
        let unmatched = self.unmatched.iter().map(ToString::to_string);
        let caveats = self.caveats.iter().map(ToString::to_string);
        drifts.chain(unmatched).chain(caveats).collect()
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
