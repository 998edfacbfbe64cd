//! Loses punctuation marks, and takes one for another.
//!
//! # What it does
//! Takes marks away, or puts another of their kind in their place, whichever a draw says; wide
//! marks of Chinese and Japanese become wide ones.
//!
//! # Why it matters
//! Hurried writing has few marks; what is said should not depend on them.
//!
//! # Severity
//! The share of punctuation marks, from 0 to 1. Places are in an order of each text's own, drawn from the seed, so harder rungs change
//! what milder ones changed and more.
//!
//! # Promise
//! Blind. Only marks are changed; a text without any does not take part. What it came to is reported as edit distance.
//!
//! # Example
//! ```toml
//! [ladder.punctuation]
//! use = "punctuation"
//! severities = [0.05, 0.1, 0.2]
//! ```
//!
//! # Reference
//! The perturbation is in CheckList, HELM and TextAttack.

use std::ops::Range;

use duress_core::seed::Draws;

use crate::order::frame::text_noise::{TextNoise, characters, noise_part, one_of, only};

noise_part!("punctuation", "punctuation.rs");

static NOISE: TextNoise = TextNoise {
    unit: "share of punctuation marks",
    sites,
    change,
    leaves_one: false,
};

/// Marks that may stand for each other.
const KINDS: [&str; 4] = [".,;:", "!?", "。，；：、", "！？"];

fn sites(text: &str) -> Vec<Range<usize>> {
    characters(text, |c| kind(c).is_some())
}

fn change(site: &str, draws: &mut Draws) -> Option<String> {
    let mark = only(site)?;
    if draws.chance(0.5) {
        return Some(String::new());
    }
    let others: Vec<char> = kind(mark)?.chars().filter(|other| *other != mark).collect();
    one_of(&others, draws).map(String::from)
}

fn kind(mark: char) -> Option<&'static str> {
    KINDS.into_iter().find(|kind| kind.contains(mark))
}
