//! Replaces k words of a text by words that mean the same.
//!
//! # What it does
//! Replaces k words by their other half in a list of 40 pairs (began, started).
//!
//! # Why it matters
//! A placebo that changes the wording and not the meaning.
//!
//! # Severity
//! The number of words, a whole number from 0 to 10, where the text allows.
//!
//! # Promise
//! Blind: it sees the text. English only. What the text says stays the same. The text with k is
//! the text with k − 1 and exactly one more; each step is kept in the run's folder. A text with
//! fewer than k places does not take part at k, and the reason is listed.
//!
//! # Example
//! ```toml
//! [ladder.synonym]
//! use = "placebo-synonym"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! A placebo should move nothing: `side = "equivalent"` with a margin, as in
//! studies/judge/specificity.

use duress_core::part::{Build, Part};
use duress_text::placebo::Placebo;

use crate::judge::frame::text_dose::dosing;

/// The part.
pub static PART: Part = Part {
    name: "placebo-synonym",
    version: 1,
    fields: &[],
    source: include_str!("placebo_synonym.rs"),
    build: Build::Stressor(|_| Ok(dosing(Placebo::Synonym.recipe(), "changes"))),
};
