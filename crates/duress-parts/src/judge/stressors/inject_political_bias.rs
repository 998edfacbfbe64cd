//! Lets a text take sides in politics k times.
//!
//! # What it does
//! Adds a sentence for or against a party, a movement or a government, from the left and from the
//! right alike, after k of its sentences.
//!
//! # Why it matters
//! Sides taken where nobody asked. A judge that sees it on one side only has one itself: the steps
//! in the run's folder tell them apart.
//!
//! # Severity
//! The number of such sentences, a whole number from 0 to 10, where the text allows.
//!
//! # Promise
//! Blind: it sees the text and what stands beside it. English only. The text with k is the text
//! with k − 1 and exactly one more; each step is kept in the run's folder. A text with fewer than
//! k places does not take part at k, and the reason is listed.
//!
//! # Example
//! ```toml
//! [ladder.political-bias]
//! use = "inject-political-bias"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! The subtypes are those of the judge's weights in docs/judge.md.

use duress_core::part::{Build, Part};
use duress_text::injection::Injector;

use crate::judge::frame::text_dose::dosing;

/// The part.
pub static PART: Part = Part {
    name: "inject-political-bias",
    version: 2,
    fields: &[],
    source: include_str!("inject_political_bias.rs"),
    build: Build::Stressor(|_| Ok(dosing(Injector::PoliticalBias.recipe(), "errors"))),
};
