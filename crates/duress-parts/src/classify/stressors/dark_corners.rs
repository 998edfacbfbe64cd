//! The dark rim of a dermatoscope.
//!
//! # What it does
//! Everything outside a circle about the middle of the image becomes black.
//!
//! # Why it matters
//! Whether there is a rim says which device took the image and in which clinic, and nothing about
//! the lesion. Subjects learn it all the same.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 the radius is 1.10, 1.05, 1.00, 0.95 and 0.90 of half
//! the shorter side; MedMNIST-C has the last two the other way round. Between two levels the
//! images of both are mixed: below level 1 the corners only get darker, so a ladder may be as fine
//! as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.dark-corners]
//! use = "dark-corners"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! F. Di Salvo, S. Doerrich and C. Ledig, MedMNIST-C, 2024, `black_corner`.

use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_nn::corruption::{Picture, overlay};

use crate::classify::frame::corruption_levels::Levels;
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "dark-corners",
    version: 1,
    fields: &[],
    source: include_str!("dark_corners.rs"),
    build: Build::Stressor(|_| {
        Ok(ImageCorruption::of_levels(
            Levels::mixed(PUBLISHED),
            Monotone::EachItem,
            darken,
        ))
    }),
};

/// The radius, in half shorter sides.
const PUBLISHED: [[f64; 1]; 5] = [[1.1], [1.05], [1.0], [0.95], [0.9]];

fn darken(picture: &mut Picture<'_>, [reach]: [f64; 1], _seed: Seed) {
    overlay::dark_corners(picture, reach);
}
