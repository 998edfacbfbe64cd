//! Splits the windows into more regimes, each with a mean and a scale of its own.
//!
//! # What it does
//! Windows that have fewer than `regimes` regimes are split until there are so many: each window
//! stays in its regime or goes to one of those split off it, evenly. A regime that is new moves
//! each variable by s·N(0, 1) and scales it by 1 + s·U(−½, ½), s being the severity. The label is
//! in the data: a learner may use it. Data that have so many regimes already are left alone.
//!
//! # Why it matters
//! Plants, seasons, operators. Offsets that two variables share over regimes look like an edge to
//! whoever ignores the label, and a regime that was never seen is the test of whatever claims to
//! carry over.
//!
//! # Severity
//! s, from 0 to 10. In the data's own units: datasets of windows are standardised unless told not
//! to be, so a standard deviation of the signal is 1.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. What is hidden stays hidden. A window's draws
//! are its own and the same at every severity. Windows of a regime that is split off keep the truth
//! of the one they come from.
//!
//! # Example
//! ```toml
//! [dataset.five-regimes]
//! base  = "sensors"
//! press = [{ use = "regimes", severity = 1, regimes = 5 }]
//! ```
//!
//! # Reference
//! J. Peters, P. Bühlmann and N. Meinshausen, Causal inference using invariant prediction, *JRSS B*
//! 78 (2016) 947–1012.

use duress_core::part::{Build, Field, Part, Takes};
use duress_core::stressor::Monotone;
use duress_graph::corruption;

use crate::causal::frame::window_corruption::WindowCorruption;

/// The part.
pub static PART: Part = Part {
    name: "regimes",
    version: 1,
    fields: &[Field {
        name: "regimes",
        takes: Takes::Whole(1, 1000),
        doc: "how many regimes there shall be",
        default: Some("5"),
    }],
    source: include_str!("regimes.rs"),
    build: Build::Stressor(|params| {
        let regimes = params.whole("regimes") as u32;
        let unit = "standard deviation of a regime's mean, in units of the signal";
        Ok(WindowCorruption::of_all(
            unit,
            10.0,
            Monotone::EachItem,
            move |windows, pressed, size, seed| {
                // Severity 0 is the identity, labels included.
                if size > 0.0 {
                    let of_window = |window: usize| pressed.items.seed(window, seed).draws();
                    corruption::split_regimes(windows, regimes, size, seed, of_window);
                }
                Ok(())
            },
        ))
    }),
};
