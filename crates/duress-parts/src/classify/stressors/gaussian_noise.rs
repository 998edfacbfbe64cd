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

use duress_core::data::{InputKind, Inputs, Items};
use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Pressed, Pressure, Promise, Stressor};
use duress_core::subject::Failure;

/// The part.
pub static PART: Part = Part {
    name: "gaussian-noise",
    version: 1,
    fields: &[],
    source: include_str!("gaussian_noise.rs"),
    build: Build::Stressor(|_| Ok(Stressor::Blind(Box::new(GaussianNoise)))),
};

struct GaussianNoise;

impl Blind for GaussianNoise {
    fn pressure(&self) -> Pressure {
        Pressure {
            accepts: InputKind::Images,
            unit: "standard deviation in pixel units",
            most: 1.0,
            sees_truth: false,
            promise: Promise::InTheBox,
        }
    }

    fn press(
        &self,
        pressed: Pressed<'_>,
        severity: &Severity,
        seed: Seed,
    ) -> Result<Items, Failure> {
        let items = pressed.items;
        let noisy = items.images()?.map(|i, image| {
            let mut draws = items.seed(i, seed).draws();
            image
                .iter_mut()
                .for_each(|x| *x = (f64::from(*x) + severity.value() * draws.normal()) as f32);
        });
        Ok(items.with(Inputs::Images(noisy)))
    }
}
