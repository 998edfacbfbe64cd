//! Noise of light itself: photons are counted.
//!
//! # What it does
//! Each pixel becomes k·g, clipped to [0, 1], where g is the light of one photon and k a Poisson
//! count with mean x/g. A draw says at which quantile of its law a pixel stands, and is the same
//! at every severity.
//!
//! # Why it matters
//! What every sensor has in the dark. Unlike Gaussian noise it is stronger where there is light
//! and silent in black, so a subject that was trained with the one may not withstand the other.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 white is 60, 25, 12, 5 and 3 photons (`imagenet-c`) or
//! 60, 25, 18, 10 and 5 (`dermamnist`). Between two levels the light of one photon is in between,
//! so a ladder may be as fine as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.shot-noise]
//! use = "shot-noise"
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
    name: "shot-noise",
    version: 1,
    fields: &[LevelSet::LEVELS],
    source: include_str!("shot_noise.rs"),
    build: Build::Stressor(|params| {
        Ok(ImageCorruption::of_levels(
            Levels::from_nothing([0.0], PUBLISHED.chosen(params)),
            Monotone::InTheMean,
            count_photons,
        ))
    }),
};

/// The light of one photon.
const PUBLISHED: Published<1> = Published {
    imagenet_c: [
        [1.0 / 60.0],
        [1.0 / 25.0],
        [1.0 / 12.0],
        [1.0 / 5.0],
        [1.0 / 3.0],
    ],
    dermamnist: [
        [1.0 / 60.0],
        [1.0 / 25.0],
        [1.0 / 18.0],
        [1.0 / 10.0],
        [1.0 / 5.0],
    ],
};

fn count_photons(picture: &mut Picture<'_>, [grain]: [f64; 1], seed: Seed) {
    noise::shot(picture, grain, &mut seed.draws());
}
