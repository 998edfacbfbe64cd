//! A smooth random warp.
//!
//! # What it does
//! Every pixel is taken from a place that a random field, smoothed over a hundredth of the sides,
//! moves it to. The field belongs to the item and is the same at every severity, only larger.
//!
//! # Why it matters
//! Small stretches of what is seen: skin under a lens, handwriting, cloth. Nothing is added or
//! lost, so what fails relies on exact shapes.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 the field is 12.5, 16.25, 21.25, 25 and 30 times as
//! strong as its noise, which grows with the height of the image. Between two levels the strength
//! is in between, so a ladder may be as fine as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.elastic-transform]
//! use = "elastic-transform"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! D. Hendrycks and T. Dietterich, Benchmarking neural network robustness to common corruptions
//! and perturbations, ICLR 2019; P. Simard, D. Steinkraus and J. Platt, Best practices for
//! convolutional neural networks, ICDAR 2003.

use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_nn::corruption::{Picture, digital};

use crate::classify::frame::corruption_levels::Levels;
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "elastic-transform",
    version: 1,
    fields: &[],
    source: include_str!("elastic_transform.rs"),
    build: Build::Stressor(|_| {
        Ok(ImageCorruption::of_levels(
            Levels::from_nothing([0.0], PUBLISHED),
            Monotone::InTheMean,
            warp,
        ))
    }),
};

/// How strong the field is.
const PUBLISHED: [[f64; 1]; 5] = [[12.5], [16.25], [21.25], [25.0], [30.0]];

fn warp(picture: &mut Picture<'_>, [strength]: [f64; 1], seed: Seed) {
    digital::elastic(picture, strength, &mut seed.draws());
}
