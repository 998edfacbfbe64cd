//! Relative mean corruption error: what corruption adds to the error, divided by what it adds to
//! that of a reference.
//!
//! # What it does
//! For each ladder, the mean error over its severities above 0 less the clean error is divided by
//! the same of the reference; the quotients are averaged over the ladders. The reference is chosen
//! as in `mean-corruption-error`: a subject of the study, or published constants by name.
//!
//! # Why it matters
//! `mean-corruption-error` falls when a subject gets better at everything. This one asks whether it
//! loses less: a subject with fewer errors throughout, and just as many more under corruption as
//! the reference, reads 1.
//!
//! # Promise
//! Lower is better, 0 loses nothing, below 0 gains. Undefined, with the ladder's name, where the
//! reference loses nothing. Quotients of small differences: with few items the interval is wide.
//!
//! # Example
//! ```toml
//! [gauge.relative-mce]
//! use = "relative-corruption-error"
//! reference = "baseline"
//! ```
//!
//! # Reference
//! D. Hendrycks and T. Dietterich, Benchmarking neural network robustness to common corruptions and
//! perturbations, ICLR 2019, section 4.3.

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Part};

use crate::classify::frame::corruption_error::{CorruptionError, CorruptionErrorKind};

/// The part.
pub static PART: Part = Part {
    name: "relative-corruption-error",
    version: 1,
    fields: CorruptionError::FIELDS,
    source: include_str!("relative_corruption_error.rs"),
    build: Build::Gauge(|params| {
        let gauge = CorruptionError::new(params, CorruptionErrorKind::BeyondClean)?;
        Ok(Gauge::Subject(Box::new(gauge)))
    }),
};
