//! Misreads characters as a scanner does.
//!
//! # What it does
//! Replaces characters and pairs that scanners take for others: 0 and O, 1 and l, 5 and S, rn and
//! m, cl and d and their like.
//!
//! # Why it matters
//! Texts out of scans are full of them, and they make words that nobody would type.
//!
//! # Severity
//! The share of the characters that can be misread, from 0 to 1. Places are in an order of each text's own, drawn from the seed, so harder rungs change
//! what milder ones changed and more.
//!
//! # Promise
//! Blind. Only what is in the list of confusions is changed. What it came to is reported as edit distance.
//!
//! # Example
//! ```toml
//! [ladder.ocr]
//! use = "ocr"
//! severities = [0.05, 0.1, 0.2]
//! ```
//!
//! # Reference
//! The confusions that S. V. Rice, G. Nagy and T. A. Nartker list in Optical Character Recognition:
//! An Illustrated Guide to the Frontier, 1999.

use std::ops::Range;

use duress_core::seed::Draws;

use crate::order::frame::text_noise::{TextNoise, noise_part};

noise_part!("ocr", "ocr.rs");

static NOISE: TextNoise = TextNoise {
    unit: "share of the characters that can be misread",
    sites,
    change,
    leaves_one: false,
};

/// What is read for what.
const CONFUSIONS: [(&str, &str); 24] = [
    ("rn", "m"),
    ("cl", "d"),
    ("vv", "w"),
    ("li", "h"),
    ("m", "rn"),
    ("d", "cl"),
    ("w", "vv"),
    ("0", "O"),
    ("O", "0"),
    ("1", "l"),
    ("l", "1"),
    ("I", "l"),
    ("5", "S"),
    ("S", "5"),
    ("8", "B"),
    ("B", "8"),
    ("2", "Z"),
    ("Z", "2"),
    ("6", "b"),
    ("g", "9"),
    ("e", "c"),
    ("c", "e"),
    ("h", "b"),
    ("t", "f"),
];

fn sites(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let read = CONFUSIONS
            .iter()
            .find(|(from, _)| text[at..].starts_with(from));
        let length = read.map_or(next.len_utf8(), |(from, _)| from.len());
        if read.is_some() {
            found.push(at..at + length);
        }
        at += length;
    }
    found
}

fn change(site: &str, _draws: &mut Draws) -> Option<String> {
    let read = CONFUSIONS.iter().find(|(from, _)| *from == site)?;
    Some(read.1.into())
}
