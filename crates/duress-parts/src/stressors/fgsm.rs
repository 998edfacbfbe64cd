//! The fast gradient method: one step up the loss, as far as the budget goes.
//!
//! # What it does
//! Moves each image by the whole severity in the direction in which the subject's loss at the true label rises: for `linf`
//! every pixel by ±ε (the fast gradient *sign* method), for `l2` along the gradient. The gradient is asked for once per item
//! and serves the whole ladder. An item that is wrong when clean keeps its clean image; one that breaks at a smaller ε keeps
//! the image that broke it, so accuracy never rises with ε.
//!
//! # Why it matters
//! The cheapest attack, exact for linear networks. For others it is a lower bound on what an attacker can do: a subject that
//! withstands it and falls to `pgd` has not become robust, only bumpy.
//!
//! # Severity
//! ε, the size of the change in the chosen norm, in pixel units of [0, 1]; `linf` from 0 to 1.
//!
//! # Promise
//! No image moves by more than ε in the norm, no pixel leaves [0, 1]; the caller checks both. It asks the subject for its
//! loss and never sees a label.
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
//! I. Goodfellow, J. Shlens and C. Szegedy, Explaining and harnessing adversarial examples, ICLR 2015.

use duress_core::data::{InputKind, Items};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Aware, Climb, Pressure, Promise, Stressor, Target};
use duress_core::subject::Failure;
use duress_nn::attack::{Ascent, Norm};

/// The part.
pub static PART: Part = Part {
    name: "fgsm",
    version: 1,
    fields: &[Field {
        name: "norm",
        takes: Takes::Choice(&["linf", "l2"]),
        doc: "what the severity bounds: the change of every pixel, or the Euclidean length of the change",
        default: Some("linf"),
    }],
    source: include_str!("fgsm.rs"),
    build: Build::Stressor(|params| Ok(Stressor::Aware(Box::new(Fgsm::new(params))))),
};

struct Fgsm {
    norm: Norm,
}

impl Fgsm {
    fn new(params: &Params) -> Fgsm {
        Fgsm { norm: if params.text("norm") == "l2" { Norm::L2 } else { Norm::Linf } }
    }
}

impl Aware for Fgsm {
    fn pressure(&self) -> Pressure {
        let (unit, most, promise) = match self.norm {
            Norm::Linf => ("ε in L∞, in pixel units", 1.0, Promise::Linf),
            Norm::L2 => ("ε in L2, in pixel units", f64::MAX, Promise::L2),
        };
        Pressure { accepts: InputKind::Images, unit, most, sees_truth: false, promise }
    }

    fn climb(
        &self,
        items: &Items,
        target: &Target<'_>,
        severities: &[Severity],
        seed: Seed,
    ) -> Result<Climb, Failure> {
        let one_step = Ascent { norm: self.norm, steps: 1, step: 1.0, starts: 1, random_start: false };
        one_step.climb(items, severities, seed, &|which, pixels, slope| target.loss(which, pixels, slope))
    }
}
