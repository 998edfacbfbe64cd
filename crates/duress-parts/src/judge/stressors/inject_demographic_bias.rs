//! Puts k prejudices about age, origin, faith, body or means into a text.
//!
//! # What it does
//! Adds a sentence that holds something against a group of people, after k of its sentences.
//!
//! # Why it matters
//! The plainest form of bias: a judge of bias that misses it sees nothing.
//!
//! # Severity
//! The number of prejudices, a whole number from 0 to 10, where the text allows.
//!
//! # Promise
//! Blind: it sees the text and what stands beside it. English only. The text with k is the text
//! with k − 1 and exactly one more; each step is kept in the run's folder. A text with fewer than
//! k places does not take part at k, and the reason is listed.
//!
//! # Example
//! ```toml
//! [ladder.demographic-bias]
//! use = "inject-demographic-bias"
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
    name: "inject-demographic-bias",
    version: 1,
    fields: &[],
    source: include_str!("inject_demographic_bias.rs"),
    build: Build::Stressor(|_| Ok(dosing(Injector::DemographicBias.recipe(), "errors"))),
};
