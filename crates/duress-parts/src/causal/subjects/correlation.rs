//! Learns a graph from which variables correlate, one pair at a time.
//!
//! # What it does
//! Every variable is given mean 0 and variance 1 within each regime. With `direction = "lag"` each
//! variable one step before is correlated with each variable now, and of two variables the
//! direction with the larger |z| is the edge, strongest first, none that closes a cycle. With
//! `direction = "both"` the variables of one step are correlated, and an edge is chosen in both
//! directions, because a correlation has none; so it is for windows of one step, whatever
//! `direction` says. Chosen are the pairs whose correlation differs from zero: Benjamini–Hochberg
//! at `false-share` over all ordered pairs, against a standard normal null, one with the spread the
//! scores themselves show (`null = "empirical"`), or the scores of shuffled windows
//! (`"permutation"`); `stable` as in `lagged-regression`. The standard errors are summed by window,
//! so neighbours in time do not pass for evidence. The scores are |z|.
//!
//! # Why it matters
//! The baseline a reader has in mind. It finds what is connected, and also everything that merely
//! has a cause in common: a learner that does no better has learnt no cause.
//!
//! # Promise
//! With `direction = "lag"` the graph of windows of two steps or more has no cycle; with `"both"`
//! every edge is there both ways. A variable that is never seen to vary, or too few observed pairs,
//! are a failure with the variable's name, not an empty graph.
//!
//! # Example
//! ```toml
//! [subject.correlation]
//! use = "correlation"
//! on  = "sensors"
//! ```
//!
//! # Reference
//! Benjamini and Hochberg, *JRSS B* 57 (1995) 289–300.

use duress_core::data::Windows;
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::subject::SubjectPart;
use duress_core::word::Word;
use duress_graph::learner::StructureLearner;
use duress_graph::learners::correlation::{PairedSteps, correlate};
use duress_graph::panel::StandardisedPanel;
use duress_graph::select::{EdgeSelection, Null, Rule};

use crate::causal::frame::edge_selection::{self, FALSE_SHARE, SCALE, STABLE};

/// The part.
pub static PART: Part = Part {
    name: "correlation",
    version: 1,
    fields: &[
        Field {
            name: "direction",
            takes: Takes::Choice(EdgeDirection::spellings),
            doc: "whether the earlier variable points to the later one, or every edge goes both ways",
            default: Some("lag"),
        },
        FALSE_SHARE,
        Field {
            name: "null",
            takes: Takes::Choice(Null::spellings),
            doc: "what the scores of pairs without a correlation are taken to look like",
            default: Some("theoretical"),
        },
        STABLE,
        SCALE,
    ],
    source: include_str!("correlation.rs"),
    build: Build::Subject(|params| {
        let rule = Rule::FalseShare {
            share: params.number("false-share"),
            null: params.choice("null"),
        };
        let lag = params.choice::<EdgeDirection>("direction") == EdgeDirection::Lag;
        let stable = edge_selection::stable(params);
        let scaling = edge_selection::scaling(params);
        Ok(SubjectPart::Live(Box::new(StructureLearner::new(
            move |windows: &Windows, seed| {
                let (steps, what) = match lag && windows.steps() > 1 {
                    true => (PairedSteps::Lagged, "correlation at lag 1"),
                    false => (PairedSteps::Same, "correlation within a step, both ways"),
                };
                let selection = EdgeSelection {
                    rule,
                    acyclic: steps == PairedSteps::Lagged,
                    stable,
                };
                let score = |panel: &StandardisedPanel| correlate(panel, steps);
                let panel = StandardisedPanel::scaled(windows, scaling)?;
                edge_selection::chosen(selection, what, &panel, seed, &score)
            },
        ))))
    }),
};

duress_core::words! {
    /// Where the edges of correlated variables point.
    enum EdgeDirection {
        /// From the earlier variable to the later one.
        Lag = "lag",
        /// Both ways.
        Both = "both",
    }
}
