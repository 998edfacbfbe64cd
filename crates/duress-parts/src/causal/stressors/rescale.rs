//! Brings every variable to a common scale.
//!
//! # What it does
//! Over all windows of the data set each variable is given mean 0 and variance 1 (`to = "standard"`) or
//! is made to lie between 0 and 1 (`"min-max"`). A severity below 1 goes only part of the way.
//!
//! # Why it matters
//! In raw simulated data effects vary more than their causes, and a method that sorts variables by
//! variance wins. On data that people have scaled it loses: this stress tells which it was.
//!
//! # Severity
//! How far towards the common scale, from 0 to 1. 1 is there.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. What is hidden stays hidden.
//! The order of a variable's
//! values does not change.
//!
//! # Example
//! ```toml
//! [ladder.rescale]
//! use        = "rescale"
//! on         = "both"
//! severities = [1]
//! to         = "min-max"
//! ```
//!
//! # Reference
//! A. G. Reisach, C. Seiler and S. Weichwald, "Beware of the simulated DAG!", NeurIPS 2021.

use duress_core::part::{Build, Field, Part, Takes};
use duress_core::stressor::Monotone;
use duress_core::word::Word;
use duress_graph::coding::{self, CommonScale};

use crate::causal::frame::window_corruption::WindowCorruption;

/// The part.
pub static PART: Part = Part {
    name: "rescale",
    version: 1,
    fields: &[Field {
        name: "to",
        takes: Takes::Choice(CommonScale::spellings),
        doc: "mean 0 and variance 1, or between 0 and 1",
        default: Some("standard"),
    }],
    source: include_str!("rescale.rs"),
    build: Build::Stressor(|params| {
        let to: CommonScale = params.choice("to");
        Ok(WindowCorruption::of_all(
            "share of the way to the common scale",
            1.0,
            Monotone::EachItem,
            move |windows, _, share, _| {
                coding::rescale(windows, share, to);
                Ok(())
            },
        ))
    }),
};
