//! Learns a graph from which variables correlate, one pair at a time.
//!
//! # What it does
//! Every variable is given mean 0 and variance 1 within each regime. With `direction = "lag"` each variable one step before is
//! correlated with each variable now, and of two variables the direction with the larger |z| is the edge, strongest first, none
//! that closes a cycle. With `direction = "both"` the variables of one step are correlated, and an edge is chosen in both
//! directions, because a correlation has none. Chosen are the pairs whose correlation differs from zero: Benjamini–Hochberg at
//! `false-share` over all ordered pairs, against a standard normal null or (`null = "empirical"`) one with the spread the
//! scores themselves show. The standard errors are summed by window, so neighbours in time do not pass for evidence. The scores
//! are |z|.
//!
//! # Why it matters
//! The baseline a reader has in mind. It finds what is connected, and also everything that merely has a cause in common: a
//! learner that does no better has learnt no cause.
//!
//! # Promise
//! With `direction = "lag"` the graph has no cycle; with `"both"` every edge is there both ways. A variable that is never seen
//! to vary, windows of one step, or too few observed pairs are a failure with the variable's name, not an empty graph.
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
use duress_core::subject::Subjected;
use duress_graph::correlation::{Steps, correlate};
use duress_graph::learner::Learner;
use duress_graph::panel::Panel;
use duress_graph::select::{Null, Selection};

/// The part.
pub static PART: Part = Part {
    name: "correlation",
    version: 1,
    fields: &[
        Field {
            name: "direction",
            takes: Takes::Choice(&["lag", "both"]),
            doc: "whether the earlier variable points to the later one, or every edge goes both ways",
            default: Some("lag"),
        },
        Field {
            name: "false-share",
            takes: Takes::Number(0.0, 1.0),
            doc: "the share of the chosen pairs whose correlation may be zero",
            default: Some("0.05"),
        },
        Field {
            name: "null",
            takes: Takes::Choice(Null::NAMES),
            doc: "what the scores of pairs without a correlation are taken to look like",
            default: Some("theoretical"),
        },
    ],
    source: include_str!("correlation.rs"),
    build: Build::Subject(|params| {
        let null = Null::named(params.text("null")).expect("the field takes only these names");
        let lag = params.text("direction") == "lag";
        let steps = if lag { Steps::Lagged } else { Steps::Same };
        let selection = Selection { false_share: params.number("false-share"), null, acyclic: lag };
        Ok(Subjected::Live(Box::new(Learner::new(move |windows: &Windows, _| {
            let mut answer = selection.choose(&correlate(&Panel::new(windows)?, steps)?);
            let what = if lag { "correlation at lag 1: " } else { "correlation within a step, both ways: " };
            answer.rule.insert_str(0, what);
            Ok(answer)
        }))))
    }),
};
