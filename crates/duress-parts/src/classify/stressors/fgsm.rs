//! The fast gradient method: one step up the loss, as far as the budget goes.
//!
//! # What it does
//! Moves each image by the whole severity in the direction in which the subject's loss at the true
//! label rises: for `linf` every pixel by ±ε (the fast gradient *sign* method), for `l2` along the
//! gradient. The gradient is asked for once per item and serves the whole ladder. An item that is
//! wrong when clean keeps its clean image; one that breaks at a smaller ε keeps the image that
//! broke it, so accuracy never rises with ε.
//!
//! # Why it matters
//! The cheapest attack, exact for linear networks. For others it is a lower bound on what an
//! attacker can do: a subject that withstands it and falls to `pgd` has not become robust, only
//! bumpy.
//!
//! # Severity
//! ε, the size of the change in the chosen norm, in pixel units of [0, 1]; `linf` from 0 to 1.
//!
//! # Promise
//! No image moves by more than ε in the norm, no pixel leaves [0, 1]; the caller checks both. It
//! asks the subject for its loss and never sees a label.
//!
//! # Example
//! ```toml
//! [ladder.fgsm]
//! use = "fgsm"
//! norm = "linf"
//! severities = ["2/255", "4/255", "8/255"]
//! ```
//!
//! # Reference
//! I. Goodfellow, J. Shlens and C. Szegedy, Explaining and harnessing adversarial examples, ICLR
//! 2015.

use duress_core::objective::Objective;
use duress_core::part::{Build, Part};
use duress_core::stressor::Stressor;
use duress_nn::attack::Ascent;

use crate::classify::frame::attack_keys;

/// The part.
pub static PART: Part = Part {
    name: "fgsm",
    version: 4,
    fields: &[attack_keys::NORM, attack_keys::REPEATS],
    source: include_str!("fgsm.rs"),
    build: Build::Stressor(|params| {
        Ok(Stressor::Aware(Box::new(Ascent {
            limits: attack_keys::limits(params),
            objective: Objective::CrossEntropy,
            targets: 0,
            steps: 1,
            step: 1.0,
            starts: 1,
            random_start: false,
        })))
    }),
};
