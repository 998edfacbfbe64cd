//! Learns a graph by PCMCI+: the past that matters to each variable first, then what stays
//! dependent given that past.
//!
//! # What it does
//! Every variable is given mean 0 and variance 1 within each regime. For each variable the past up
//! to `lags` steps back is thinned by partial correlations given ever more of its strongest members
//! (PC1). Then every pair, one step apart or more or within a step, is tested given the past of
//! both and up to `depth` neighbours of the same step, and taken apart where p is above `alpha`
//! (Student's t). Arrows follow time, then colliders, then Meek's rules. A line that still has no
//! head is answered as the arrow it has in one graph of the class; where the arrows found belong to
//! no graph without cycles, both ways. Hidden values: each test uses the rows that show all of its
//! variables (test-wise deletion); where fewer than 30 beyond its conditions do, the last
//! conditions are left out until enough do. Of the lines left, the weakest go until at most
//! `false-share` of them are expected to be false (Benjamini and Hochberg over all pairs). With `test =
//! "ranks"` normal scores stand for values, so that no outlier weighs more than another; with `"curves"`
//! the first four Hermite polynomials of one variable are asked whether they say anything of the
//! other, by an F test. The score of a pair is its weakest evidence. With `stable = 0.6` an edge must
//! also be found in 60 % of 50 random halves of the windows.
//!
//! # Why it matters
//! Conditioning on the past of both keeps memory from passing for an effect and keeps the number of
//! false edges what `alpha` says: the constraint-based rival that was made for time series.
//!
//! # Promise
//! How a line without a head was answered is said in the rule. A variable that is never seen to
//! vary, windows that are too short, or a pair seen together fewer than 30 times are a failure with
//! its reason, not an empty graph.
//!
//! # Example
//! ```toml
//! [subject.pcmci]
//! use   = "pcmci"
//! on    = "sensors"
//! alpha = 0.001
//! ```
//!
//! # Reference
//! Runge, "Discovering contemporaneous and lagged causal relations in autocorrelated nonlinear time
//! series datasets", UAI 2020.

use duress_core::part::{Build, Part};

use crate::causal::frame::edge_selection::learning;
use crate::causal::frame::lagged_tests::{KEYS, tests};

/// The part.
pub static PART: Part = Part {
    name: "pcmci",
    version: 2,
    fields: &KEYS,
    source: include_str!("pcmci.rs"),
    build: Build::Subject(|params| {
        let learner = tests(params);
        Ok(learning(params, move |panel| learner.learn(panel)))
    }),
};
