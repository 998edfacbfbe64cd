//! Gauges of explanations beside each other: whether they rank subjects alike.

use duress_core::name::Name;
use duress_core::place::Under;
use serde::{Deserialize, Serialize};

use crate::quantity::Reading;

/// How far the gauges of explanations agree on which subject is best.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplanationAgreement {
    /// The dataset.
    pub dataset: Name,
    /// Kendall's τ-b, the mean over all pairs of gauges: 1 where all rank alike, −1 where two rank
    /// the other way round; or why it is not shown.
    pub tau: Reading,
    /// The ranks by each gauge.
    pub gauges: Vec<RankedSubjects>,
}

/// The ranks of subjects by a gauge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankedSubjects {
    /// The gauge.
    pub gauge: String,
    /// Under what it was read: clean, or the hardest rung of the first ladder where it reads no
    /// clean cell.
    pub under: Under,
    /// Each subject with its rank, 1 for the best; equal ones share the mean of theirs.
    pub ranks: Vec<(Name, f64)>,
}
