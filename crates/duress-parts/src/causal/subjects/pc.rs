//! Learns a graph by PC: what stays dependent whatever is held fixed is joined, and arrows follow
//! from what separates.
//!
//! # What it does
//! Every variable is given mean 0 and variance 1 within each regime. Made for independent rows, it
//! is given each step beside the one before, as twice the variables, and told that nothing acts
//! backwards; windows of one step are independent rows as they are. Pairs are taken apart where
//! Fisher's z of a partial correlation has p above `alpha`, given up to `depth` neighbours of the
//! later one, in the form that does not depend on the order of the variables. Arrows follow time,
//! then colliders, then Meek's rules. A line that still has no head is answered as the arrow it has
//! in one graph of the class; where the arrows found belong to no graph without cycles, both ways.
//! An edge of the summary graph goes from either copy of one variable to the later copy of another.
//! Hidden values: each test uses the rows that show all of its variables (test-wise deletion);
//! where fewer than 30 beyond its conditions do, the last conditions are left out until enough do.
//! Of the lines left, the weakest go until at most `false-share` of them are expected to be false
//! (Benjamini and Hochberg over all pairs): many tests at `alpha` leave lines in a graph that has
//! none. The score of a pair is its weakest evidence. With `stable = 0.6` an edge must also be found
//! in 60 % of 50 random halves of the windows.
//!
//! # Why it matters
//! The learner that claims no more than independence can show. Its mistakes are of another kind
//! than a regression's: a test missed early takes an edge away for good.
//!
//! # Promise
//! How a line without a head was answered is said in the rule. A variable that is never seen to
//! vary, windows that are too short, or a pair seen together fewer than 30 times are a failure with
//! its reason, not an empty graph.
//!
//! # Example
//! ```toml
//! [subject.pc]
//! use   = "pc"
//! on    = "sensors"
//! alpha = 0.001
//! ```
//!
//! # Reference
//! Spirtes, Glymour and Scheines, *Causation, Prediction, and Search*, 2000; Colombo and Maathuis,
//! *JMLR* 15 (2014) 3741–3782.

use duress_core::part::{Build, Part};
use duress_graph::learners::pc::Pc;

use crate::causal::frame::edge_selection::{
    ALPHA, FALSE_LINES, SCALE, STABLE, depth, false_lines, learning,
};

/// The part.
pub static PART: Part = Part {
    name: "pc",
    version: 2,
    fields: &[
        ALPHA,
        depth("the most neighbours that are conditioned on at once"),
        FALSE_LINES,
        STABLE,
        SCALE,
    ],
    source: include_str!("pc.rs"),
    build: Build::Subject(|params| {
        let learner = Pc {
            alpha: params.number("alpha"),
            depth: params.count("depth"),
            false_share: false_lines(params),
        };
        Ok(learning(params, move |panel| learner.learn(panel)))
    }),
};
