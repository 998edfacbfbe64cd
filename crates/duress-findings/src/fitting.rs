//! Fittings: how what was taught here was taught.

use duress_core::fitting::LearningCurve;
use duress_core::name::Name;
use serde::{Deserialize, Serialize};

/// How fitting a subject went, for one of the study's seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitting {
    /// The subject.
    pub subject: Name,
    /// The seed.
    pub seed: u64,
    /// What was watched, step by step.
    #[serde(flatten)]
    pub curve: LearningCurve,
}
