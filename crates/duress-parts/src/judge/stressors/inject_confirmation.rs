//! Lets a text take agreement for proof, k times.
//!
//! # What it does
//! Adds a sentence that keeps what agrees with a belief and sets aside what does not, after k of
//! its sentences.
//!
//! # Why it matters
//! Reasoning that goes wrong without a single false fact.
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
//! [ladder.confirmation]
//! use = "inject-confirmation"
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
    name: "inject-confirmation",
    version: 1,
    fields: &[],
    source: include_str!("inject_confirmation.rs"),
    build: Build::Stressor(|_| Ok(dosing(Injector::Confirmation.recipe(), "errors"))),
};
