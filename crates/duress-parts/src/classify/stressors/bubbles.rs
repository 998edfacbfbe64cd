//! Bubbles of immersion fluid under a dermatoscope.
//!
//! # What it does
//! Pale semi-transparent disks with a brighter rim, somewhere on the image. Places belong to the
//! item: at higher severities the same bubbles are larger, and there are more of them. Sizes are
//! for a shorter side of 224 pixels and scale with it.
//!
//! # Why it matters
//! An artefact of how an image was taken that no lesion has; round and bright, it looks like the
//! structures some subjects look for.
//!
//! # Severity
//! The level, from 0 to 5. At levels 1 to 5 there are between 7 and 15, 15, 15, 20 and 25 bubbles
//! with radii from 3 to 7, 10, 12, 15 and 17 pixels, the levels that MedMNIST-C has for pathology.
//! Between two levels the images of both are mixed, so a ladder may be as fine as one likes.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. Every pixel stays in [0, 1].
//!
//! # Example
//! ```toml
//! [ladder.bubbles]
//! use = "bubbles"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! F. Di Salvo, S. Doerrich and C. Ledig, MedMNIST-C, 2024, `bubble`.

use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::stressor::Monotone;
use duress_nn::corruption::Picture;
use duress_nn::corruption::overlay::{self, Bubbles};

use crate::classify::frame::corruption_levels::Levels;
use crate::classify::frame::image_corruption::ImageCorruption;

/// The part.
pub static PART: Part = Part {
    name: "bubbles",
    version: 1,
    fields: &[],
    source: include_str!("bubbles.rs"),
    build: Build::Stressor(|_| {
        Ok(ImageCorruption::of_levels(
            Levels::mixed(PUBLISHED),
            Monotone::InTheMean,
            add_bubbles,
        ))
    }),
};

/// The largest radius, in pixels, and the most of them.
const PUBLISHED: [[f64; 2]; 5] = [
    [7.0, 15.0],
    [10.0, 15.0],
    [12.0, 15.0],
    [15.0, 20.0],
    [17.0, 25.0],
];

fn add_bubbles(picture: &mut Picture<'_>, [radius, count]: [f64; 2], seed: Seed) {
    let bubbles = Bubbles {
        radius,
        count: count as usize,
    };
    overlay::bubbles(picture, bubbles, seed);
}
