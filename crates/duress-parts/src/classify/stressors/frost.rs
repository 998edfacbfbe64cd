//! Ice on a pane before the lens.
//!
//! # What it does
//! The image becomes a·x + b·ice. The ice is generated: a rough random surface in the colours of
//! one of four panes, drawn for each item and the same at every severity. ImageNet-C takes
//! photographs of ice, which are not ours to ship; the panes here have the mean colours of pieces of
//! them, how far pixels stray within a piece and pieces from one another, and nothing else of them.
//!
//! # Why it matters
//! An occlusion that is everywhere, semi-transparent and bright.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 a is 1, 0.8, 0.7, 0.65 and 0.6 and b is 0.4, 0.6, 0.7,
//! 0.7 and 0.75. Between two levels a and b are in between, so a ladder may be as fine as one
//! likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1]. It agrees with
//! the published images in mean and spread only, not in what the ice looks like.
//!
//! # Example
//! ```toml
//! [ladder.frost]
//! use = "frost"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! D. Hendrycks and T. Dietterich, Benchmarking neural network robustness to common corruptions
//! and perturbations, ICLR 2019, for the mixture and its levels.

use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_nn::corruption::{Picture, weather};

use crate::classify::frame::corruption_levels::Levels;
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "frost",
    version: 2,
    fields: &[],
    source: include_str!("frost.rs"),
    build: Build::Stressor(|_| {
        Ok(ImageCorruption::of_levels(
            Levels::from_nothing([1.0, 0.0], PUBLISHED),
            Monotone::InTheMean,
            freeze,
        ))
    }),
};

/// What is kept of the image, and what is added of the ice.
const PUBLISHED: [[f64; 2]; 5] = [[1.0, 0.4], [0.8, 0.6], [0.7, 0.7], [0.65, 0.7], [0.6, 0.75]];

fn freeze(picture: &mut Picture<'_>, [kept, added]: [f64; 2], seed: Seed) {
    weather::frost(picture, kept, added, &mut seed.draws());
}
