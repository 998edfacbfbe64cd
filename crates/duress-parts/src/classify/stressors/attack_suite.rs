//! A fixed ensemble of attacks that fail for different reasons.
//!
//! # What it does
//! On each rung, on whoever still stands: `apgd` on the cross-entropy (100 steps), `apgd` on the DLR
//! aimed at the nine most likely other classes (100 steps each), `fab` aimed at the same (100 steps
//! each), and in L∞ and L2 `square` (5,000 questions). Each item is spent on only until it falls, and what
//! is broken stays broken. A subject that is found to be randomised meets `apgd` on the cross-entropy
//! and on the DLR (50 steps each), with gradients averaged over `repeats` answers and breaks confirmed
//! by three times as many further ones. One that tells the gradient of its cross-entropy only meets the first and the last
//! of the four; one that gives answers only meets `square` and, in L∞, `rays`; the report says so.
//!
//! # Why it matters
//! One attack measures what one attack can do. What survives several that need different things of a
//! subject (slopes of a sure softmax, slopes of logits, a boundary, answers) is a far better estimate
//! of what is robust, though no proof. Nothing about it can be chosen, so that two studies that name
//! it mean the same.
//!
//! # Severity
//! ε, the size of the change in the chosen norm, in pixel units of [0, 1]; `linf` from 0 to 1.
//!
//! # Promise
//! No image moves by more than ε in the norm, no pixel leaves [0, 1]; the caller checks both. It
//! never sees a label. Where answers alone break what gradients did not, it says that
//! gradients are masked.
//!
//! # Example
//! ```toml
//! [ladder.attack-suite]
//! use = "attack-suite"
//! severities = ["2/255", "4/255", "8/255"]
//! ```
//!
//! # Reference
//! F. Croce and M. Hein, Reliable evaluation of adversarial robustness with an ensemble of diverse
//! parameter-free attacks, ICML 2020 (AutoAttack, whose standard and rand versions this follows).

use duress_core::part::{Build, Part};
use duress_core::stressor::Stressor;
use duress_nn::attack::Suite;

use crate::classify::frame::attack_keys;

/// The part.
pub static PART: Part = Part {
    name: "attack-suite",
    version: 4,
    fields: &[attack_keys::NORM, attack_keys::REPEATS],
    source: include_str!("attack_suite.rs"),
    build: Build::Stressor(|params| {
        Ok(Stressor::Aware(Box::new(Suite {
            limits: attack_keys::limits(params),
        })))
    }),
};
