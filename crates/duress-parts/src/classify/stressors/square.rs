//! The Square attack: random squares of an image, kept where they hurt. Needs answers only.
//!
//! # What it does
//! In L∞ begins with stripes of ±ε, then moves one random square at a time to +ε or −ε, channel by
//! channel, and keeps it where the answer is no surer. In L2 begins with a grid of small bumps, then
//! empties one random square at a time and puts its share of the length into a pair of bumps in
//! another. Squares get smaller as questions are used up.
//! An item is asked about at most `queries` times on each rung, and only until it falls. A ladder is
//! one pass: what is broken stays broken.
//!
//! # Why it matters
//! It climbs no gradient, so that nothing is gained by hiding one: what falls to it and not to an
//! attack with gradients says that gradients are masked. Any classifier of images can be attacked,
//! whatever it is made of. Where answers are labels without probabilities it only wanders: `rays` is
//! made for that.
//!
//! # Severity
//! ε, the size of the change in the chosen norm, in pixel units of [0, 1]; `linf` from 0 to 1.
//!
//! # Promise
//! No image moves by more than ε in the norm, no pixel leaves [0, 1]; the caller checks both. It
//! never sees a label.
//!
//! # Example
//! ```toml
//! [ladder.square]
//! use = "square"
//! queries = 1000
//! severities = ["2/255", "4/255", "8/255"]
//! ```
//!
//! # Reference
//! M. Andriushchenko et al., Square Attack: a query-efficient black-box adversarial attack via random
//! search, ECCV 2020.

use duress_core::part::{Build, Field, Part, Takes};
use duress_core::stressor::Stressor;
use duress_core::word::Word;
use duress_nn::attack::{Limits, Norm, Square};

use crate::classify::frame::attack_keys;

duress_core::words! {
    /// What Square may bound.
    enum SquareNorm {
        /// The largest change of a pixel.
        Linf = "linf",
        /// The Euclidean length of the change.
        L2 = "l2",
    }
}

impl From<SquareNorm> for Norm {
    fn from(norm: SquareNorm) -> Norm {
        match norm {
            SquareNorm::Linf => Norm::Linf,
            SquareNorm::L2 => Norm::L2,
        }
    }
}

/// The part.
pub static PART: Part = Part {
    name: "square",
    version: 2,
    fields: &[
        Field {
            name: "norm",
            takes: Takes::Choice(SquareNorm::spellings),
            doc: "what the severity bounds: the change of every pixel, or the Euclidean length of the change",
            default: Some("linf"),
        },
        Field {
            name: "queries",
            takes: Takes::Whole(1, 1000000),
            doc: "how often an item may be asked about on each rung",
            default: Some("5000"),
        },
        attack_keys::REPEATS,
    ],
    source: include_str!("square.rs"),
    build: Build::Stressor(|params| {
        Ok(Stressor::Aware(Box::new(Square {
            queries: params.count("queries"),
            limits: Limits {
                norm: params.choice::<SquareNorm>("norm").into(),
                repeats: params.count("repeats"),
            },
        })))
    }),
};
