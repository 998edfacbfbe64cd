//! Too little colour, or too much.
//!
//! # What it does
//! The saturation of every pixel in HSV becomes s·a + b, clipped to [0, 1]; a grey pixel, which
//! has no hue, is taken for red. Images that are not in colour stay as they are.
//!
//! # Why it matters
//! Filters, other cameras, other screens. What relies on a shade of colour, as a diagnosis may,
//! fails first.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 a is 0.3, 0.1, 2, 5 and 20 and b is 0, 0, 0, 0.1 and
//! 0.2: levels 1 and 2 take colour away, 3 to 5 add it. Between two levels a and b are in between,
//! so between 2 and 3 there is a place where nothing changes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.saturate]
//! use = "saturate"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! D. Hendrycks and T. Dietterich, Benchmarking neural network robustness to common corruptions
//! and perturbations, ICLR 2019, its held-out corruptions.

use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_nn::corruption::{Picture, colour};

use crate::classify::frame::corruption_levels::Levels;
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "saturate",
    version: 1,
    fields: &[],
    source: include_str!("saturate.rs"),
    build: Build::Stressor(|_| {
        Ok(ImageCorruption::of_levels(
            Levels::from_nothing([1.0, 0.0], PUBLISHED),
            Monotone::InTheMean,
            change_saturation,
        ))
    }),
};

/// What saturation is multiplied with, and what is added.
const PUBLISHED: [[f64; 2]; 5] = [[0.3, 0.0], [0.1, 0.0], [2.0, 0.0], [5.0, 0.1], [20.0, 0.2]];

fn change_saturation(picture: &mut Picture<'_>, [times, plus]: [f64; 2], _seed: Seed) {
    colour::saturate(picture, times, plus);
}
