//! Zooming while the shutter is open.
//!
//! # What it does
//! The mean of the image and of enlargements of its middle, by 1, 1.01, 1.02 … up to the largest
//! factor of the level.
//!
//! # Why it matters
//! A camera that comes nearer fast. The middle stays, the rim is smeared: subjects that look at
//! the rim notice first.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 the largest factor is 1.11, 1.15, 1.20, 1.24 and 1.30.
//! MedMNIST-C has the same levels for dermatoscopy. Between two levels the images of both are
//! mixed, so a ladder may be as fine as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.zoom-blur]
//! use = "zoom-blur"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! D. Hendrycks and T. Dietterich, Benchmarking neural network robustness to common corruptions
//! and perturbations, ICLR 2019.

use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_nn::corruption::{Picture, blur};

use crate::classify::frame::corruption_levels::Levels;
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "zoom-blur",
    version: 1,
    fields: &[],
    source: include_str!("zoom_blur.rs"),
    build: Build::Stressor(|_| {
        Ok(ImageCorruption::of_levels(
            Levels::mixed(PUBLISHED),
            Monotone::InTheMean,
            zoom_in,
        ))
    }),
};

/// How many enlargements, and how much larger each is than the one before.
const PUBLISHED: [[f64; 2]; 5] = [
    [12.0, 0.01],
    [16.0, 0.01],
    [11.0, 0.02],
    [13.0, 0.02],
    [11.0, 0.03],
];

fn zoom_in(picture: &mut Picture<'_>, [count, step]: [f64; 2], _seed: Seed) {
    let factors: Vec<f64> = (0..count as usize)
        .map(|at| 1.0 + at as f64 * step)
        .collect();
    blur::zoom(picture, &factors);
}
