//! Fast adaptive boundary: to where the network would change its mind if it were linear, and back.
//!
//! # What it does
//! Aims at the `targets` most likely other classes in turn. Each step goes a little beyond the place
//! where the margin to that class would be gone if it went on as it does here, within the box, with a
//! pull towards the clean image; after a break it goes a tenth of the way back and tries again. One
//! search serves the whole ladder: on each rung those fall whose nearest break is within ε.
//!
//! # Why it matters
//! It looks for the shortest way and needs no step length, and it fails on other items than ascents
//! in a ball do: that is why it is in ensembles.
//!
//! # Severity
//! ε, the size of the change in the chosen norm, in pixel units of [0, 1]; `linf` from 0 to 1.
//!
//! # Promise
//! No image moves by more than ε in the norm, no pixel leaves [0, 1]; the caller checks both. It
//! never sees a label. It needs a subject that tells its logits: a network, or a
//! process that says `slopes` in its hello.
//!
//! # Example
//! ```toml
//! [ladder.fab]
//! use = "fab"
//! severities = ["2/255", "4/255", "8/255"]
//! ```
//!
//! # Reference
//! F. Croce and M. Hein, Minimally distorted adversarial examples with a fast adaptive boundary
//! attack, ICML 2020.

use duress_core::part::{Build, Field, Part, Takes};
use duress_core::stressor::Stressor;
use duress_nn::attack::Fab;

use crate::classify::frame::attack_keys;

/// The part.
pub static PART: Part = Part {
    name: "fab",
    version: 3,
    fields: &[
        attack_keys::NORM,
        Field {
            name: "targets",
            takes: Takes::Whole(1, 10000),
            doc: "how many of the most likely other classes are aimed at",
            default: Some("9"),
        },
        attack_keys::steps("how many steps towards each class", "100"),
        attack_keys::REPEATS,
    ],
    source: include_str!("fab.rs"),
    build: Build::Stressor(|params| {
        Ok(Stressor::Aware(Box::new(Fab {
            limits: attack_keys::limits(params),
            targets: params.count("targets"),
            steps: params.count("steps"),
        })))
    }),
};
