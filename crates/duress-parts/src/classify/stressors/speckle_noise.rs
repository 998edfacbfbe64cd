//! Noise in proportion to the light.
//!
//! # What it does
//! Each pixel becomes x + x·σ·z, clipped to [0, 1], with z standard normal. The draws belong to
//! the item and are the same at every severity.
//!
//! # Why it matters
//! What coherent light gives: ultrasound, radar, laser. Black stays black, bright regions become
//! grainy.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 σ is 0.15, 0.2, 0.35, 0.45 and 0.6 (`imagenet-c`) or
//! 0.05, 0.15, 0.2, 0.35 and 0.45 (`dermamnist`). Between two levels σ is in between, so a ladder
//! may be as fine as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.speckle-noise]
//! use = "speckle-noise"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! D. Hendrycks and T. Dietterich, Benchmarking neural network robustness to common corruptions
//! and perturbations, ICLR 2019, its held-out corruptions; F. Di Salvo, S. Doerrich and C. Ledig,
//! MedMNIST-C, 2024 (`dermamnist`).

use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_nn::corruption::{Picture, noise};

use crate::classify::frame::corruption_levels::{LevelSet, Levels, Published};
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "speckle-noise",
    version: 1,
    fields: &[LevelSet::LEVELS],
    source: include_str!("speckle_noise.rs"),
    build: Build::Stressor(|params| {
        Ok(ImageCorruption::of_levels(
            Levels::from_nothing([0.0], PUBLISHED.chosen(params)),
            Monotone::EachItem,
            add_speckle,
        ))
    }),
};

/// The standard deviation, as a share of the pixel.
const PUBLISHED: Published<1> = Published {
    imagenet_c: [[0.15], [0.2], [0.35], [0.45], [0.6]],
    dermamnist: [[0.05], [0.15], [0.2], [0.35], [0.45]],
};

fn add_speckle(picture: &mut Picture<'_>, [sigma]: [f64; 1], seed: Seed) {
    noise::speckle(picture, sigma, &mut seed.draws());
}
