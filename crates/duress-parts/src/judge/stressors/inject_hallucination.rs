//! Puts k made-up details into a text.
//!
//! # What it does
//! Adds a sentence with a report, a person, a prize or an event that nobody ever heard of, after k
//! of its sentences.
//!
//! # Why it matters
//! What is false and fits in nowhere is harder to catch than what contradicts the source: there is
//! nothing to compare it with.
//!
//! # Severity
//! The number of made-up details, a whole number from 0 to 10, where the text allows.
//!
//! # Promise
//! Blind: it sees the text and what stands beside it. English only. The text with k is the text
//! with k − 1 and exactly one more; each step is kept in the run's folder. A text with fewer than
//! k places does not take part at k, and the reason is listed.
//!
//! # Example
//! ```toml
//! [ladder.hallucination]
//! use = "inject-hallucination"
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
    name: "inject-hallucination",
    version: 1,
    fields: &[],
    source: include_str!("inject_hallucination.rs"),
    build: Build::Stressor(|_| Ok(dosing(Injector::Hallucination.recipe(), "errors"))),
};
