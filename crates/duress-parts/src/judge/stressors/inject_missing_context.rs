//! Takes k pieces of context from a text.
//!
//! # What it does
//! Leaves out phrases and clauses that told when, where, by whom or why; where a text has no more
//! of them, adds sentences that point at sections, tables and persons that are not there.
//!
//! # Why it matters
//! What is missing is the hardest to see. Where something was left out, nothing that is left is
//! wrong.
//!
//! # Severity
//! The number of missing pieces, a whole number from 0 to 10, where the text allows.
//!
//! # Promise
//! Blind: it sees the text and what stands beside it. English only. The text with k is the text
//! with k − 1 and exactly one more; each step is kept in the run's folder. A text with fewer than
//! k places does not take part at k, and the reason is listed.
//!
//! # Example
//! ```toml
//! [ladder.missing-context]
//! use = "inject-missing-context"
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
    name: "inject-missing-context",
    version: 2,
    fields: &[],
    source: include_str!("inject_missing_context.rs"),
    build: Build::Stressor(|_| Ok(dosing(Injector::MissingContext.recipe(), "errors"))),
};
