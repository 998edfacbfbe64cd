//! Misspells k words of a text.
//!
//! # What it does
//! Chooses k words of five or more small letters and makes one slip in each: two neighbouring
//! letters swapped, a letter dropped, doubled, or mistyped as its neighbour on the keyboard. The
//! text with k errors is the text with k − 1 and exactly one more.
//!
//! # Why it matters
//! Misspelling hurts trust a little and meaning hardly at all: a judge should notice, and should
//! not mistake it for bias or for a bad explanation.
//!
//! # Severity
//! The number of misspelt words, a whole number from 0 to 5.
//!
//! # Promise
//! Blind: it sees the text and what stands beside it. Names, numbers and first letters stay. A slip
//! never makes a word that stands in the text, the prompt or the source already. A text with fewer
//! than k such words does not take part at k.
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
use duress_core::stressor::Stressor;
use duress_text::injection::Injector;

use crate::judge::frame::error_injection::Injection;

/// The part.
pub static PART: Part = Part {
    name: "inject-spelling",
    version: 1,
    fields: &[],
    source: include_str!("inject_spelling.rs"),
    build: Build::Stressor(|_| Ok(Stressor::Blind(Box::new(Injection(Injector::Spelling))))),
};
