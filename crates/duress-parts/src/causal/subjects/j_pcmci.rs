//! Learns a graph by J-PCMCI+: PCMCI+ over all regimes at once, with the regime as context.
//!
//! # What it does
//! Every variable is given mean 0 and variance 1 over all windows, regimes together, so that what a
//! regime adds stays in the values. Which regime a window is from is a cause that every variable may
//! have and none can change: where it depends on the regime, the regime is conditioned on in every
//! test of it, as is its past. For the rest, and for all keys, as `pcmci`.
//!
//! # Why it matters
//! The constraint-based rival that was made for data from several places or times: it learns which
//! variables regimes move instead of being told that they may move all.
//!
//! # Promise
//! As `pcmci`; and edges from a regime are no edges of the graph.
//!
//! # Example
//! ```toml
//! [subject.j-pcmci]
//! use  = "j-pcmci"
//! on   = "sensors"
//! test = "ranks"
//! ```
//!
//! # Reference
//! Günther, Ninad and Runge, "Causal discovery for time series from multiple datasets with latent
//! contexts", UAI 2023.

use duress_core::part::{Build, Part};
use duress_graph::learners::pcmci::Pcmci;
use duress_graph::panel::StandardisedPanel;

use crate::causal::frame::edge_selection::learning_from;
use crate::causal::frame::lagged_tests::{KEYS, tests};

/// The part.
pub static PART: Part = Part {
    name: "j-pcmci",
    version: 1,
    fields: &KEYS,
    source: include_str!("j_pcmci.rs"),
    build: Build::Subject(|params| {
        let learner = Pcmci {
            context: true,
            ..tests(params)
        };
        let learn = move |panel: &StandardisedPanel| learner.learn(panel);
        Ok(learning_from(params, StandardisedPanel::pooled, learn))
    }),
};
