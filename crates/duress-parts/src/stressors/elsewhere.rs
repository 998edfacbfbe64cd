//! Stress that was applied before the answers were recorded.
//!
//! # What it does
//! Nothing here. It gives a ladder its name and its severities, so that recorded answers can be looked up for each rung and
//! read like any others: curves, areas, break points and claims.
//!
//! # Why it matters
//! Most people come with predictions, not with a model. What pressed on the model then is theirs to say; the report shows such a
//! ladder as stressed elsewhere, so that nobody takes it for something that was checked.
//!
//! # Severity
//! Any numbers at or above 0, in a unit of your own that `unit` says in words. 0 is the clean rung.
//!
//! # Promise
//! None: what was done elsewhere cannot be checked here.
//!
//! # Example
//! ```toml
//! [ladder.pgd]
//! use        = "elsewhere"
//! severities = ["2/255", "4/255", "8/255"]
//! unit       = "largest change of a pixel"
//! ```
//!
//! # Reference
//! The subject `recorded`, which has the answers.

use duress_core::part::{Build, Field, Part, Takes};
use duress_core::stressor::Stressor;

/// The part.
pub static PART: Part = Part {
    name: "elsewhere",
    version: 1,
    fields: &[Field {
        name: "unit",
        takes: Takes::Text,
        doc: "what the severity counts, in words",
        default: Some("as recorded"),
    }],
    source: include_str!("elsewhere.rs"),
    build: Build::Stressor(|params| Ok(Stressor::Elsewhere { unit: params.text("unit").into() })),
};
