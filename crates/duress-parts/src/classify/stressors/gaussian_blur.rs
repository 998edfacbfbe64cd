//! A normal blur.
//!
//! # What it does
//! Every channel is averaged with normal weights of standard deviation σ, in pixels; beyond the
//! border its last pixel goes on.
//!
//! # Why it matters
//! The plainest loss of detail: small images enlarged, cheap lenses, aggressive denoising.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 σ is 1, 2, 3, 4 and 6 pixels of the image as it is: on
//! small images these are hard levels. Between two levels σ is in between, so a ladder may be as
//! fine as one likes. Below σ = 1/8 nothing changes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.gaussian-blur]
//! use = "gaussian-blur"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! D. Hendrycks and T. Dietterich, Benchmarking neural network robustness to common corruptions
//! and perturbations, ICLR 2019, its held-out corruptions.

use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_nn::corruption::{Picture, blur};

use crate::classify::frame::corruption_levels::Levels;
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "gaussian-blur",
    version: 1,
    fields: &[],
    source: include_str!("gaussian_blur.rs"),
    build: Build::Stressor(|_| {
        Ok(ImageCorruption::of_levels(
            Levels::from_nothing([0.0], PUBLISHED),
            Monotone::InTheMean,
            blur_picture,
        ))
    }),
};

/// The standard deviation, in pixels.
const PUBLISHED: [[f64; 1]; 5] = [[1.0], [2.0], [3.0], [4.0], [6.0]];

fn blur_picture(picture: &mut Picture<'_>, [sigma]: [f64; 1], _seed: Seed) {
    blur::gaussian(picture, sigma);
}
