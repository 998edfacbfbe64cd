//! Claims and what became of them.

use duress_core::place::Place;
use serde::{Deserialize, Serialize};

use crate::quantity::{Quantity, Range, Reading};
use crate::words::ClaimSide;

/// A claim and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimFinding {
    /// Its name.
    pub name: String,
    /// The family it is corrected in.
    pub family: String,
    /// The claim as a sentence.
    pub sentence: String,
    /// The gauge.
    #[serde(default)]
    pub gauge: String,
    /// Where it was read.
    #[serde(default)]
    pub of: Option<Place>,
    /// What it was compared with, if anything.
    #[serde(default)]
    pub against: Option<Place>,
    /// What became of it.
    pub verdict: Verdict,
    /// Why, in a sentence.
    pub why: String,
    /// What would decide it, when it is undecided.
    pub would_decide: Option<String>,
    /// The difference or the value that was judged.
    pub quantity: Quantity,
    /// The interval the verdict rests on, after correction over the family.
    pub judged_by: Result<Range, String>,
    /// How that interval was made, and over how many units.
    #[serde(default)]
    pub judged_how: String,
    /// The margin.
    pub margin: f64,
    /// The side: `greater`, `less` or `equivalent`.
    pub side: ClaimSide,
    /// The test against zero.
    pub test: Result<TestCard, String>,
    /// Effect sizes by name; the name says the denominator.
    pub effects: Vec<(String, Reading)>,
    /// What this n can show at all: smallest reachable p, smallest detectable effect, in sentences.
    pub power: Vec<String>,
}

impl ClaimFinding {
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

/// A test against zero: significance, which is not the verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestCard {
    /// Which test, in which form.
    pub method: String,
    /// Its statistic.
    pub statistic: f64,
    /// Its p-value.
    pub p: f64,
    /// The p-value after correction over the family.
    pub p_adjusted: f64,
    /// The correction, with the size of the family.
    pub correction: String,
    /// The level.
    pub alpha: f64,
    /// Whether the adjusted p-value is below the level.
    pub significant: bool,
    /// How many units the test saw.
    pub n: usize,
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The interval lies beyond the margin.
    Upheld,
    /// The interval lies wholly short of it.
    Refuted,
    /// Neither.
    Undecided,
}
