//! Writes letters in the other case.
//!
//! # What it does
//! Turns small letters into capitals and capitals into small letters.
//!
//! # Why it matters
//! Meaning hardly depends on case, and tokenisers do.
//!
//! # Severity
//! The share of letters in the other case, from 0 to 1. Places are in an order of each text's own, drawn from the seed, so harder rungs change
//! what milder ones changed and more.
//!
//! # Promise
//! Blind. Letters without two cases, and those whose other case is two letters, are left alone. What it came to is reported as edit distance.
//!
//! # Example
//! ```toml
//! [ladder.letter-case]
//! use = "letter-case"
//! severities = [0.05, 0.1, 0.2]
//! ```
//!
//! # Reference
//! The Unicode Standard, section 5.18, for case mappings; the perturbation is in HELM and
//! CheckList.

use std::ops::Range;

use duress_core::seed::Draws;

use crate::order::frame::text_noise::{TextNoise, characters, noise_part, only};

noise_part!("letter-case", "letter_case.rs");

static NOISE: TextNoise = TextNoise {
    unit: "share of letters in the other case",
    sites,
    change,
    leaves_one: false,
};

fn sites(text: &str) -> Vec<Range<usize>> {
    characters(text, |c| other_case(c).is_some())
}

fn change(site: &str, _draws: &mut Draws) -> Option<String> {
    other_case(only(site)?).map(String::from)
}

/// The letter in the other case, where that is one letter.
fn other_case(letter: char) -> Option<char> {
    let single = |mut mapped: Box<dyn Iterator<Item = char>>| {
        let first = mapped.next()?;
        mapped.next().is_none().then_some(first)
    };
    let turned = match letter.is_uppercase() {
        true => single(Box::new(letter.to_lowercase()))?,
        false => single(Box::new(letter.to_uppercase()))?,
    };
    (turned != letter).then_some(turned)
}
