//! Loses and doubles the gaps between words.
//!
//! # What it does
//! Takes the white space between two words away, or doubles it, whichever a draw says.
//!
//! # Why it matters
//! Gaps get lost where lines break and where texts are copied out of pages.
//!
//! # Severity
//! The share of the gaps between words, from 0 to 1. Places are in an order of each text's own, drawn from the seed, so harder rungs change
//! what milder ones changed and more.
//!
//! # Promise
//! Blind. No character but white space is touched; a text without gaps does not take part. What it came to is reported as edit distance.
//!
//! # Example
//! ```toml
//! [ladder.spacing]
//! use = "spacing"
//! severities = [0.05, 0.1, 0.2]
//! ```
//!
//! # Reference
//! The perturbation is in HELM, PyRIT and NL-Augmenter.

use std::ops::Range;

use duress_core::seed::Draws;

use crate::order::frame::text_noise::{TextNoise, noise_part};

noise_part!("spacing", "spacing.rs");

static NOISE: TextNoise = TextNoise {
    unit: "share of the gaps between words",
    sites,
    change,
    leaves_one: false,
};

fn sites(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_whitespace()) {
        let end = at + c.len_utf8();
        match found.last_mut().filter(|last| last.end == at) {
            Some(last) => last.end = end,
            None => found.push(at..end),
        }
    }
    found.retain(|gap| gap.start > 0 && gap.end < text.len());
    found
}

fn change(gap: &str, draws: &mut Draws) -> Option<String> {
    Some(match draws.chance(0.5) {
        true => String::new(),
        false => gap.repeat(2),
    })
}
