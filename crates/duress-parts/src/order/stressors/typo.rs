//! Misspells words as fingers do: neighbours swapped, a letter more, a letter less.
//!
//! # What it does
//! Changes words of three letters and more, each by one of three slips: two neighbouring letters
//! change places, a letter is struck twice, or one is left out.
//!
//! # Why it matters
//! What people type has such words; a subject should read over a few.
//!
//! # Severity
//! The share of words with a slip, from 0 to 1. Places are in an order of each text's own, drawn from the seed, so harder rungs change
//! what milder ones changed and more.
//!
//! # Promise
//! Blind. A word is changed once, and never its first letter. What it came to is reported as edit distance.
//!
//! # Example
//! ```toml
//! [ladder.typo]
//! use = "typo"
//! severities = [0.05, 0.1, 0.2]
//! ```
//!
//! # Reference
//! F. J. Damerau, Communications of the ACM 7 (1964) 171, for the kinds of slips.

use std::ops::Range;

use duress_core::seed::Draws;
use duress_text::sentence::words;

use crate::order::frame::text_noise::{TextNoise, noise_part};

noise_part!("typo", "typo.rs");

static NOISE: TextNoise = TextNoise {
    unit: "share of words with a slip",
    sites,
    change,
    leaves_one: false,
};

fn sites(text: &str) -> Vec<Range<usize>> {
    let long = |(_, word): &(usize, &str)| word.chars().filter(|c| c.is_alphabetic()).count() > 2;
    let words = words(text).filter(long);
    words.map(|(at, word)| at..at + word.len()).collect()
}

fn change(word: &str, draws: &mut Draws) -> Option<String> {
    let mut letters: Vec<char> = word.chars().collect();
    let at = 1 + draws.below(letters.len() - 1);
    match draws.below(3) {
        // Equal neighbours would stay as they are: the letter is struck twice instead.
        0 if at + 1 < letters.len() && letters[at] != letters[at + 1] => letters.swap(at, at + 1),
        1 => drop(letters.remove(at)),
        _ => letters.insert(at, letters[at]),
    }
    Some(letters.into_iter().collect())
}
