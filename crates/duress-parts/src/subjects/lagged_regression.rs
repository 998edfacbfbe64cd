//! Learns a graph by regressing each variable on all variables one step before.
//!
//! # What it does
//! Every variable is given mean 0 and variance 1 within each regime, so that a regime's gain and offset make no edges. Then
//! each variable is regressed on the whole of the step before (VAR(1), Granger): a coefficient that is far from zero in
//! standard errors is an edge. Hidden values are left out pair by pair, and the standard errors are those of that estimator,
//! summed by window. Edges are chosen without the truth: Benjamini–Hochberg at `false-share` over all ordered pairs, against a
//! normal null with the spread the scores themselves show (`null = "empirical"`) or a standard one, strongest first; an edge
//! that would close a cycle is left out unless `acyclic = false`. The scores are |z|.
//!
//! # Why it matters
//! The rival every structure learner must beat. It is nearly perfect on lagged linear data and blind to an effect whose line
//! is flat, such as that of an even mechanism.
//!
//! # Promise
//! With `acyclic = true` the graph has no cycle. A variable that is never seen to vary, windows of one step, or too few
//! observed pairs are a failure with the variable's name, not an empty graph.
//!
//! # Example
//! ```toml
//! [subject.granger]
//! use = "lagged-regression"
//! on  = "sensors"
//! ```
//!
//! # Reference
//! Granger, *Econometrica* 37 (1969) 424–438; Liang and Zeger, *Biometrika* 73 (1986) 13–22; Benjamini and Hochberg, *JRSS B*
//! 57 (1995) 289–300; Efron, *JASA* 99 (2004) 96–104.

use duress_core::data::Windows;
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::subject::Subjected;
use duress_graph::lagged;
use duress_graph::learner::Learner;
use duress_graph::panel::Panel;
use duress_graph::select::{Null, Selection};

/// The part.
pub static PART: Part = Part {
    name: "lagged-regression",
    version: 1,
    fields: &[
        Field {
            name: "false-share",
            takes: Takes::Number(0.0, 1.0),
            doc: "the share of the chosen edges that may be false",
            default: Some("0.05"),
        },
        Field {
            name: "null",
            takes: Takes::Choice(Null::NAMES),
            doc: "what the scores of pairs without an edge are taken to look like",
            default: Some("empirical"),
        },
        Field {
            name: "acyclic",
            takes: Takes::Flag,
            doc: "whether an edge that would close a cycle with stronger ones is left out",
            default: Some("true"),
        },
    ],
    source: include_str!("lagged_regression.rs"),
    build: Build::Subject(|params| {
        let null = Null::named(params.text("null")).expect("the field takes only these names");
        let (false_share, acyclic) = (params.number("false-share"), params.flag("acyclic"));
        let selection = Selection { false_share, null, acyclic };
        Ok(Subjected::Live(Box::new(Learner::new(move |windows: &Windows, _| {
            Ok(selection.choose(&lagged::regress(&Panel::new(windows)?)?))
        }))))
    }),
};
