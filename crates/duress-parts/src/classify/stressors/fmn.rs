//! Fast minimum norm: how little it takes to break each item.
//!
//! # What it does
//! Climbs the margin in steps of falling length within a ball around the item, which shrinks after a
//! break and grows where there is none. One search of `steps` gradients serves the whole ladder: on
//! each rung those fall whose nearest break is within ε.
//!
//! # Why it matters
//! A fixed budget asks whether an item falls within ε; this asks how near it is to falling, for all ε
//! at once, and costs no more for a ladder of many rungs than for one.
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
//! [ladder.fmn]
//! use = "fmn"
//! norm = "l2"
//! severities = [0.25, 0.5, 1.0, 2.0]
//! ```
//!
//! # Reference
//! M. Pintor et al., Fast minimum-norm adversarial attacks through adaptive norm constraints, NeurIPS
//! 2021.

use duress_core::part::{Build, Part};
use duress_core::stressor::Stressor;
use duress_nn::attack::Fmn;

use crate::classify::frame::attack_keys;

/// The part.
pub static PART: Part = Part {
    name: "fmn",
    version: 2,
    fields: &[
        attack_keys::NORM,
        attack_keys::steps("how many steps", "100"),
        attack_keys::REPEATS,
    ],
    source: include_str!("fmn.rs"),
    build: Build::Stressor(|params| {
        Ok(Stressor::Aware(Box::new(Fmn {
            limits: attack_keys::limits(params),
            steps: params.count("steps"),
        })))
    }),
};
