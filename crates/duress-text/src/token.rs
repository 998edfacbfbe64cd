//! Tokens: what a text is made of, for scripts with spaces and for scripts without.
//!
//! Chinese, Japanese and Korean are cut without a dictionary: a run of ideographs, kana or hangul
//! gives the pairs of neighbouring characters, and a run of one gives that character. Pairs
//! overlap, so that no wrong cut between words can hide a match. Everything else gives its words in
//! small letters.

use crate::dense_tokens::{DenseTokens, PAIRS};
use crate::sentence::sentences;

duress_core::words! {
    /// The units that can be rearranged in a text.
    pub enum TextUnits {
        /// Its characters.
        Characters = "characters",
        /// What stands between white space.
        Words = "words",
        /// Its sentences.
        Sentences = "sentences",
    }
}

impl TextUnits {
    /// The units of a text, in order.
    pub fn split(self, text: &str) -> Vec<&str> {
        match self {
            TextUnits::Characters => text
                .char_indices()
                .map(|(at, c)| &text[at..at + c.len_utf8()])
                .collect(),
            TextUnits::Words => text.split_whitespace().collect(),
            TextUnits::Sentences => sentences(text)
                .into_iter()
                .map(|at| text[at].trim())
                .filter(|sentence| !sentence.is_empty())
                .collect(),
        }
    }

    /// A text of these units.
    pub fn rejoin(self, units: &[&str]) -> String {
        match self {
            TextUnits::Characters => units.concat(),
            TextUnits::Words | TextUnits::Sentences => units.join(" "),
        }
    }
}

/// A piece of text without a break in it: characters of a script without spaces, or one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRun<'a> {
    /// Ideographs, kana or hangul.
    Dense(&'a str),
    /// A word or a number.
    Word(&'a str),
    /// Anything else that is no white space: punctuation, signs.
    Sign(&'a str),
}

/// The runs of a text, in order.
///
/// ```
/// use duress_text::token::{TextRun, text_runs};
/// assert_eq!(text_runs("Man's AI 比喻。"), [TextRun::Word("Man's"), TextRun::Word("AI"), TextRun::Dense("比喻"), TextRun::Sign("。")]);
/// ```
pub fn text_runs(text: &str) -> Vec<TextRun<'_>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let kind = CharacterClass::of_character(first);
        let inside = |c: char| match kind {
            CharacterClass::Dense => CharacterClass::of_character(c) == CharacterClass::Dense,
            CharacterClass::Word => {
                CharacterClass::of_character(c) == CharacterClass::Word || is_apostrophe(c)
            }
            CharacterClass::Sign => false,
        };
        let end = rest
            .char_indices()
            .skip(1)
            .find(|&(_, c)| !inside(c))
            .map_or(rest.len(), |(at, _)| at);
        let (run, after) = rest.split_at(end);
        found.push(match kind {
            CharacterClass::Dense => TextRun::Dense(run),
            CharacterClass::Word => TextRun::Word(run.trim_end_matches(is_apostrophe)),
            CharacterClass::Sign => TextRun::Sign(run),
        });
        rest = after.trim_start();
    }
    found
}

/// The tokens of a text: words in small letters; of dense runs the characters and the pairs of
/// neighbours.
///
/// ```
/// assert_eq!(duress_text::token::terms("好人 Run"), ["好", "人", "好人", "run"]);
/// ```
pub fn terms(text: &str) -> Vec<String> {
    terms_by(text, &PAIRS)
}

/// The same, with dense runs cut in another way.
pub fn terms_by(text: &str, dense: &DenseTokens) -> Vec<String> {
    cut(text, |run| dense.all(run))
}

/// The tokens of a text without those that are part of another: of dense runs the largest.
///
/// ```
/// use duress_text::{dense_tokens::PAIRS, token::largest_terms};
/// assert_eq!(largest_terms("水滴石 Run", &PAIRS), ["水滴", "滴石", "run"]);
/// ```
pub fn largest_terms(text: &str, dense: &DenseTokens) -> Vec<String> {
    cut(text, |run| dense.largest(run))
}

fn cut(text: &str, dense: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    let of = |run: &TextRun<'_>| match run {
        TextRun::Dense(run) => dense(run),
        TextRun::Word(word) => vec![word.to_lowercase()],
        TextRun::Sign(_) => Vec::new(),
    };
    text_runs(text).iter().flat_map(of).collect()
}

/// The pairs of neighbouring characters.
///
/// ```
/// let pairs: Vec<String> = duress_text::token::pairs("水滴石穿").collect();
/// assert_eq!(pairs, ["水滴", "滴石", "石穿"]);
/// ```
pub fn pairs(text: &str) -> impl Iterator<Item = String> {
    let characters: Vec<char> = text.chars().collect();
    let last = characters.len().saturating_sub(1);
    (0..last).map(move |at| characters[at..at + 2].iter().collect())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharacterClass {
    Dense,
    Word,
    Sign,
}

impl CharacterClass {
    fn of_character(c: char) -> CharacterClass {
        if is_dense(c) {
            CharacterClass::Dense
        } else if c.is_alphanumeric() {
            CharacterClass::Word
        } else {
            CharacterClass::Sign
        }
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

/// Ideographs, kana and hangul.
fn is_dense(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}
