//! Puts characters that nobody sees between letters.
//!
//! # What it does
//! Writes a zero-width space, joiner, non-joiner or word joiner behind letters and digits.
//!
//! # Why it matters
//! They come with copied texts and break words apart for whoever reads bytes.
//!
//! # Severity
//! The share of letters and digits with one behind, from 0 to 1. Places are in an order of each text's own, drawn from the seed, so harder rungs change
//! what milder ones changed and more.
//!
//! # Promise
//! Blind. Nothing that can be seen is changed. What it came to is reported as edit distance.
//!
//! # Example
//! ```toml
//! [ladder.zero-width]
//! use = "zero-width"
//! severities = [0.05, 0.1, 0.2]
//! ```
//!
//! # Reference
//! The Unicode Standard, section 23.2, for layout controls; N. Boucher and others, Bad Characters:
//! Imperceptible NLP Attacks, IEEE S&P 2022.

use std::ops::Range;

use duress_core::seed::Draws;

use crate::order::frame::text_noise::{TextNoise, characters, noise_part, one_of};

noise_part!("zero-width", "zero_width.rs");

static NOISE: TextNoise = TextNoise {
    unit: "share of letters and digits with one behind",
    sites,
    change,
    leaves_one: false,
};

const UNSEEN: [char; 4] = ['\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}'];

fn sites(text: &str) -> Vec<Range<usize>> {
    characters(text, char::is_alphanumeric)
}

fn change(site: &str, draws: &mut Draws) -> Option<String> {
    let unseen = one_of(&UNSEEN, draws)?;
    Some(format!("{site}{unseen}"))
}
