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

use duress_core::part::{Build, Part};
use duress_core::seed::Draws;

use crate::order::frame::text_noise::{NoiseStressor, TextNoise, characters, only};

/// The part.
pub static PART: Part = Part {
    name: "homoglyph",
    version: 1,
    fields: &[],
    source: include_str!("homoglyph.rs"),
    build: Build::Stressor(|_| Ok(NoiseStressor::boxed(&NOISE))),
};

static NOISE: TextNoise = TextNoise {
    unit: "share of the letters that have a twin",
    sites,
    change,
    leaves_one: false,
};

/// A Latin letter and its twin.
const TWINS: [(char, char); 34] = [
    ('a', '\u{430}'),
    ('c', '\u{441}'),
    ('e', '\u{435}'),
    ('i', '\u{456}'),
    ('j', '\u{458}'),
    ('o', '\u{43e}'),
    ('p', '\u{440}'),
    ('s', '\u{455}'),
    ('x', '\u{445}'),
    ('y', '\u{443}'),
    ('h', '\u{4bb}'),
    ('d', '\u{501}'),
    ('q', '\u{51b}'),
    ('w', '\u{51d}'),
    ('v', '\u{3bd}'),
    ('u', '\u{3c5}'),
    ('n', '\u{578}'),
    ('A', '\u{410}'),
    ('B', '\u{412}'),
    ('C', '\u{421}'),
    ('E', '\u{415}'),
    ('H', '\u{41d}'),
    ('I', '\u{406}'),
    ('J', '\u{408}'),
    ('K', '\u{41a}'),
    ('M', '\u{41c}'),
    ('N', '\u{39d}'),
    ('O', '\u{41e}'),
    ('P', '\u{420}'),
    ('S', '\u{405}'),
    ('T', '\u{422}'),
    ('X', '\u{425}'),
    ('Y', '\u{3a5}'),
    ('Z', '\u{396}'),
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
