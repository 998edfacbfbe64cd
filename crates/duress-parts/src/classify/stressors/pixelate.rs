//! Large square pixels.
//!
//! # What it does
//! The image is shrunk to a share of its sides, each pixel the mean of those it covers, and
//! enlarged again without smoothing.
//!
//! # Why it matters
//! Thumbnails, far away things, enlarged crops. The corners of the squares are edges that were not
//! there.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 the share is 0.6, 0.5, 0.4, 0.3 and 0.25
//! (`imagenet-c`) or 0.7, 0.5, 0.4, 0.3 and 0.25 (`dermamnist`). Between two levels the share is
//! in between, to the pixel, so a ladder may be as fine as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.pixelate]
//! use = "pixelate"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! D. Hendrycks and T. Dietterich, Benchmarking neural network robustness to common corruptions
//! and perturbations, ICLR 2019; F. Di Salvo, S. Doerrich and C. Ledig, MedMNIST-C, 2024
//! (`dermamnist`).

use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_nn::corruption::{Picture, digital};

use crate::classify::frame::corruption_levels::{LevelSet, Levels, Published};
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "pixelate",
    version: 1,
    fields: &[LevelSet::LEVELS],
    source: include_str!("pixelate.rs"),
    build: Build::Stressor(|params| {
        Ok(ImageCorruption::of_levels(
            Levels::from_nothing([1.0], PUBLISHED.chosen(params)),
            Monotone::InTheMean,
            enlarge_pixels,
        ))
    }),
};

/// What is left of each side.
const PUBLISHED: Published<1> = Published {
    imagenet_c: [[0.6], [0.5], [0.4], [0.3], [0.25]],
    dermamnist: [[0.7], [0.5], [0.4], [0.3], [0.25]],
};

fn enlarge_pixels(picture: &mut Picture<'_>, [share]: [f64; 1], _seed: Seed) {
    digital::pixelate(picture, share);
}
