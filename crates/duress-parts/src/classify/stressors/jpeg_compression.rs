//! What JPEG leaves of an image.
//!
//! # What it does
//! The image is compressed and decompressed as Pillow does it: levels of eight bits, colour at
//! half size, blocks of 8 × 8 divided by the tables of a quality. The lossless coding between is
//! left out.
//!
//! # Why it matters
//! Nearly every image was a JPEG file once. Blocks and colour fringes at low quality are edges
//! that subjects have learned from other files.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 the quality is 25, 18, 15, 10 and 7 (`imagenet-c`) or
//! 30, 20, 15, 10 and 7 (`dermamnist`). Between two levels the quality is in between, from 100
//! down, so a ladder may be as fine as one likes. Just above 0 it is a file of quality 100, whose
//! colours are at half size too.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.jpeg-compression]
//! use = "jpeg-compression"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! D. Hendrycks and T. Dietterich, Benchmarking neural network robustness to common corruptions
//! and perturbations, ICLR 2019; ITU-T T.81 (JPEG), Annex K; F. Di Salvo, S. Doerrich and C.
//! Ledig, MedMNIST-C, 2024 (`dermamnist`).

use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_nn::corruption::{Picture, jpeg};

use crate::classify::frame::corruption_levels::{LevelSet, Levels, Published};
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "jpeg-compression",
    version: 1,
    fields: &[LevelSet::LEVELS],
    source: include_str!("jpeg_compression.rs"),
    build: Build::Stressor(|params| {
        Ok(ImageCorruption::of_levels(
            Levels::from_nothing([100.0], PUBLISHED.chosen(params)),
            Monotone::InTheMean,
            compress,
        ))
    }),
};

/// The quality.
const PUBLISHED: Published<1> = Published {
    imagenet_c: [[25.0], [18.0], [15.0], [10.0], [7.0]],
    dermamnist: [[30.0], [20.0], [15.0], [10.0], [7.0]],
};

fn compress(picture: &mut Picture<'_>, [quality]: [f64; 1], _seed: Seed) {
    jpeg::compress(picture, quality);
}
