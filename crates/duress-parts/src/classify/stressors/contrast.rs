//! Less contrast, or more.
//!
//! # What it does
//! With `imagenet-c`, draws every channel towards its own mean. With `dermamnist-up` and
//! `dermamnist-down`, stretches or shrinks all channels about the mean brightness of the image, as
//! Pillow does. What leaves [0, 1] is clipped.
//!
//! # Why it matters
//! Haze, glare, other screens and printers. At the high levels little is left that eyes would see,
//! though nothing but a scale has changed.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 0.4, 0.3, 0.2, 0.1 and 0.05 of every difference is
//! left (`imagenet-c`), or differences are multiplied by 1.1, 1.2, 1.3, 1.4 and 1.6
//! (`dermamnist-up`) or 0.8, 0.7, 0.6, 0.5 and 0.4 (`dermamnist-down`). Between two levels the
//! strength is in between, so a ladder may be as fine as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.contrast]
//! use = "contrast"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! D. Hendrycks and T. Dietterich, Benchmarking neural network robustness to common corruptions
//! and perturbations, ICLR 2019; F. Di Salvo, S. Doerrich and C. Ledig, MedMNIST-C, 2024
//! (`dermamnist-up`, `dermamnist-down`).

use duress_core::part::{Build, Field, Part, Takes};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_core::word::Word;
use duress_nn::corruption::{Picture, colour};

use crate::classify::frame::corruption_levels::Levels;
use crate::classify::frame::image_corruption::ImageCorruption;

duress_core::words! {
    /// Whose levels they are.
    enum ContrastLevels {
        ImagenetC = "imagenet-c",
        DermamnistUp = "dermamnist-up",
        DermamnistDown = "dermamnist-down",
    }
}

/// The part.
pub static PART: Part = Part {
    name: "contrast",
    version: 1,
    fields: &[Field {
        name: "levels",
        takes: Takes::Choice(ContrastLevels::spellings),
        doc: "whose five levels: those of ImageNet-C, or those of MedMNIST-C for dermatoscopy, upwards or downwards",
        default: Some("imagenet-c"),
    }],
    source: include_str!("contrast.rs"),
    build: Build::Stressor(|params| {
        let (nothing, published, act): (f64, _, Act) = match params.choice("levels") {
            ContrastLevels::ImagenetC => (1.0, IMAGENET_C, shrink_channels),
            ContrastLevels::DermamnistUp => (1.0, DERMAMNIST_UP, stretch_about_brightness),
            ContrastLevels::DermamnistDown => (1.0, DERMAMNIST_DOWN, stretch_about_brightness),
        };
        let levels = Levels::from_nothing([nothing], published);
        Ok(ImageCorruption::of_levels(levels, Monotone::InTheMean, act))
    }),
};

type Act = fn(&mut Picture<'_>, [f64; 1], Seed);

/// What is left of every difference from the mean.
const IMAGENET_C: [[f64; 1]; 5] = [[0.4], [0.3], [0.2], [0.1], [0.05]];

/// What differences are multiplied with, upwards, in MedMNIST-C for dermatoscopy.
const DERMAMNIST_UP: [[f64; 1]; 5] = [[1.1], [1.2], [1.3], [1.4], [1.6]];

/// The same, downwards.
const DERMAMNIST_DOWN: [[f64; 1]; 5] = [[0.8], [0.7], [0.6], [0.5], [0.4]];

fn shrink_channels(picture: &mut Picture<'_>, [kept]: [f64; 1], _seed: Seed) {
    colour::contrast(picture, kept);
}

fn stretch_about_brightness(picture: &mut Picture<'_>, [factor]: [f64; 1], _seed: Seed) {
    colour::contrast_about_brightness(picture, factor);
}
