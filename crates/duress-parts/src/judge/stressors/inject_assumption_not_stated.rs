//! Draws k conclusions in a text whose premise is missing.
//!
//! # What it does
//! Adds a conclusion that does not follow from the text but only from something it takes for
//! granted, after k of its sentences.
//!
//! # Why it matters
//! It reads like an argument. A judge of explanations should ask where it comes from.
//!
//! # Severity
//! The number of such conclusions, a whole number from 0 to 10, where the text allows.
//!
//! # Promise
//! Blind: it sees the text and what stands beside it. English only. The text with k is the text
//! with k − 1 and exactly one more; each step is kept in the run's folder. A text with fewer than
//! k places does not take part at k, and the reason is listed.
//!
//! # Example
//! ```toml
//! [ladder.assumption-not-stated]
//! use = "inject-assumption-not-stated"
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
    name: "inject-assumption-not-stated",
    version: 1,
    fields: &[],
    source: include_str!("inject_assumption_not_stated.rs"),
    build: Build::Stressor(|_| Ok(dosing(Injector::AssumptionNotStated.recipe(), "errors"))),
};
