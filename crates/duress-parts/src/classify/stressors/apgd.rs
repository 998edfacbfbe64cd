//! Auto-PGD: ascent whose step halves by itself and whose best point is kept.
//!
//! # What it does
//! From a random point within the budget takes `steps` steps up a loss at the true label, with a
//! share of the last move in each. A step is first 2ε long; after each of ever shorter periods it is
//! halved, and the ascent goes on from the best point so far, if too few steps raised the loss or
//! nothing better was found. With `targets` above 0 that many of the most likely other classes are
//! aimed at, one after the other; `restarts` times each. A ladder is one pass, as for `pgd`: what is
//! broken stays broken, what stands is first looked at where the rung below leads to, and each item
//! is spent on only until it falls.
//!
//! # Why it matters
//! There is no step length to choose, and a step that never gets shorter leaves robust networks two
//! or three points too many. With `loss = "dlr"`, aimed, it is the strongest part of AutoAttack; the
//! ratio of logits has slopes however large logits are.
//!
//! # Severity
//! ε, the size of the change in the chosen norm, in pixel units of [0, 1]; `linf` from 0 to 1.
//!
//! # Promise
//! No image moves by more than ε in the norm, no pixel leaves [0, 1]; the caller checks both. It
//! asks for losses and never sees a label. It doubts itself aloud, as `pgd` does. Losses other than
//! `ce`, and aiming, need a subject that tells its logits: a network, or a process that says
//! `slopes` in its hello.
//!
//! # Example
//! ```toml
//! [ladder.apgd]
//! use = "apgd"
//! loss = "dlr"
//! targets = 9
//! severities = ["2/255", "4/255", "8/255"]
//! ```
//!
//! # Reference
//! F. Croce and M. Hein, Reliable evaluation of adversarial robustness with an ensemble of diverse
//! parameter-free attacks, ICML 2020.

use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::stressor::Stressor;
use duress_nn::attack::Apgd;

use crate::classify::frame::attack_keys;

/// The part.
pub static PART: Part = Part {
    name: "apgd",
    version: 2,
    fields: FIELDS,
    source: include_str!("apgd.rs"),
    build: Build::Stressor(|params| Ok(Stressor::Aware(Box::new(apgd(params))))),
};

const FIELDS: &[Field] = &[
    attack_keys::NORM,
    attack_keys::LOSS,
    attack_keys::REPEATS,
    Field {
        name: "targets",
        takes: Takes::Whole(0, 10_000),
        doc: "how many of the most likely other classes are aimed at, one after the other; 0 aims at none",
        default: Some("0"),
    },
    attack_keys::steps("how many steps from each start", "100"),
    Field {
        name: "restarts",
        takes: Takes::Whole(1, 10_000),
        doc: "how many starts, for each class that is aimed at",
        default: Some("1"),
    },
];

fn apgd(params: &Params) -> Apgd {
    Apgd {
        limits: attack_keys::limits(params),
        objective: params.choice("loss"),
        targets: params.count("targets"),
        steps: params.count("steps"),
        starts: params.count("restarts"),
    }
}
