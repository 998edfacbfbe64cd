//! Leaves words out.
//!
//! # What it does
//! Takes words out of a text, with the white space behind them. The last one left stays.
//!
//! # Why it matters
//! How much a subject says of what is no longer there, and how soon it notices that something is
//! missing.
//!
//! # Severity
//! The share of words left out, from 0 to 1. Places are in an order of each text's own, drawn from the seed, so harder rungs change
//! what milder ones changed and more.
//!
//! # Promise
//! Blind. Words that stay are not changed; a text of one word does not take part. What it came to is reported as edit distance.
//!
//! # Example
//! ```toml
//! [ladder.word-drop]
//! use = "word-drop"
//! severities = [0.05, 0.1, 0.2]
//! ```
//!
//! # Reference
//! J. Wei and K. Zou, EDA: Easy Data Augmentation Techniques, EMNLP 2019, for random deletion.

use std::ops::Range;

use duress_core::seed::Draws;

use crate::order::frame::text_noise::{TextNoise, noise_part};

noise_part!("word-drop", "word_drop.rs");

static NOISE: TextNoise = TextNoise {
    unit: "share of words left out",
    sites,
    change,
    leaves_one: true,
};

fn sites(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let range = at..at + word.len();
        at = range.end;
        if !word.trim().is_empty() {
            found.push(range);
        }
    }
    found
}

fn change(_word: &str, _draws: &mut Draws) -> Option<String> {
    Some(String::new())
}
