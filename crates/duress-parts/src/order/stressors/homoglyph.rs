//! Replaces letters by those of another script that look the same.
//!
//! # What it does
//! Writes Cyrillic and Greek letters for Latin ones that look like them, and the other way round.
//!
//! # Why it matters
//! Nobody sees the difference, and a tokeniser sees nothing else: how filters are evaded.
//!
//! # Severity
//! The share of the letters that have a twin, from 0 to 1. Places are in an order of each text's own, drawn from the seed, so harder rungs change
//! what milder ones changed and more.
//!
//! # Promise
//! Blind. Only letters with a twin in the table are changed; a text without any does not take part. What it came to is reported as edit distance.
//!
//! # Example
//! ```toml
//! [ladder.homoglyph]
//! use = "homoglyph"
//! severities = [0.05, 0.1, 0.2]
//! ```
//!
//! # Reference
//! Unicode Technical Standard 39, Unicode Security Mechanisms, for confusable characters; the pairs
//! here were put together for duress.

use std::ops::Range;

use duress_core::seed::Draws;

use crate::order::frame::text_noise::{TextNoise, characters, noise_part, only};

noise_part!("homoglyph", "homoglyph.rs");

static NOISE: TextNoise = TextNoise {
    unit: "share of the letters that have a twin",
    sites,
    change,
    leaves_one: false,
};

/// A Latin letter and its twin.
const TWINS: [(char, char); 34] = [
    ('a', 'а'),
    ('c', 'с'),
    ('e', 'е'),
    ('i', 'і'),
    ('j', 'ј'),
    ('o', 'о'),
    ('p', 'р'),
    ('s', 'ѕ'),
    ('x', 'х'),
    ('y', 'у'),
    ('h', 'һ'),
    ('d', 'ԁ'),
    ('q', 'ԛ'),
    ('w', 'ԝ'),
    ('v', 'ν'),
    ('u', 'υ'),
    ('n', 'ո'),
    ('A', 'А'),
    ('B', 'В'),
    ('C', 'С'),
    ('E', 'Е'),
    ('H', 'Н'),
    ('I', 'І'),
    ('J', 'Ј'),
    ('K', 'К'),
    ('M', 'М'),
    ('N', 'Ν'),
    ('O', 'О'),
    ('P', 'Р'),
    ('S', 'Ѕ'),
    ('T', 'Т'),
    ('X', 'Х'),
    ('Y', 'Υ'),
    ('Z', 'Ζ'),
];

fn sites(text: &str) -> Vec<Range<usize>> {
    characters(text, |c| twin(c).is_some())
}

fn change(site: &str, _draws: &mut Draws) -> Option<String> {
    twin(only(site)?).map(String::from)
}

fn twin(letter: char) -> Option<char> {
    let of = |(latin, other): &(char, char)| match letter {
        letter if letter == *latin => Some(*other),
        letter if letter == *other => Some(*latin),
        _ => None,
    };
    TWINS.iter().find_map(of)
}
