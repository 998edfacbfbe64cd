//! Changes the order in k lists of a text.
//!
//! # What it does
//! Exchanges two neighbours in k lists of three or more (a, b and c becomes b, a and c).
//!
//! # Why it matters
//! A placebo that changes the order and not the meaning. Few texts have many lists.
//!
//! # Severity
//! The number of lists, a whole number from 0 to 10, where the text allows.
//!
//! # Promise
//! Blind: it sees the text. English only. What the text says stays the same. The text with k is
//! the text with k − 1 and exactly one more; each step is kept in the run's folder. A text with
//! fewer than k places does not take part at k, and the reason is listed.
//!
//! # Example
//! ```toml
//! [ladder.reordered-list]
//! use = "placebo-reordered-list"
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
    name: "placebo-reordered-list",
    version: 1,
    fields: &[],
    source: include_str!("placebo_reordered_list.rs"),
    build: Build::Stressor(|_| Ok(dosing(Placebo::ReorderedList.recipe(), "changes"))),
};
