//! Mean corruption error (mCE): errors under corruption, divided by those of a reference.
//!
//! # What it does
//! For each ladder, the mean error over its severities above 0 is divided by that of the reference
//! on the same ladder; the quotients are averaged over the ladders. The reference is a subject of
//! the study (`reference = "NAME"`), on the same items, or what was published of AlexNet on
//! ImageNet-C (`constants = "alexnet"`): then every ladder has the name of its corruption
//! (`gaussian-noise` … `jpeg-compression`) and the severities 1 to 5.
//!
//! # Why it matters
//! Corruptions are not equally hard: without division the hardest would decide alone. 1 is as many
//! errors as the reference, 0.5 half as many. A subject that is better when clean is better here
//! too; whether it loses less is what `relative-corruption-error` asks.
//!
//! # Promise
//! Lower is better, 0 is perfect, the reference itself reads 1. Undefined, with the ladder's name,
//! where the reference makes no error. Items are paired: the interval knows that both sides met the
//! same ones. Published constants are said to be that in the convention; they are for ImageNet's
//! classes, at 224 pixels, with ImageNet-C's own frost.
//!
//! # Example
//! ```toml
//! [gauge.mce]
//! use = "mean-corruption-error"
//! reference = "baseline"
//! ```
//!
//! # Reference
//! D. Hendrycks and T. Dietterich, Benchmarking neural network robustness to common corruptions and
//! perturbations, ICLR 2019, section 4.3; its table of AlexNet's errors.

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Part};

use crate::classify::frame::corruption_error::{CorruptionError, CorruptionErrorKind};

/// The part.
pub static PART: Part = Part {
    name: "mean-corruption-error",
    version: 1,
    fields: CorruptionError::FIELDS,
    source: include_str!("mean_corruption_error.rs"),
    build: Build::Gauge(|params| {
        let gauge = CorruptionError::new(params, CorruptionErrorKind::Whole)?;
        Ok(Gauge::Subject(Box::new(gauge)))
    }),
};
