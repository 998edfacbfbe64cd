//! The norm that bounds an attack, as a key of a study.

use duress_core::part::{Field, Takes};
use duress_core::word::Word;
use duress_nn::attack::Norm;

/// The key `norm`.
pub(crate) const NORM: Field = Field {
    name: "norm",
    takes: Takes::Choice(Norm::spellings),
    doc: "what the severity bounds: the change of every pixel, or the Euclidean length of the change",
    default: Some("linf"),
};
