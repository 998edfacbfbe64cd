//! Misspells k words of a text.
//!
//! # What it does
//! Chooses k words of five or more small letters and makes one slip in each: two neighbouring
//! letters swapped, a letter dropped, doubled, or mistyped as its neighbour on the keyboard.
//!
//! # Why it matters
//! Misspelling hurts trust a little and meaning hardly at all: a judge should notice, and should
//! not mistake it for bias or for a bad explanation.
//!
//! # Severity
//! The number of misspelt words, a whole number from 0 to 10, where the text allows.
//!
//! # Promise
//! Blind: it sees the text and what stands beside it. English only. The text with k is the text
//! with k − 1 and exactly one more; each step is kept in the run's folder. A text with fewer than
//! k places does not take part at k, and the reason is listed. Names, numbers and first letters
//! stay. A slip never makes a word that stands in the text, the prompt or the source already.
//!
//! # Example
//! ```toml
//! [ladder.spelling]
//! use = "inject-spelling"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! F. J. Damerau, A technique for computer detection and correction of spelling errors,
//! Communications of the ACM 7 (1964) 171.

use duress_core::part::{Build, Part};
use duress_text::injection::Injector;

use crate::judge::frame::text_dose::dosing;

/// The part.
pub static PART: Part = Part {
    name: "inject-spelling",
    version: 2,
    fields: &[],
    source: include_str!("inject_spelling.rs"),
    build: Build::Stressor(|_| Ok(dosing(Injector::Spelling.recipe(), "errors"))),
};
