//! What is seen through frosted glass.
//!
//! # What it does
//! A slight blur, then every pixel is taken from a random neighbour, once or several times, then
//! the blur again. The published script means to swap neighbours and copies them; so does this, to
//! give the same images.
//!
//! # Why it matters
//! Shower doors, rain on a pane, heat above a road: edges are there but in pieces, which breaks
//! subjects that follow fine texture.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 pixels come from up to 1, 2, 2, 3 and 4 pixels away,
//! in 2, 1, 3, 2 and 2 rounds. Between two levels the images of both are mixed, so a ladder may be
//! as fine as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.glass-blur]
//! use = "glass-blur"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! D. Hendrycks and T. Dietterich, Benchmarking neural network robustness to common corruptions
//! and perturbations, ICLR 2019.

use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_nn::corruption::Picture;
use duress_nn::corruption::blur::{self, Glass};

use crate::classify::frame::corruption_levels::Levels;
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "glass-blur",
    version: 1,
    fields: &[],
    source: include_str!("glass_blur.rs"),
    build: Build::Stressor(|_| {
        Ok(ImageCorruption::of_levels(
            Levels::mixed(PUBLISHED),
            Monotone::InTheMean,
            see_through,
        ))
    }),
};

/// Standard deviation of the blur, reach, and rounds.
const PUBLISHED: [[f64; 3]; 5] = [
    [0.7, 1.0, 2.0],
    [0.9, 2.0, 1.0],
    [1.0, 2.0, 3.0],
    [1.1, 3.0, 2.0],
    [1.5, 4.0, 2.0],
];

fn see_through(picture: &mut Picture<'_>, [sigma, reach, rounds]: [f64; 3], seed: Seed) {
    let glass = Glass {
        sigma,
        reach: reach as usize,
        rounds: rounds as usize,
    };
    blur::glass(picture, glass, &mut seed.draws());
}
