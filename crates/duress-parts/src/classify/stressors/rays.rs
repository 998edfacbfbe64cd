//! Ray search: the nearest wrong answer along diagonal directions. Needs the answered label only.
//!
//! # What it does
//! Moves all pixels up or down together and looks how near the first wrong answer is in that
//! direction; turns blocks of pixels round, ever smaller ones, and keeps a turn after which it is
//! nearer. One search of `queries` questions serves the whole ladder: on each rung those fall whose
//! wrong answer is within ε.
//!
//! # Why it matters
//! The weakest view of a subject that still allows an attack: right or wrong, nothing else. It works
//! on any classifier of images, and no masking of gradients or probabilities reaches it.
//!
//! # Severity
//! ε, the largest change of a pixel, in pixel units of [0, 1]; from 0 to 1.
//!
//! # Promise
//! No image moves by more than ε in the norm, no pixel leaves [0, 1]; the caller checks both. It
//! never sees a label.
//!
//! # Example
//! ```toml
//! [ladder.rays]
//! use = "rays"
//! queries = 2000
//! severities = ["4/255", "8/255"]
//! ```
//!
//! # Reference
//! J. Chen and Q. Gu, RayS: a ray searching method for hard-label adversarial attack, KDD 2020.

use duress_core::part::{Build, Field, Part, Takes};
use duress_core::stressor::Stressor;
use duress_nn::attack::{Limits, Norm, Rays};

use crate::classify::frame::attack_keys;

/// The part.
pub static PART: Part = Part {
    name: "rays",
    version: 2,
    fields: &[
        Field {
            name: "queries",
            takes: Takes::Whole(1, 1000000),
            doc: "how often an item may be asked about, for all rungs together",
            default: Some("2000"),
        },
        attack_keys::REPEATS,
    ],
    source: include_str!("rays.rs"),
    build: Build::Stressor(|params| {
        Ok(Stressor::Aware(Box::new(Rays {
            queries: params.count("queries"),
            limits: Limits {
                norm: Norm::Linf,
                repeats: params.count("repeats"),
            },
        })))
    }),
};
