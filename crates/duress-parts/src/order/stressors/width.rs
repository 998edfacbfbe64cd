//! Writes characters in the other width: full for half, half for full.
//!
//! # What it does
//! Turns ASCII into the full-width forms of East Asian type and back, and katakana into their half-
//! width forms and back.
//!
//! # Why it matters
//! The same text in another width is another sequence of tokens; input methods mix them.
//!
//! # Severity
//! The share of the characters that have another width, from 0 to 1. Places are in an order of each text's own, drawn from the seed, so harder rungs change
//! what milder ones changed and more.
//!
//! # Promise
//! Blind. Only characters with a form of the other width are changed. What it came to is reported as edit distance.
//!
//! # Example
//! ```toml
//! [ladder.width]
//! use = "width"
//! severities = [0.05, 0.1, 0.2]
//! ```
//!
//! # Reference
//! Unicode Standard Annex 11, East Asian Width; the block Halfwidth and Fullwidth Forms.

use std::ops::Range;

use duress_core::seed::Draws;

use crate::order::frame::text_noise::{TextNoise, characters, noise_part, only};

noise_part!("width", "width.rs");

static NOISE: TextNoise = TextNoise {
    unit: "share of the characters that have another width",
    sites,
    change,
    leaves_one: false,
};

/// How far full-width forms are from ASCII.
const OFFSET: u32 = 0xfee0;
/// Katakana of full width, and those of half width in the same order.
const FULL_KANA: &str = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲンァィゥェォャュョッー";
const HALF_KANA: &str = "ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝｧｨｩｪｫｬｭｮｯｰ";

fn sites(text: &str) -> Vec<Range<usize>> {
    characters(text, |c| other_width(c).is_some())
}

fn change(site: &str, _draws: &mut Draws) -> Option<String> {
    other_width(only(site)?).map(String::from)
}

fn other_width(character: char) -> Option<char> {
    match character {
        '!'..='~' => char::from_u32(character as u32 + OFFSET),
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(character as u32 - OFFSET),
        kana => counterpart(kana, FULL_KANA, HALF_KANA)
            .or_else(|| counterpart(kana, HALF_KANA, FULL_KANA)),
    }
}

/// The character at the same place of another list.
fn counterpart(character: char, from: &str, to: &str) -> Option<char> {
    let at = from.chars().position(|own| own == character)?;
    to.chars().nth(at)
}
