//! Hair across a lesion.
//!
//! # What it does
//! Thin dark bent strokes over the image, in one of three shades of brown. Hairs belong to the
//! item: at higher severities there are those there were and others. Sizes scale with the image.
//!
//! # Why it matters
//! The most frequent artefact of dermatoscopy. It covers little and looks like the network of
//! pigment that diagnoses rest on.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 there are 3, 6, 12, 20 and 32 hairs. The levels are
//! ours: MedMNIST-C has no hair. Between two levels the images of both are mixed, so a ladder may
//! be as fine as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.hair]
//! use = "hair"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! T. Lee et al., DullRazor: a software approach to hair removal from images, *Computers in
//! Biology and Medicine* 27 (1997) 533–543, for why it matters.

use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_nn::corruption::{Picture, overlay};

use crate::classify::frame::corruption_levels::Levels;
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "hair",
    version: 1,
    fields: &[],
    source: include_str!("hair.rs"),
    build: Build::Stressor(|_| {
        Ok(ImageCorruption::of_levels(
            Levels::mixed(PUBLISHED),
            Monotone::InTheMean,
            grow_hair,
        ))
    }),
};

/// How many hairs.
const PUBLISHED: [[f64; 1]; 5] = [[3.0], [6.0], [12.0], [20.0], [32.0]];

fn grow_hair(picture: &mut Picture<'_>, [count]: [f64; 1], seed: Seed) {
    overlay::hair(picture, count as usize, seed);
}
