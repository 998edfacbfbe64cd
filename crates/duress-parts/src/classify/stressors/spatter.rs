//! Water or mud on the lens.
//!
//! # What it does
//! Drops are blurred noise above a threshold. Water brightens, most where a drop is deep; mud
//! covers. The noise belongs to the item and is the same at every severity.
//!
//! # Why it matters
//! Occlusion in small patches with hard rims, some of it transparent.
//!
//! # Severity
//! The level, from 0 to 5. Levels 1 to 3 are water in ever smaller and more drops, 4 and 5 are
//! mud. Between two levels the images of both are mixed, so a ladder may be as fine as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.spatter]
//! use = "spatter"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! D. Hendrycks and T. Dietterich, Benchmarking neural network robustness to common corruptions
//! and perturbations, ICLR 2019, its held-out corruptions.

use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_nn::corruption::Picture;
use duress_nn::corruption::spatter::{self, Liquid, Spatter};

use crate::classify::frame::corruption_levels::Levels;
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "spatter",
    version: 1,
    fields: &[],
    source: include_str!("spatter.rs"),
    build: Build::Stressor(|_| {
        Ok(ImageCorruption::of_levels(
            Levels::mixed(PUBLISHED),
            Monotone::InTheMean,
            splash,
        ))
    }),
};

/// Mean and spread of the noise, size of drops, threshold, shine of water or softness of mud, and whether it is mud.
const PUBLISHED: [[f64; 6]; 5] = [
    [0.65, 0.3, 4.0, 0.69, 0.6, 0.0],
    [0.65, 0.3, 3.0, 0.68, 0.6, 0.0],
    [0.65, 0.3, 2.0, 0.68, 0.5, 0.0],
    [0.65, 0.3, 1.0, 0.65, 1.5, 1.0],
    [0.67, 0.4, 1.0, 0.65, 1.5, 1.0],
];

fn splash(picture: &mut Picture<'_>, level: [f64; 6], seed: Seed) {
    let [mean, spread, sigma, threshold, strength, mud] = level;
    let liquid = if mud > 0.0 {
        Liquid::Mud { softness: strength }
    } else {
        Liquid::Water { shine: strength }
    };
    let drops = Spatter {
        mean,
        spread,
        sigma,
        threshold,
        liquid,
    };
    spatter::spatter(picture, drops, &mut seed.draws());
}
