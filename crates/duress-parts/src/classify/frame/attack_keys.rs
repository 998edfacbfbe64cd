//! The keys that attacks share: what bounds them, what they climb, and how they treat a subject that
//! changes its mind.

use duress_core::objective::Objective;
use duress_core::part::{Field, Params, Takes};
use duress_core::word::Word;
use duress_nn::attack::{Limits, Norm};

/// The key `norm`.
pub(crate) const NORM: Field = Field {
    name: "norm",
    takes: Takes::Choice(Norm::spellings),
    doc: "what the severity bounds: the change of every pixel, the Euclidean length of the change, or the sum of all changes",
    default: Some("linf"),
};

/// The key `loss`.
pub(crate) const LOSS: Field = Field {
    name: "loss",
    takes: Takes::Choice(Objective::spellings),
    doc: "what is climbed: cross-entropy, the margin between logits, that margin as a share of the spread of logits (DLR), or the margin between probabilities",
    default: Some("ce"),
};

/// The key `repeats`.
pub(crate) const REPEATS: Field = Field {
    name: "repeats",
    takes: Takes::Whole(2, 1000),
    doc: "on a subject that is found to be randomised: of how many answers a loss or a gradient is the mean; a break is confirmed by three times as many further ones",
    default: Some("4"),
};

/// The key `steps`.
pub(crate) const fn steps(doc: &'static str, default: &'static str) -> Field {
    Field {
        name: "steps",
        takes: Takes::Whole(1, 100_000),
        doc,
        default: Some(default),
    }
}

/// What the keys `norm` and `repeats` say.
pub(crate) fn limits(params: &Params) -> Limits {
    Limits {
        norm: params.choice("norm"),
        repeats: params.count("repeats"),
    }
}
