//! Formatting: bold type around names and numbers, list marks and headings before sentences.

use crate::dose::page::Page;
use crate::dose::site::{Site, What};

/// Headings that fit before any sentence.
const HEADINGS: [&str; 6] = [
    "\n\n## Overview\n",
    "\n\n## Details\n",
    "\n\n### Key points\n",
    "\n\n### In brief\n",
    "\n\n## Background\n",
    "\n\n---\n",
];

/// Words that can be set in bold type, and ends of sentences that can be followed by a heading or a
/// list mark.
pub(super) fn sites(page: &Page<'_>) -> Vec<Site> {
    let words = page.sentences.iter();
    let words = words.flat_map(|sentence| page.words_of(sentence).into_iter().skip(1));
    let bold = words
        .filter(|(_, word)| word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()))
        .map(|(at, word)| Site {
            span: at..at + word.len(),
            round: 0,
            what: What::Made(|word, _| vec![vec![format!("**{word}**")]]),
        });
    let between = page.sentences.iter().rev().skip(1);
    let breaks = between.flat_map(|sentence| {
        [0, 1].map(|round| Site {
            span: sentence.end..sentence.end,
            round,
            what: What::OneOf(vec![
                HEADINGS.map(String::from).to_vec(),
                vec!["\n\n-".into(), "\n\n1.".into(), "\n\n> ".into()],
            ]),
        })
    });
    bold.chain(breaks).collect()
}
