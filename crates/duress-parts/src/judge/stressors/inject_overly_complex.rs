//! Blows up k plain words of a text.
//!
//! # What it does
//! Replaces k plain words (and, was, about, until …) by long ones that mean no more.
//!
//! # Why it matters
//! Hard to read is not the same as false or unfair.
//!
//! # Severity
//! The number of blown-up words, a whole number from 0 to 10, where the text allows.
//!
//! # Promise
//! Blind: it sees the text and what stands beside it. English only. The text with k is the text
//! with k − 1 and exactly one more; each step is kept in the run's folder. A text with fewer than
//! k places does not take part at k, and the reason is listed.
//!
//! # Example
//! ```toml
//! [ladder.overly-complex]
//! use = "inject-overly-complex"
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
    name: "inject-overly-complex",
    version: 1,
    fields: &[],
    source: include_str!("inject_overly_complex.rs"),
    build: Build::Stressor(|_| Ok(dosing(Injector::OverlyComplex.recipe(), "errors"))),
};
