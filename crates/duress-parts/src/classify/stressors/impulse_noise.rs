//! Pixels that are stuck: black or white, whatever was there.
//!
//! # What it does
//! A share of the values, each channel for itself, becomes 0 or 1, either as likely. The values
//! that are hit at a severity are hit at every higher one, in the same way.
//!
//! # Why it matters
//! Dead cells of a sensor, errors on a link. The change is as large as can be and rare, which
//! nothing that averages over small changes prepares for.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 the share is 0.03, 0.06, 0.09, 0.17 and 0.27
//! (`imagenet-c`) or 0.01, 0.03, 0.06, 0.09 and 0.17 (`dermamnist`). Between two levels the share
//! is in between, so a ladder may be as fine as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.impulse-noise]
//! use = "impulse-noise"
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
use duress_nn::corruption::{Picture, noise};

use crate::classify::frame::corruption_levels::{LevelSet, Levels, Published};
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "impulse-noise",
    version: 1,
    fields: &[LevelSet::LEVELS],
    source: include_str!("impulse_noise.rs"),
    build: Build::Stressor(|params| {
        Ok(ImageCorruption::of_levels(
            Levels::from_nothing([0.0], PUBLISHED.chosen(params)),
            Monotone::EachItem,
            hit_pixels,
        ))
    }),
};

/// The share of values that are hit.
const PUBLISHED: Published<1> = Published {
    imagenet_c: [[0.03], [0.06], [0.09], [0.17], [0.27]],
    dermamnist: [[0.01], [0.03], [0.06], [0.09], [0.17]],
};

fn hit_pixels(picture: &mut Picture<'_>, [share]: [f64; 1], seed: Seed) {
    noise::impulse(picture, share, &mut seed.draws());
}
