//! Transfer: images made against another subject of the study, shown to this one.
//!
//! # What it does
//! On each rung climbs a loss of the subject that `from` names, by `apgd` to the end of its steps
//! whether or not that subject falls (an image that only just breaks one network seldom breaks
//! another), and shows what came of it to the subject under test, which gives answers only. A ladder
//! is one pass: what is broken stays broken, and what stands is first looked at where the rung below
//! leads to. The subject that is climbed is not attacked by this ladder itself.
//!
//! # Why it matters
//! Who does not know a network attacks one like it. And it needs none of the gradients of the subject
//! under test: if more falls to it than to an attack on those, they are masked, which the report says
//! of every ladder that climbs them at the same severity.
//!
//! # Severity
//! ε, the size of the change in the chosen norm, in pixel units of [0, 1]; `linf` from 0 to 1.
//!
//! # Promise
//! No image moves by more than ε in the norm, no pixel leaves [0, 1]; the caller checks both. It
//! never sees a label. What it leaves standing says little: an attack on the subject itself is
//! stronger. The subject it climbs has to offer gradients (for losses other than `ce` its logits);
//! the one under test, nothing but answers.
//!
//! # Example
//! ```toml
//! [ladder.transfer]
//! use = "transfer"
//! from = "plain"
//! severities = ["2/255", "4/255", "8/255"]
//! ```
//!
//! # Reference
//! N. Papernot et al., Practical black-box attacks against machine learning, Asia CCS 2017; N.
//! Carlini et al., On evaluating adversarial robustness, 2019 (transfer as a test for masked gradients).

use duress_core::part::{Build, Field, Part, Takes};
use duress_core::stressor::Stressor;
use duress_nn::attack::Transfer;

use crate::classify::frame::attack_keys;

/// The part.
pub static PART: Part = Part {
    name: "transfer",
    version: 2,
    fields: &[
        Field {
            name: "from",
            takes: Takes::Subject,
            doc: "the other subject of the study whose slopes are climbed",
            default: None,
        },
        attack_keys::NORM,
        attack_keys::LOSS,
        attack_keys::REPEATS,
        attack_keys::steps("how many steps up the other subject's loss", "100"),
    ],
    source: include_str!("transfer.rs"),
    build: Build::Stressor(|params| {
        Ok(Stressor::Aware(Box::new(Transfer {
            limits: attack_keys::limits(params),
            from: params.subject("from").into(),
            objective: params.choice("loss"),
            steps: params.count("steps"),
        })))
    }),
};
