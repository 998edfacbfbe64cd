//! Lets a text contradict itself k times.
//!
//! # What it does
//! Says one of its sentences again with a fact changed, or denies it, one sentence later.
//!
//! # Why it matters
//! A text that says two things cannot be trusted in either, and only a judge that reads the whole
//! of it can tell.
//!
//! # Severity
//! The number of contradictions, a whole number from 0 to 10, where the text allows.
//!
//! # Promise
//! Blind: it sees the text and what stands beside it. English only. The text with k is the text
//! with k − 1 and exactly one more; each step is kept in the run's folder. A text with fewer than
//! k places does not take part at k, and the reason is listed.
//!
//! # Example
//! ```toml
//! [ladder.inconsistency]
//! use = "inject-inconsistency"
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
    name: "inject-inconsistency",
    version: 1,
    fields: &[],
    source: include_str!("inject_inconsistency.rs"),
    build: Build::Stressor(|_| Ok(dosing(Injector::Inconsistency.recipe(), "errors"))),
};
