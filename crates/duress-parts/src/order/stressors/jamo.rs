//! Takes Korean syllables apart into their letters.
//!
//! # What it does
//! Writes the letters of a Hangul syllable one after the other, as they are typed: 한 becomes ㅎㅏㄴ.
//!
//! # Why it matters
//! Readers of Korean read it; tokenisers see none of the syllables they learned. A way around
//! filters.
//!
//! # Severity
//! The share of syllables taken apart, from 0 to 1. Places are in an order of each text's own, drawn from the seed, so harder rungs change
//! what milder ones changed and more.
//!
//! # Promise
//! Blind. Only Hangul syllables are changed; a text without any does not take part. What it came to is reported as edit distance.
//!
//! # Example
//! ```toml
//! [ladder.jamo]
//! use = "jamo"
//! severities = [0.05, 0.1, 0.2]
//! ```
//!
//! # Reference
//! The Unicode Standard, section 3.12, for the arithmetic of Hangul syllables; compatibility jamo
//! are in the block U+3130.

use std::ops::Range;

use duress_core::seed::Draws;

use crate::order::frame::text_noise::{TextNoise, characters, noise_part, only};

noise_part!("jamo", "jamo.rs");

static NOISE: TextNoise = TextNoise {
    unit: "share of syllables taken apart",
    sites,
    change,
    leaves_one: false,
};

const FIRST: u32 = 0xac00;
const INITIALS: &str = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ";
const MEDIALS: &str = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ";
const FINALS: &str = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ";

fn sites(text: &str) -> Vec<Range<usize>> {
    characters(text, |c| ('가'..='힣').contains(&c))
}

/// A syllable is numbered by its initial, medial and final, of which the last may be lacking.
fn change(site: &str, _draws: &mut Draws) -> Option<String> {
    let number = (only(site)? as u32).checked_sub(FIRST)? as usize;
    let medials = MEDIALS.chars().count();
    let finals = 1 + FINALS.chars().count();
    let initial = INITIALS.chars().nth(number / (medials * finals))?;
    let medial = MEDIALS.chars().nth(number / finals % medials)?;
    let last = (number % finals).checked_sub(1);
    let last = last.and_then(|at| FINALS.chars().nth(at));
    Some(
        [Some(initial), Some(medial), last]
            .into_iter()
            .flatten()
            .collect(),
    )
}
