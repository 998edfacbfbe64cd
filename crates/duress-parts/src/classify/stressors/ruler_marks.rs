//! A ruler at the side of a lesion.
//!
//! # What it does
//! A dark scale along one of the four sides: its edge, a mark each millimetre and longer ones
//! every five and ten. Side and place belong to the item; at higher severities marks are longer.
//! Sizes scale with the image.
//!
//! # Why it matters
//! Rulers are laid beside what a doctor wants to measure, so they go with malignancy; a subject
//! may read the ruler and not the lesion.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 a mark is 0.02, 0.04, 0.06, 0.08 and 0.10 of the
//! shorter side long. The levels are ours: MedMNIST-C has letters in their place. Between two
//! levels the images of both are mixed, so a ladder may
//! be as fine as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.ruler-marks]
//! use = "ruler-marks"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! A. Narla et al., Automated classification of skin lesions: from pixels to practice, *Journal of
//! Investigative Dermatology* 138 (2018) 2108–2110; F. Di Salvo, S. Doerrich and C. Ledig,
//! MedMNIST-C, 2024.

use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_nn::corruption::{Picture, overlay};

use crate::classify::frame::corruption_levels::Levels;
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "ruler-marks",
    version: 1,
    fields: &[],
    source: include_str!("ruler_marks.rs"),
    build: Build::Stressor(|_| {
        Ok(ImageCorruption::of_levels(
            Levels::mixed(PUBLISHED),
            Monotone::InTheMean,
            lay_ruler,
        ))
    }),
};

/// How long a mark is, in shorter sides.
const PUBLISHED: [[f64; 1]; 5] = [[0.02], [0.04], [0.06], [0.08], [0.1]];

fn lay_ruler(picture: &mut Picture<'_>, [length]: [f64; 1], seed: Seed) {
    overlay::ruler(picture, length, &mut seed.draws());
}
