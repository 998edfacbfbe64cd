//! Falling snow.
//!
//! # What it does
//! Flakes, which are large grains of noise above a threshold blurred along a steep line, are added
//! twice, the second time upside down, to an image that is whitened. Direction and flakes belong
//! to the item and are the same at every severity.
//!
//! # Why it matters
//! Weather that covers and whitens at once; the first thing that outdoor cameras are asked about.
//!
//! # Severity
//! The level, from 0 to 5. Levels 1 to 5 differ in number, size and fall of flakes and in how
//! white the image gets. Between two levels the images of both are mixed, so a ladder may be as
//! fine as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.snow]
//! use = "snow"
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
use duress_nn::corruption::blur::Motion;
use duress_nn::corruption::weather::{self, Snow};

use crate::classify::frame::corruption_levels::Levels;
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "snow",
    version: 1,
    fields: &[],
    source: include_str!("snow.rs"),
    build: Build::Stressor(|_| {
        Ok(ImageCorruption::of_levels(
            Levels::mixed(PUBLISHED),
            Monotone::InTheMean,
            let_it_snow,
        ))
    }),
};

/// Mean and spread of grains, their size, the threshold, how far and how evenly they fall, and what is kept of the image.
const PUBLISHED: [[f64; 7]; 5] = [
    [0.1, 0.3, 3.0, 0.5, 10.0, 4.0, 0.8],
    [0.2, 0.3, 2.0, 0.5, 12.0, 4.0, 0.7],
    [0.55, 0.3, 4.0, 0.9, 12.0, 8.0, 0.7],
    [0.55, 0.3, 4.5, 0.85, 12.0, 8.0, 0.65],
    [0.55, 0.3, 2.5, 0.85, 12.0, 12.0, 0.55],
];

fn let_it_snow(picture: &mut Picture<'_>, level: [f64; 7], seed: Seed) {
    let [mean, spread, zoom, threshold, radius, sigma, kept] = level;
    let snow = Snow {
        mean,
        spread,
        zoom,
        threshold,
        fall: Motion {
            radius: radius as usize,
            sigma,
        },
        kept,
    };
    weather::snow(picture, snow, &mut seed.draws());
}
