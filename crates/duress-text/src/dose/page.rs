//! A page: a text as injectors see it, read once.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use crate::sentence::{sentences, words};

/// Shorter sentences are list marks and exclamations.
const FEWEST_WORDS: usize = 4;

/// Without a full stop at its end, a shorter line is a heading.
const FEWEST_WITHOUT_STOP: usize = 8;

/// Words that an English sentence can hardly do without.
const FUNCTION_WORDS: [&str; 24] = [
    "the", "a", "an", "of", "in", "on", "to", "is", "was", "are", "were", "and", "it", "its",
    "with", "for", "has", "had", "by", "at", "that", "this", "from", "can",
];

/// Why a text cannot take so many errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoRoom {
    /// There is nothing in it.
    EmptyText,
    /// Most of its letters are of another script than English is written in.
    OtherScript,
    /// It has no English sentence: numbers, code, single words.
    NoEnglishSentence,
    /// It has some places for such an error, and not enough.
    TooFewPlaces {
        /// How many it has.
        places: usize,
    },
}

impl fmt::Display for NoRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoRoom::EmptyText => f.write_str("the text is empty"),
            NoRoom::OtherScript => {
                f.write_str("the text is in another script: errors are put into English only")
            }
            NoRoom::NoEnglishSentence => f.write_str("the text has no English sentence"),
            NoRoom::TooFewPlaces { places: 0 } => {
                f.write_str("the text has no place for such an error")
            }
            NoRoom::TooFewPlaces { places } => {
                write!(f, "the text has places for {places} such errors only")
            }
        }
    }
}

/// A text as injectors see it.
pub(crate) struct Page<'a> {
    pub(crate) text: &'a str,
    /// Its English sentences, outside code.
    pub(crate) sentences: Vec<Range<usize>>,
    /// The words of the text and of its source, in small letters: what a false one must not be.
    pub(crate) taken: BTreeSet<String>,
}

impl<'a> Page<'a> {
    pub(crate) fn new(text: &'a str, beside: &str) -> Page<'a> {
        let both = [text, beside];
        let taken = both.iter().flat_map(|text| words(text));
        Page {
            text,
            sentences: english_sentences(text),
            taken: taken.map(|(_, word)| word.to_lowercase()).collect(),
        }
    }

    /// The words of a sentence, with their places in the text.
    pub(crate) fn words_of(&self, sentence: &Range<usize>) -> Vec<(usize, &'a str)> {
        let start = sentence.start;
        let found = words(&self.text[sentence.clone()]);
        found.map(|(at, word)| (start + at, word)).collect()
    }

    /// Why it takes no more than so many errors.
    pub(crate) fn no_room(&self, places: usize) -> NoRoom {
        let letters = || self.text.chars().filter(|c| c.is_alphabetic());
        let foreign = letters().filter(|c| !is_latin(*c)).count();
        if self.text.trim().is_empty() {
            NoRoom::EmptyText
        } else if 2 * foreign > letters().count() {
            NoRoom::OtherScript
        } else if self.sentences.is_empty() {
            NoRoom::NoEnglishSentence
        } else {
            NoRoom::TooFewPlaces { places }
        }
    }
}

/// Latin letters, with accents too.
fn is_latin(c: char) -> bool {
    c <= '\u{24f}'
}

fn english_sentences(text: &str) -> Vec<Range<usize>> {
    let fences: Vec<usize> = text.match_indices("```").map(|(at, _)| at).collect();
    let in_code = |span: &Range<usize>| {
        let opened = fences.iter().filter(|at| **at < span.end).count();
        opened % 2 == 1
    };
    let found = sentences(text).into_iter();
    found
        .filter(|span| is_english(&text[span.clone()]) && !in_code(span))
        .collect()
}

/// Whether a sentence has words enough, and among them some that English needs.
fn is_english(sentence: &str) -> bool {
    let body = sentence.trim_end_matches(['"', '\'', '”', '’', ')', ']']);
    let all: Vec<&str> = words(sentence).map(|(_, word)| word).collect();
    let plain = |word: &&&str| word.bytes().all(|b| b.is_ascii_alphabetic() || b == b'\'');
    let function = |word: &&str| FUNCTION_WORDS.contains(&word.to_lowercase().as_str());
    let fewest = match body.ends_with(['.', '!', '?']) {
        true => FEWEST_WORDS,
        false => FEWEST_WITHOUT_STOP,
    };
    all.len() >= fewest
        && 2 * all.iter().filter(plain).count() > all.len()
        && all.iter().any(function)
        && !sentence.contains(['{', '}', '=', '`', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_numbers_and_other_scripts_are_no_english_sentences() {
        for text in [
            "fn main() { let x = 1; }",
            "1 2 3. 4 5 6 7.",
            "水滴石穿，绳锯木断。",
            "Это предложение на русском языке.",
            "```\nThis is the comment of a program.\n```",
            "A heading of the page",
        ] {
            assert_eq!(english_sentences(text), [], "{text}");
        }
        assert_eq!(english_sentences("It is a plain one. Ok.").len(), 1);
        let open = "The river runs from the mountain to the sea";
        assert_eq!(english_sentences(open).len(), 1);
    }

    #[test]
    fn why_there_is_no_room_is_said() {
        let why = |text: &str| Page::new(text, "").no_room(2);
        assert_eq!(why(" \n"), NoRoom::EmptyText);
        assert_eq!(why("水滴石穿，绳锯木断。"), NoRoom::OtherScript);
        assert_eq!(why("12 34 56"), NoRoom::NoEnglishSentence);
        let short = why("It is so, and that is that.");
        assert_eq!(short, NoRoom::TooFewPlaces { places: 2 });
    }
}
