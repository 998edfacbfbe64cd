//! Strokes of a surgeon's marker.
//!
//! # What it does
//! Broad semi-transparent strokes in violet, blue or black over the image. Strokes belong to the
//! item: at higher severities there are those there were and others. Sizes scale with the image.
//!
//! # Why it matters
//! Lesions that will be excised are marked, so marks go with melanoma in many collections. A
//! subject that has learned this calls marked naevi malignant.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 there are as many strokes. MedMNIST-C has stains of
//! ink in their place, for pathology. Between two levels the images of both are mixed, so a ladder
//! may be as fine as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.ink-marks]
//! use = "ink-marks"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! J. Winkler et al., Association between surgical skin markings in dermoscopic images and
//! diagnostic performance of a deep learning convolutional neural network, *JAMA Dermatology* 155
//! (2019) 1135–1141; F. Di Salvo, S. Doerrich and C. Ledig, MedMNIST-C, 2024, `stain_deposit`.

use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_nn::corruption::{Picture, overlay};

use crate::classify::frame::corruption_levels::Levels;
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "ink-marks",
    version: 1,
    fields: &[],
    source: include_str!("ink_marks.rs"),
    build: Build::Stressor(|_| {
        Ok(ImageCorruption::of_levels(
            Levels::mixed(PUBLISHED),
            Monotone::InTheMean,
            mark,
        ))
    }),
};

/// How many strokes.
const PUBLISHED: [[f64; 1]; 5] = [[1.0], [2.0], [3.0], [4.0], [5.0]];

fn mark(picture: &mut Picture<'_>, [count]: [f64; 1], seed: Seed) {
    overlay::ink(picture, count as usize, seed);
}
