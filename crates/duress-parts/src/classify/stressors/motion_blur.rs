//! A movement while the shutter is open.
//!
//! # What it does
//! Every pixel becomes a fading mean of those along a line, whose direction is drawn for each item
//! between −45 and 45 degrees and is the same at every severity. Beyond the border its last pixel
//! goes on.
//!
//! # Why it matters
//! Shaking hands and moving things. It erases detail in one direction only, so it is not a blur of
//! which another one tells.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 the line is 21, 31, 31, 31 and 41 pixels long and
//! fades with a standard deviation of 3, 5, 8, 12 and 15 (`imagenet-c`), or as levels 2 to 5 of
//! these with a first one of 21 and 5 (`dermamnist`). Between two levels the images of both are
//! mixed, so a ladder may be as fine as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.motion-blur]
//! use = "motion-blur"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! D. Hendrycks and T. Dietterich, Benchmarking neural network robustness to common corruptions
//! and perturbations, ICLR 2019, as the package `imagecorruptions` does it without ImageMagick; F.
//! Di Salvo, S. Doerrich and C. Ledig, MedMNIST-C, 2024 (`dermamnist`).

use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_nn::corruption::Picture;
use duress_nn::corruption::blur::{self, Motion};

use crate::classify::frame::corruption_levels::{LevelSet, Levels, Published};
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "motion-blur",
    version: 1,
    fields: &[LevelSet::LEVELS],
    source: include_str!("motion_blur.rs"),
    build: Build::Stressor(|params| {
        Ok(ImageCorruption::of_levels(
            Levels::mixed(PUBLISHED.chosen(params)),
            Monotone::InTheMean,
            move_camera,
        ))
    }),
};

/// Half the length of the line, and how it fades, in pixels.
const PUBLISHED: Published<2> = Published {
    imagenet_c: [
        [10.0, 3.0],
        [15.0, 5.0],
        [15.0, 8.0],
        [15.0, 12.0],
        [20.0, 15.0],
    ],
    dermamnist: [
        [10.0, 5.0],
        [15.0, 5.0],
        [15.0, 8.0],
        [15.0, 12.0],
        [20.0, 15.0],
    ],
};

fn move_camera(picture: &mut Picture<'_>, [radius, sigma]: [f64; 2], seed: Seed) {
    let motion = Motion {
        radius: radius as usize,
        sigma,
    };
    blur::motion(picture, motion, &mut seed.draws());
}
