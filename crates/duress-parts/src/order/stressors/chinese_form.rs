//! Writes Simplified characters for Traditional ones, and the other way round.
//!
//! # What it does
//! Replaces characters that have one counterpart in the other form of Chinese, which stands for
//! them only: 马 becomes 馬, 馬 becomes 马.
//!
//! # Why it matters
//! Both forms are one language; texts mix them, and a subject that knows one may not know the
//! other.
//!
//! # Severity
//! The share of the characters that have another form, from 0 to 1. Places are in an order of each text's own, drawn from the seed, so harder rungs change
//! what milder ones changed and more.
//!
//! # Promise
//! Blind. Where the other form depends on the word (发 may be 發 or 髮) a character is left alone; a
//! text without any that can be turned does not take part. What it came to is reported as edit distance.
//!
//! # Example
//! ```toml
//! [ladder.chinese-form]
//! use = "chinese-form"
//! severities = [0.05, 0.1, 0.2]
//! ```
//!
//! # Reference
//! OpenCC (Apache-2.0), whose tables of characters the pairs come from.

use std::ops::Range;

use duress_core::seed::Draws;
use duress_text::chinese_form::counterpart;

use crate::order::frame::text_noise::{TextNoise, characters, noise_part, only};

noise_part!("chinese-form", "chinese_form.rs");

static NOISE: TextNoise = TextNoise {
    unit: "share of the characters that have another form",
    sites,
    change,
    leaves_one: false,
};

fn sites(text: &str) -> Vec<Range<usize>> {
    characters(text, |c| counterpart(c).is_some())
}

fn change(site: &str, _draws: &mut Draws) -> Option<String> {
    let (_, other) = counterpart(only(site)?)?;
    Some(other.into())
}
