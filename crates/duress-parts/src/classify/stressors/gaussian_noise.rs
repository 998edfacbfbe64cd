//! Adds independent Gaussian noise to every pixel.
//!
//! # What it does
//! Each pixel becomes x + σ·z, clipped to [0, 1], with z standard normal. The draws belong to the
//! item and are the same at every severity, so the rungs of a ladder are one noise turned up: no
//! pixel moves less at a higher rung.
//!
//! # Why it matters
//! The simplest corruption there is, and the baseline for all others: sensors at night, cheap
//! cameras, lossy links. What falls to noise this plain has little margin for anything else.
//!
//! # Severity
//! σ, the standard deviation, in pixel units of [0, 1]; from 0 to 1. For eight-bit images, σ = 0.1
//! is 25 levels. With `levels = "imagenet-c"` or `"dermamnist"` it is a published level from 0 to 5
//! instead, as for every other corruption: σ = 0.08, 0.12, 0.18, 0.26 and 0.38 for the one, 0.04,
//! 0.08, 0.12, 0.18 and 0.26 for the other, and in between between them.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.noise]
//! use = "gaussian-noise"
//! severities = [0.05, 0.1, 0.2, 0.4]
//! ```
//!
//! # Reference
//! D. Hendrycks and T. Dietterich, Benchmarking neural network robustness to common corruptions and
//! perturbations, ICLR 2019; F. Di Salvo, S. Doerrich and C. Ledig, MedMNIST-C, 2024 (`dermamnist`).

use duress_core::part::{Build, Field, Part, Takes};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_core::word::Word;
use duress_nn::corruption::{Picture, noise};

use crate::classify::frame::corruption_levels::Levels;
use crate::classify::frame::image_corruption::ImageCorruption;

duress_core::words! {
    /// What the severity counts.
    enum NoiseLevels {
        Sigma = "sigma",
        ImagenetC = "imagenet-c",
        Dermamnist = "dermamnist",
    }
}

/// The part.
pub static PART: Part = Part {
    name: "gaussian-noise",
    version: 1,
    fields: &[Field {
        name: "levels",
        takes: Takes::Choice(NoiseLevels::spellings),
        doc: "whether severity is σ itself, or one of the five levels of ImageNet-C or of MedMNIST-C for dermatoscopy",
        default: Some("sigma"),
    }],
    source: include_str!("gaussian_noise.rs"),
    build: Build::Stressor(|params| {
        let published = match params.choice("levels") {
            NoiseLevels::Sigma => {
                let unit = "standard deviation in pixel units";
                return Ok(ImageCorruption::of_each(
                    unit,
                    1.0,
                    Monotone::EachItem,
                    |pixels, shape, sigma, seed| {
                        add_noise(&mut Picture::new(pixels, shape), [sigma], seed);
                    },
                ));
            }
            NoiseLevels::ImagenetC => IMAGENET_C,
            NoiseLevels::Dermamnist => DERMAMNIST,
        };
        let levels = Levels::from_nothing([0.0], published);
        Ok(ImageCorruption::of_levels(
            levels,
            Monotone::EachItem,
            add_noise,
        ))
    }),
};

/// The standard deviation.
const IMAGENET_C: [[f64; 1]; 5] = [[0.08], [0.12], [0.18], [0.26], [0.38]];

/// The same of MedMNIST-C for dermatoscopy.
const DERMAMNIST: [[f64; 1]; 5] = [[0.04], [0.08], [0.12], [0.18], [0.26]];

fn add_noise(picture: &mut Picture<'_>, [sigma]: [f64; 1], seed: Seed) {
    noise::gaussian(picture, sigma, &mut seed.draws());
}
