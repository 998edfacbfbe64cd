//! Fog before the scene.
//!
//! # What it does
//! A rough random surface (diamond-square) is added, and all is darkened so that the brightest
//! pixel fits again. The bumps of the surface belong to the item and are the same at every
//! severity.
//!
//! # Why it matters
//! It takes contrast away unevenly, which no single correction of contrast undoes.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 the fog adds up to 1.5, 2, 2.5, 2.5 and 3 times white
//! before darkening, on surfaces that get rougher. Between two levels strengths are in between, so
//! a ladder may be as fine as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.fog]
//! use = "fog"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! D. Hendrycks and T. Dietterich, Benchmarking neural network robustness to common corruptions
//! and perturbations, ICLR 2019.

use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_nn::corruption::{Picture, weather};

use crate::classify::frame::corruption_levels::Levels;
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "fog",
    version: 1,
    fields: &[],
    source: include_str!("fog.rs"),
    build: Build::Stressor(|_| {
        Ok(ImageCorruption::of_levels(
            Levels::from_nothing([0.0, 2.0], PUBLISHED),
            Monotone::InTheMean,
            cover_with_fog,
        ))
    }),
};

/// How much light the fog adds, and how smooth it is.
const PUBLISHED: [[f64; 2]; 5] = [[1.5, 2.0], [2.0, 2.0], [2.5, 1.7], [2.5, 1.5], [3.0, 1.4]];

fn cover_with_fog(picture: &mut Picture<'_>, [thick, decay]: [f64; 2], seed: Seed) {
    weather::fog(picture, thick, decay, &mut seed.draws());
}
