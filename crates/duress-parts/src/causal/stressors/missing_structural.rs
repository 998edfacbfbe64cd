//! Hides values by what other variables are, along a graph that is not the causal one.
//!
//! # What it does
//! A value is hidden with a probability in proportion to the logistic function of a weighted sum of
//! other variables at the same step, rescaled to the rate (structural MNAR). Which others is drawn
//! for each variable (a decoy graph: two others with normal weights, the same for all windows of a
//! seed). With `along = "truth"` they are the causal parents.
//!
//! # Why it matters
//! Missingness has causes too, and they are among the data. Along the causal parents the mask gives
//! the graph away: a learner that reads masks alone then reaches an F1 of 0.8 and more, and a study
//! of values becomes a study of masks. A decoy can agree with the causal graph by chance only.
//!
//! # Severity
//! The share of values hidden, from 0 to 1, of each variable. On data that have gaps already it
//! acts on what is left.
//!
//! # Promise
//! Values are hidden, none is changed. The share hidden is checked on every press: a press that
//! hides another share than asked fails its cell. Rungs nest. The share is set over all windows
//! pressed together, so what is hidden of a window depends on the others. It sees the truth only
//! with `along = "truth"`, and the report then says so. Data of one variable are refused.
//!
//! # Example
//! ```toml
//! [dataset.sensors-with-gaps]
//! base  = "sensors"
//! press = [{ use = "missing-structural", severity = 0.25 }]
//! ```
//!
//! # Reference
//! K. Mohan and J. Pearl, Graphical models for processing missing data, *JASA* 116 (2021)
//! 1023–1037.

use duress_core::part::{Build, Field, Part, Takes};
use duress_core::truth::Truth;
use duress_core::word::Word;
use duress_graph::missing;

use crate::causal::frame::window_corruption::WindowCorruption;

/// The part.
pub static PART: Part = Part {
    name: "missing-structural",
    version: 1,
    fields: &[Field {
        name: "along",
        takes: Takes::Choice(HidingGraph::spellings),
        doc: "the graph that says which variables hiding depends on: drawn, or the causal one",
        default: Some("decoy"),
    }],
    source: include_str!("missing_structural.rs"),
    build: Build::Stressor(|params| {
        let truth = params.choice::<HidingGraph>("along") == HidingGraph::Truth;
        Ok(WindowCorruption::hiding(
            truth,
            |windows, pressed, rate, chance| {
                let graph = pressed.truth.and_then(Truth::graph);
                missing::structural(windows, rate, graph, chance)
            },
        ))
    }),
};

duress_core::words! {
    /// Which graph hiding follows.
    enum HidingGraph {
        /// One that is drawn.
        Decoy = "decoy",
        /// The causal one.
        Truth = "truth",
    }
}
