//! Fitting: what a subject is told beside its lesson, and where it tells how far it is and keeps
//! what is half done.

use serde::{Deserialize, Serialize};

use crate::subject::Failure;

/// What a subject is fitted under, beside its items and its seed.
#[derive(Clone, Copy)]
pub struct FitTerms<'a> {
    /// The study's seed.
    pub replicate: u64,
    /// The cluster of each item, where items belong together; an empty one is a cluster of its own.
    pub clusters: Option<&'a [String]>,
    /// Where it tells how far it is, and keeps what is half done.
    pub keeper: &'a dyn FitKeeper,
}

/// Takes in what a fitting tells of itself, and keeps what is half done: a run that is killed goes
/// on there, and comes to the same as one that was not.
pub trait FitKeeper: Send + Sync {
    /// What an earlier run left half done, as it was kept.
    fn half_done(&self) -> Option<Vec<u8>>;

    /// Whether it is time to keep what is half done once more. May be asked after every step: what
    /// keeping costs is then a small share of the fitting.
    fn is_due(&self) -> bool;

    /// Keeps what is half done, in place of what was kept before.
    fn keep(&self, half_done: &[u8]) -> Result<(), Failure>;

    /// Hears how far it is.
    fn hear(&self, progress: &FitProgress);
}

/// How far a fitting is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitProgress {
    /// Steps that are done.
    pub done: u64,
    /// Of how many; the most there can be, where a fitting may stop early.
    pub of: u64,
    /// What is watched meanwhile, such as `loss` and `learning rate`.
    pub watched: Vec<(String, f64)>,
}

/// How a fitting went, from its first step to its last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LearningCurve {
    /// What a value stands for: `epoch`.
    pub step: String,
    /// The step whose result was handed over, counted from 1; none where it is the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<usize>,
    /// What was watched, each with a value per step.
    pub series: Vec<WatchedSeries>,
}

/// Something that was watched while something was fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchedSeries {
    /// What it is: `loss`, `learning rate`, `validation`.
    pub name: String,
    /// Its values, step by step.
    pub values: Vec<f64>,
}

/// Keeps nothing and tells nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unkept;

impl FitKeeper for Unkept {
    fn half_done(&self) -> Option<Vec<u8>> {
        None
    }

    fn is_due(&self) -> bool {
        false
    }

    fn keep(&self, _half_done: &[u8]) -> Result<(), Failure> {
        Ok(())
    }

    fn hear(&self, _progress: &FitProgress) {}
}

impl FitTerms<'static> {
    /// For one of the study's seeds, with items that do not belong together, and nothing kept.
    pub fn of_replicate(replicate: u64) -> FitTerms<'static> {
        FitTerms {
            replicate,
            clusters: None,
            keeper: &Unkept,
        }
    }
}
