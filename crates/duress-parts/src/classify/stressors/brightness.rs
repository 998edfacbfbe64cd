//! More light, or less.
//!
//! # What it does
//! With `imagenet-c`, adds to the value of every pixel in HSV, hue and saturation kept; images
//! that are not in colour get it added. With `dermamnist-up` and `dermamnist-down`, multiplies all
//! light. What leaves [0, 1] is clipped.
//!
//! # Why it matters
//! Exposure varies with every picture taken. It is the mildest of the corruptions of ImageNet-C,
//! and what falls to it has learned how bright its classes usually are.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 0.1 to 0.5 is added (`imagenet-c`), or light is
//! multiplied by 1.1 to 1.5 (`dermamnist-up`) or by 0.9 to 0.5 (`dermamnist-down`), in even steps.
//! Between two levels the strength is in between, so a ladder may be as fine as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.brightness]
//! use = "brightness"
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
    enum BrightnessLevels {
        ImagenetC = "imagenet-c",
        DermamnistUp = "dermamnist-up",
        DermamnistDown = "dermamnist-down",
    }
}

/// The part.
pub static PART: Part = Part {
    name: "brightness",
    version: 1,
    fields: &[Field {
        name: "levels",
        takes: Takes::Choice(BrightnessLevels::spellings),
        doc: "whose five levels: those of ImageNet-C, or those of MedMNIST-C for dermatoscopy, upwards or downwards",
        default: Some("imagenet-c"),
    }],
    source: include_str!("brightness.rs"),
    build: Build::Stressor(|params| {
        let (nothing, published, act): (f64, _, Act) = match params.choice("levels") {
            BrightnessLevels::ImagenetC => (0.0, IMAGENET_C, add_light),
            BrightnessLevels::DermamnistUp => (1.0, DERMAMNIST_UP, multiply_light),
            BrightnessLevels::DermamnistDown => (1.0, DERMAMNIST_DOWN, multiply_light),
        };
        let levels = Levels::from_nothing([nothing], published);
        Ok(ImageCorruption::of_levels(levels, Monotone::InTheMean, act))
    }),
};

type Act = fn(&mut Picture<'_>, [f64; 1], Seed);

/// How much is added.
const IMAGENET_C: [[f64; 1]; 5] = [[0.1], [0.2], [0.3], [0.4], [0.5]];

/// What light is multiplied with, upwards, in MedMNIST-C for dermatoscopy.
const DERMAMNIST_UP: [[f64; 1]; 5] = [[1.1], [1.2], [1.3], [1.4], [1.5]];

/// The same, downwards.
const DERMAMNIST_DOWN: [[f64; 1]; 5] = [[0.9], [0.8], [0.7], [0.6], [0.5]];

fn add_light(picture: &mut Picture<'_>, [more]: [f64; 1], _seed: Seed) {
    colour::brighter(picture, more);
}

fn multiply_light(picture: &mut Picture<'_>, [factor]: [f64; 1], _seed: Seed) {
    colour::light(picture, factor);
}
