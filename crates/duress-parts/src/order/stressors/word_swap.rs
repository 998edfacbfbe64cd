//! Lets neighbouring words change places.
//!
//! # What it does
//! Pairs words off from the start of a text, and exchanges the two of some pairs; what stands
//! between them stays.
//!
//! # Why it matters
//! Order carries who did what to whom; a subject that counts words does not notice.
//!
//! # Severity
//! The share of pairs of neighbours exchanged, from 0 to 1. Places are in an order of each text's own, drawn from the seed, so harder rungs change
//! what milder ones changed and more.
//!
//! # Promise
//! Blind. Words are moved, none is changed; a text of one word does not take part. What it came to is reported as edit distance.
//!
//! # Example
//! ```toml
//! [ladder.word-swap]
//! use = "word-swap"
//! severities = [0.05, 0.1, 0.2]
//! ```
//!
//! # Reference
//! J. Wei and K. Zou, EDA: Easy Data Augmentation Techniques, EMNLP 2019, for random swap.

use std::ops::Range;

use duress_core::seed::Draws;

use crate::order::frame::text_noise::{TextNoise, noise_part};

noise_part!("word-swap", "word_swap.rs");

static NOISE: TextNoise = TextNoise {
    unit: "share of pairs of neighbours exchanged",
    sites,
    change,
    leaves_one: false,
};

fn sites(text: &str) -> Vec<Range<usize>> {
    let start = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let words: Vec<&str> = text.split_whitespace().collect();
    let pair = |pair: &[&str]| start(pair[0])..start(pair[1]) + pair[1].len();
    words.chunks_exact(2).map(pair).collect()
}

fn change(pair: &str, _draws: &mut Draws) -> Option<String> {
    let mut words = pair.split_whitespace();
    let first = words.next()?;
    let second = words.next()?;
    let between = &pair[first.len()..pair.len() - second.len()];
    Some(format!("{second}{between}{first}"))
}
