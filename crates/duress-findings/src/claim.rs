//! Claims and what became of them.

use duress_core::place::Place;
use serde::{Deserialize, Serialize};

use crate::id::Id;
use crate::method::Method;
use crate::quantity::{Quantity, Range, Reading};
use crate::reason::AbsenceReason;
use crate::resampled::Resampled;
use crate::tagged::tagged;
use crate::test::TestCard;
use crate::words::{ClaimSide, Units, Verdict};

/// A claim and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClaimFinding {
    /// How it is quoted.
    pub id: Id,
    /// Its name.
    pub name: String,
    /// The family it is corrected in.
    pub family: String,
    /// The claim as a sentence.
    pub sentence: String,
    /// The gauge.
    pub gauge: String,
    /// Where it was read.
    pub of: Option<Place>,
    /// What it was compared with, if anything.
    pub against: Option<Place>,
    /// What became of it.
    pub verdict: Verdict,
    /// Why, in a sentence.
    pub why: String,
    /// What would decide it, when it is undecided.
    pub would_decide: Option<String>,
    /// The difference or the value that was judged.
    pub quantity: Quantity,
    /// The interval beside the verdict, by the same method, at `1 − 2α`: not adjusted over the family.
    pub judged_by: Result<Range, AbsenceReason>,
    /// How that interval was made, and over how many units; none where there is none.
    pub judged_how: Option<JudgingMethod>,
    /// The margin.
    pub margin: f64,
    /// The side.
    pub side: ClaimSide,
    /// The test against zero.
    pub test: Result<TestCard, AbsenceReason>,
    /// Effect sizes by name; the name says the denominator.
    pub effects: Vec<(String, Reading)>,
    /// What this n can show at all: smallest reachable p, smallest detectable effect, in sentences.
    pub power: Vec<String>,
    /// Whether, with this many units, no outcome could have stood.
    pub out_of_reach: bool,
}

impl ClaimFinding {
    /// A claim of which nothing is known yet.
    pub fn new(name: &str, family: &str, side: ClaimSide, margin: f64) -> ClaimFinding {
        let nothing = AbsenceReason::NothingToRead;
        ClaimFinding {
            id: Id::claim(name),
            name: name.into(),
            family: family.into(),
            sentence: String::new(),
            gauge: String::new(),
            of: None,
            against: None,
            verdict: Verdict::Undecided,
            why: String::new(),
            would_decide: None,
            quantity: Quantity::absent(nothing.clone()),
            judged_by: Err(nothing.clone()),
            judged_how: None,
            margin,
            side,
            test: Err(nothing),
            effects: Vec::new(),
            power: Vec::new(),
            out_of_reach: false,
        }
    }

    /// Whether a difference was judged; else the value itself.
    pub fn is_difference(&self) -> bool {
        self.against.is_some()
    }

    /// The lines its interval is judged by.
    pub fn margins(&self) -> Vec<f64> {
        match self.side {
            ClaimSide::Equivalent => vec![-self.margin, self.margin],
            ClaimSide::Less if self.is_difference() => vec![-self.margin],
            _ => vec![self.margin],
        }
    }
}

tagged! {
    /// How the interval beside a verdict was made.
    pub enum JudgingMethod {
        /// As that of the estimate, at the claim's own level.
        AsEstimated {
            /// How that is made.
            method: Method,
            /// Of what.
            unit: Resampled,
        } = "as-estimated" => "{method} over {unit}";
        /// Student's t over seeds that met the same items, which are taken as they are.
        TOverSeeds {
            /// How many.
            seeds: usize,
        } = "t-over-seeds" => "t over {seeds} seeds, for these items only";
        /// Student's t over items, the seeds taken as they are.
        TOverItems {
            /// How many.
            items: usize,
        } = "t-over-items" => "t over {items} items, for these seeds only";
        /// Student's t on values.
        T {
            /// How many.
            n: usize,
            /// Of what.
            unit: Units,
        } = "t" => "t over {n} {unit}";
        /// Student's t on paired differences.
        PairedT {
            /// How many.
            n: usize,
            /// Of what.
            unit: Units,
        } = "paired-t" => "paired t over {n} {unit}";
    }
}
