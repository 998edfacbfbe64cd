//! Changes k blanks of a text into other white space.
//!
//! # What it does
//! Makes two or three blanks, or a line break, of k blanks between words.
//!
//! # Why it matters
//! A placebo: a judge whose score moves when nothing was changed moves for no reason.
//!
//! # Severity
//! The number of blanks, a whole number from 0 to 10, where the text allows.
//!
//! # Promise
//! Blind: it sees the text. English only. What the text says stays the same. The text with k is
//! the text with k − 1 and exactly one more; each step is kept in the run's folder. A text with
//! fewer than k places does not take part at k, and the reason is listed.
//!
//! # Example
//! ```toml
//! [ladder.white-space]
//! use = "placebo-white-space"
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
    name: "placebo-white-space",
    version: 1,
    fields: &[],
    source: include_str!("placebo_white_space.rs"),
    build: Build::Stressor(|_| Ok(dosing(Placebo::WhiteSpace.recipe(), "changes"))),
};
