//! Makes k facts of a text false.
//!
//! # What it does
//! Chooses k of the numbers, years, number words, months and words with an opposite (north,
//! largest, before, rose …) in a text and replaces each by another of its kind. The text with k
//! errors is the text with k − 1 and exactly one more.
//!
//! # Why it matters
//! The error that matters most in a response that follows from a source, and the one that reads as
//! smoothly as the truth.
//!
//! # Severity
//! The number of false facts, a whole number from 0 to 5.
//!
//! # Promise
//! Blind: it sees the text and what stands beside it. A false number or month stands nowhere in the
//! text, the prompt or the source, so it cannot be true of something else there. A text with fewer
//! than k facts does not take part at k.
//!
//! # Example
//! ```toml
//! [ladder.factual]
//! use = "inject-factual-error"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! W. Kryściński, B. McCann, C. Xiong and R. Socher, Evaluating the factual consistency of
//! abstractive text summarization, EMNLP 2020, make negative examples by swapping numbers and
//! entities in the same way.

use duress_core::part::{Build, Part};
use duress_core::stressor::Stressor;
use duress_text::injection::Injector;

use crate::judge::frame::error_injection::Injection;

/// The part.
pub static PART: Part = Part {
    name: "inject-factual-error",
    version: 1,
    fields: &[],
    source: include_str!("inject_factual_error.rs"),
    build: Build::Stressor(|_| Ok(Stressor::Blind(Box::new(Injection(Injector::FactualError))))),
};
