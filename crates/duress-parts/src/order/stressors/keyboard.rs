//! Strikes the key beside the right one.
//!
//! # What it does
//! Replaces Latin letters by a neighbour on a QWERTY keyboard, in the same case.
//!
//! # Why it matters
//! The commonest slip of all who type; unlike a swapped pair it brings letters in that the word
//! never had.
//!
//! # Severity
//! The share of letters struck wrong, from 0 to 1. Places are in an order of each text's own, drawn from the seed, so harder rungs change
//! what milder ones changed and more.
//!
//! # Promise
//! Blind. Only the letters a to z and A to Z are changed. What it came to is reported as edit distance.
//!
//! # Example
//! ```toml
//! [ladder.keyboard]
//! use = "keyboard"
//! severities = [0.05, 0.1, 0.2]
//! ```
//!
//! # Reference
//! The layout of ISO/IEC 9995 for Latin keyboards; the perturbation is in HELM, TextAttack and NL-
//! Augmenter.

use std::ops::Range;

use duress_core::seed::Draws;

use crate::order::frame::text_noise::{TextNoise, characters, noise_part, one_of, only};

noise_part!("keyboard", "keyboard.rs");

static NOISE: TextNoise = TextNoise {
    unit: "share of letters struck wrong",
    sites,
    change,
    leaves_one: false,
};

/// The rows of keys; the keys that touch one are those of the same and the nearest columns.
const ROWS: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

fn sites(text: &str) -> Vec<Range<usize>> {
    characters(text, |c| c.is_ascii_alphabetic())
}

fn change(site: &str, draws: &mut Draws) -> Option<String> {
    let letter = only(site)?;
    let struck = one_of(&beside(letter.to_ascii_lowercase()), draws)?;
    let struck = match letter.is_ascii_uppercase() {
        true => struck.to_ascii_uppercase(),
        false => struck,
    };
    Some(struck.to_string())
}

/// The keys that touch that of a letter.
fn beside(letter: char) -> Vec<char> {
    let place = |(row, keys): (usize, &&str)| Some((row, keys.find(letter)?));
    let Some((row, at)) = ROWS.iter().enumerate().find_map(place) else {
        return Vec::new();
    };
    let touches = |(other, keys): (usize, &&str)| {
        let keys: Vec<char> = keys.chars().collect();
        let near = match other.abs_diff(row) {
            0 => vec![at.wrapping_sub(1), at + 1],
            // A lower row is set off to the right by half a key.
            1 if other < row => vec![at, at + 1],
            1 => vec![at.wrapping_sub(1), at],
            _ => Vec::new(),
        };
        let found: Vec<char> = near
            .into_iter()
            .filter_map(|at| keys.get(at).copied())
            .collect();
        found
    };
    ROWS.iter().enumerate().flat_map(touches).collect()
}
