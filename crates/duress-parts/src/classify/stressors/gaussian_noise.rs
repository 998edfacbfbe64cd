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
//! is 25 levels.
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
//! perturbations, ICLR 2019, whose five levels for ImageNet are σ = 0.08, 0.12, 0.18, 0.26 and
//! 0.38.

use duress_core::part::{Build, Part};
use duress_core::seed::Draws;
use duress_core::stressor::Monotone;

use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "gaussian-noise",
    version: 1,
    fields: &[],
    source: include_str!("gaussian_noise.rs"),
    build: Build::Stressor(|_| {
        let unit = "standard deviation in pixel units";
        Ok(ImageCorruption::of_each(
            unit,
            1.0,
            Monotone::EachItem,
            add_noise,
        ))
    }),
};

fn add_noise(pixels: &mut [f32], _shape: [usize; 3], sigma: f64, mut draws: Draws) {
    for pixel in pixels {
        *pixel = (f64::from(*pixel) + sigma * draws.normal()) as f32;
    }
}
