//! Readability: long words that neither the question nor the source asked for.

use std::collections::HashSet;
use std::ops::Range;

use super::rules::one;
use super::{FoundError, Lexicon};
use crate::sentence::{sentences, words};

/// Words of so many letters are heavy, and so many of them in a sentence are one error.
const HEAVY: usize = 11;
const HEAVY_PER_ERROR: f64 = 2.0;

/// Sentences with heavy words.
pub(super) fn find_heavy_words(text: &str, beside: &[&str], lexicon: &Lexicon) -> Vec<FoundError> {
    let near: HashSet<String> = beside
        .iter()
        .flat_map(|text| words(text))
        .map(|(_, word)| word.to_lowercase())
        .collect();
    let judge = |span: Range<usize>| {
        let found = words(&text[span.clone()]);
        // A slip in a long word makes it no longer.
        let heavy = found
            .map(|(_, word)| word.to_lowercase())
            .filter(|word| word.len() >= HEAVY && !near.contains(word) && lexicon.knows(word));
        let severity = heavy.count() as f64 / HEAVY_PER_ERROR;
        (severity >= 1.0).then(|| FoundError {
            severity,
            ..one("overly_complex", span)
        })
    };
    sentences(text).into_iter().filter_map(judge).collect()
}
