//! Makes k facts of a text false.
//!
//! # What it does
//! Chooses k of the numbers, years, number words, months and words with an opposite (north,
//! largest, before, rose …) in a text and replaces each by another of its kind.
//!
//! # Why it matters
//! The error that matters most in a response that follows from a source, and the one that reads as
//! smoothly as the truth.
//!
//! # Severity
//! The number of false facts, a whole number from 0 to 10, where the text allows.
//!
//! # Promise
//! Blind: it sees the text and what stands beside it. English only. The text with k is the text
//! with k − 1 and exactly one more; each step is kept in the run's folder. A text with fewer than
//! k places does not take part at k, and the reason is listed. A false number or month stands
//! nowhere in the text, the prompt or the source, so it cannot be true of something else there.
//!
//! # Example
//! ```toml
//! [ladder.factual-error]
//! use = "inject-factual-error"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! W. Kryściński, B. McCann, C. Xiong and R. Socher, Evaluating the factual consistency of
//! abstractive text summarization, EMNLP 2020, make negative examples by swapping numbers and
//! entities in the same way.

use duress_core::part::{Build, Part};
use duress_text::injection::Injector;

use crate::judge::frame::text_dose::dosing;

/// The part.
pub static PART: Part = Part {
    name: "inject-factual-error",
    version: 2,
    fields: &[],
    source: include_str!("inject_factual_error.rs"),
    build: Build::Stressor(|_| Ok(dosing(Injector::FactualError.recipe(), "errors"))),
};
