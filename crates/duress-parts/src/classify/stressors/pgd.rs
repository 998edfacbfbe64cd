//! Projected gradient descent: many small steps up the loss within a budget.
//!
//! # What it does
//! From a random point within the budget (or, without `random-start`, from the image itself) takes
//! `steps` steps up a loss at the true label, each `step` times ε long, back into the budget and
//! into [0, 1] after each; `restarts` times. `loss` is cross-entropy, or a margin, which has slopes
//! where a sure softmax has none. With `targets` that many of the most likely other classes are
//! aimed at, one after the other. In L∞ every pixel of a start is uniform
//! within the budget; in L2 its direction and its distance are. A ladder is one pass: an item that
//! is wrong when clean keeps its clean image, one that breaks keeps the image that broke it at
//! every larger ε, and only what still stands is attacked further: first by one look at the image
//! that hurt it most below, stretched to the larger ε, then by all steps from its own start. Its
//! image is the one with the highest loss met so far. Accuracy never rises with ε. One in twenty of
//! the items broken at a smaller ε is attacked again, to see whether a larger ε looks weaker. Some
//! clean items are asked about twice before the first step: on a subject that is found to be
//! randomised every gradient is the mean of `repeats` answers, and a break counts, and is carried
//! up, only when three times as many further answers confirm it.
//!
//! # Why it matters
//! The standard first-order attack: what a subject keeps under it, with enough steps and restarts,
//! is the usual measure of robustness. It finds an upper bound of the true robust accuracy, never a
//! proof.
//!
//! # Severity
//! ε, the size of the change in the chosen norm, in pixel units of [0, 1]; `linf` from 0 to 1.
//!
//! # Promise
//! No image moves by more than ε in the norm, no pixel leaves [0, 1]; the caller checks both. It
//! asks the subject for its loss and never sees a label. It doubts itself aloud: gradients that are
//! exactly zero or lead nowhere, a subject that answers the same question differently, a larger ε
//! that looks weaker, a loss that still rises at the last step, restarts that still break items.
//!
//! # Example
//! ```toml
//! [ladder.pgd]
//! use = "pgd"
//! norm = "linf"
//! steps = 10
//! restarts = 2
//! severities = ["2/255", "4/255", "8/255"]
//! ```
//!
//! # Reference
//! A. Madry et al., Towards deep learning models resistant to adversarial attacks, ICLR 2018; N.
//! Carlini et al., On evaluating adversarial robustness, 2019 (the doubts).

use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::stressor::Stressor;
use duress_nn::attack::Ascent;

use crate::classify::frame::attack_keys;

/// The part.
pub static PART: Part = Part {
    name: "pgd",
    version: 5,
    fields: FIELDS,
    source: include_str!("pgd.rs"),
    build: Build::Stressor(|params| Ok(Stressor::Aware(Box::new(ascent(params)?)))),
};

const FIELDS: &[Field] = &[
    attack_keys::NORM,
    attack_keys::LOSS,
    attack_keys::REPEATS,
    Field {
        name: "targets",
        takes: Takes::Whole(1, 10_000),
        doc: "how many of the most likely other classes are aimed at, one after the other; left out, none is",
        default: Some(""),
    },
    attack_keys::steps("how many steps from each start", "10"),
    Field {
        name: "step",
        takes: Takes::Number(1e-6, 10.0),
        doc: "the length of a step, as a share of the severity",
        default: Some("1/4"),
    },
    Field {
        name: "restarts",
        takes: Takes::Whole(1, 10_000),
        doc: "how many starts, for each class that is aimed at; more than one needs random starts",
        default: Some("1"),
    },
    Field {
        name: "random-start",
        takes: Takes::Flag,
        doc: "whether to start from a random point within the severity, or from the image itself",
        default: Some("true"),
    },
];

fn ascent(params: &Params) -> Result<Ascent, Problem> {
    let ascent = Ascent {
        limits: attack_keys::limits(params),
        objective: params.choice("loss"),
        targets: params.count_if("targets").unwrap_or(0),
        steps: params.count("steps"),
        step: params.number("step"),
        starts: params.count("restarts"),
        random_start: params.flag("random-start"),
    };
    if ascent.starts > 1 && !ascent.random_start {
        return Err(Problem::new(format!(
            "`restarts = {}` from the same start",
            ascent.starts
        ))
        .expected("`random-start = true`, or one start")
        .hint("without a random start every restart repeats the first"));
    }
    Ok(ascent)
}
