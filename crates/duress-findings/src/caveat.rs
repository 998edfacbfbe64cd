//! Caveats: doubts the program raises itself; and cells that have no answers.

use duress_core::name::Name;
use duress_core::place::Place;
use serde::{Deserialize, Serialize};

/// A doubt the program raises itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Caveat {
    /// The doubt, as a sentence.
    pub text: String,
    /// The subject it touches; none: all.
    pub subject: Option<Name>,
    /// The dataset it touches; none: all.
    pub dataset: Option<Name>,
    /// The ladder it touches; none: all.
    pub ladder: Option<Name>,
    /// The gauge it touches; none: all.
    pub gauge: Option<String>,
    /// The claim it touches; none: all.
    pub claim: Option<String>,
}

/// A cell without answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedCell {
    /// Where.
    pub place: Place,
    /// The seed of the replicate.
    pub seed: u64,
    /// What happened.
    pub why: String,
}
