//! A lens out of focus.
//!
//! # What it does
//! Every point becomes a disk with a softened rim; beyond the border the image is mirrored.
//!
//! # Why it matters
//! Cameras miss their focus, and a dermatoscope that is not pressed to the skin has none. Edges
//! vanish while colours and their layout stay.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 the disk has a radius of 3, 4, 6, 8 and 10 pixels
//! (`imagenet-c`) or 4, 5, 6, 7 and 8 (`dermamnist`) of the image as it is. Between two levels the
//! images of both are mixed, so a ladder may be as fine as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.defocus-blur]
//! use = "defocus-blur"
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
use duress_nn::corruption::{Picture, blur};

use crate::classify::frame::corruption_levels::{LevelSet, Levels, Published};
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "defocus-blur",
    version: 1,
    fields: &[LevelSet::LEVELS],
    source: include_str!("defocus_blur.rs"),
    build: Build::Stressor(|params| {
        Ok(ImageCorruption::of_levels(
            Levels::mixed(PUBLISHED.chosen(params)),
            Monotone::InTheMean,
            defocus,
        ))
    }),
};

/// Radius and softness of the rim, in pixels.
const PUBLISHED: Published<2> = Published {
    imagenet_c: [[3.0, 0.1], [4.0, 0.5], [6.0, 0.5], [8.0, 0.5], [10.0, 0.5]],
    dermamnist: [[4.0, 0.1], [5.0, 0.2], [6.0, 0.3], [7.0, 0.4], [8.0, 0.5]],
};

fn defocus(picture: &mut Picture<'_>, [radius, softness]: [f64; 2], _seed: Seed) {
    blur::defocus(picture, radius, softness);
}
