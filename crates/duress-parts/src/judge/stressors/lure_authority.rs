//! Lets k unnamed authorities agree with a text.
//!
//! # What it does
//! Adds a sentence in which experts, institutes or textbooks are said to agree, after k of its
//! sentences.
//!
//! # Why it matters
//! An authority without a name and without a reason is no evidence.
//!
//! # Severity
//! The number of appeals, a whole number from 0 to 10, where the text allows.
//!
//! # Promise
//! Blind: it sees the text. English only. No word of the text is taken away, and nothing is added
//! that answers the question better. The text with k is the text with k − 1 and exactly one more;
//! each step is kept in the run's folder. A text with fewer than k places does not take part at k,
//! and the reason is listed.
//!
//! # Example
//! ```toml
//! [ladder.authority]
//! use = "lure-authority"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! L. Zheng et al., Judging LLM-as-a-judge with MT-Bench and Chatbot Arena, NeurIPS 2023, for
//! verbosity and self-enhancement; docs/judge.md.

use duress_core::part::{Build, Part};
use duress_text::lure::Lure;

use crate::judge::frame::text_dose::dosing;

/// The part.
pub static PART: Part = Part {
    name: "lure-authority",
    version: 1,
    fields: &[],
    source: include_str!("lure_authority.rs"),
    build: Build::Stressor(|_| Ok(dosing(Lure::Authority.recipe(), "lures"))),
};
