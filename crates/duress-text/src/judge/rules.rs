//! The rules judge: finds what a speller, a comparison with the source and lists of phrases can
//! find.
//!
//! What it cannot see, by construction: an opposite (`north` for `south`), a misspelling that is
//! itself a word, a contradiction in other words, what was left out, bias or vagueness in words that
//! it does not know. It shares no list with [`crate::injection`] but
//! the months and the number words.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use super::lexicon::is_common;
use super::{FoundError, Lexicon, Subtype, contradiction, cue, phrase, readability};
use crate::closed_class::{MONTHS, NUMBERS};
use crate::sentence::{sentences, words};

/// Words in a sentence from which on it is hard to follow, and how many more make one whole error.
const LONG_SENTENCE: usize = 32;
const WORDS_PER_ERROR: f64 = 12.0;
/// How many words two sentences must share to be about the same.
const SAME_MATTER: usize = 3;
/// Shorter words are not spell-checked.
const SHORTEST: usize = 4;

/// A judge that follows rules and asks no model.
pub struct RuleBasedJudge {
    lexicon: Lexicon,
}

impl RuleBasedJudge {
    /// A judge whose speller knows these words.
    pub fn new(lexicon: Lexicon) -> RuleBasedJudge {
        RuleBasedJudge { lexicon }
    }

    /// The errors in `text`, as an answer to `prompt` that should follow from `source`.
    pub fn find_errors(&self, text: &str, prompt: &str, source: &str) -> Vec<FoundError> {
        let mut found = self.misspelt(text, &[prompt, source]);
        found.extend(unsupported(text, prompt, source));
        found.extend(contradiction::find_contradictions(text));
        found.extend(hard_to_follow(text));
        found.extend(readability::find_heavy_words(
            text,
            &[prompt, source],
            &self.lexicon,
        ));
        found.extend(phrase::find_phrases(text));
        found.extend(cue::find_cues(text, &[prompt, source]));
        found
    }

    fn misspelt(&self, text: &str, beside: &[&str]) -> Vec<FoundError> {
        let near: HashSet<&str> = beside
            .iter()
            .flat_map(|text| words(text))
            .map(|(_, word)| word)
            .collect();
        let plain =
            |word: &str| word.len() >= SHORTEST && word.bytes().all(|b| b.is_ascii_lowercase());
        let own = Lexicon::only(near.iter().copied());
        let wrong = words(text).filter(|(_, word)| plain(word) && !near.contains(word));
        let wrong = wrong.filter(|(_, word)| !self.lexicon.knows(word) && !own.knows(word));
        let wrong = wrong.filter(|(_, word)| self.lexicon.is_slip(word) || own.is_slip(word));
        wrong
            .map(|(at, word)| one("spelling", at..at + word.len()))
            .collect()
    }
}

/// Facts of the text that are not in the source or the prompt. Where the source has another fact of
/// the same kind in a sentence about the same matter, it is a factual error, otherwise made up.
fn unsupported(text: &str, prompt: &str, source: &str) -> Vec<FoundError> {
    let mut known: BTreeSet<Fact> = BTreeSet::new();
    for beside in [prompt, source] {
        known.extend(facts(beside).into_iter().map(|(_, fact)| fact));
        // Whatever has a capital there may be a name here.
        known.extend(
            words(beside)
                .filter(|(_, word)| is_name(word))
                .map(|(_, word)| name(word)),
        );
    }
    let mut found = Vec::new();
    for sentence in sentences(text) {
        let said = facts(&text[sentence.clone()]);
        let same = nearest_sentence(&text[sentence.clone()], source);
        let there = same.map_or_else(Vec::new, |span| facts(&source[span]));
        for (span, fact) in said.iter().filter(|(_, fact)| !known.contains(fact)) {
            let left_out = |other: &Fact| {
                other.kind == fact.kind && said.iter().all(|(_, said)| said != other)
            };
            let contradicts = there.iter().any(|(_, other)| left_out(other));
            let name = if contradicts {
                "factual_error"
            } else {
                "hallucination"
            };
            found.push(one(
                name,
                sentence.start + span.start..sentence.start + span.end,
            ));
        }
    }
    found
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FactKind {
    Number,
    Month,
    Name,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fact {
    kind: FactKind,
    value: String,
}

/// The numbers, months and names of a text. A capital at the start of a sentence makes a name only
/// if the next word has one too and the word is no common one.
fn facts(text: &str) -> Vec<(Range<usize>, Fact)> {
    let all: Vec<(usize, &str)> = words(text).collect();
    let stands_as_name = |i: usize, (at, word): (usize, &str)| {
        let next = all.get(i + 1).is_some_and(|(_, next)| is_name(next));
        is_name(word) && (!starts_sentence(text, at) || (next && !is_common(word)))
    };
    let fact = |(i, &(at, word)): (usize, &(usize, &str))| {
        let lower = word.to_lowercase();
        let (kind, value) = if word.starts_with(|c: char| c.is_ascii_digit()) {
            (FactKind::Number, word.replace(',', ""))
        } else if let Some(count) = NUMBERS.iter().position(|number| *number == lower) {
            (FactKind::Number, (count + 2).to_string())
        } else if MONTHS.contains(&word) {
            (FactKind::Month, lower)
        } else if stands_as_name(i, (at, word)) {
            return Some((at..at + word.len(), name(word)));
        } else {
            return None;
        };
        Some((at..at + word.len(), Fact { kind, value }))
    };
    all.iter().enumerate().filter_map(fact).collect()
}

pub(super) fn one(name: &str, span: Range<usize>) -> FoundError {
    let Ok(subtype) = Subtype::named(name) else {
        unreachable!("{name} is a subtype")
    };
    FoundError {
        subtype,
        span,
        severity: 1.0,
    }
}

fn name(word: &str) -> Fact {
    Fact {
        kind: FactKind::Name,
        value: word.trim_end_matches("'s").trim_end_matches("’s").into(),
    }
}

fn is_name(word: &str) -> bool {
    word.chars().count() > 1 && word.starts_with(char::is_uppercase)
}

fn starts_sentence(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches(|c: char| c.is_whitespace() || "\"'“‘(".contains(c));
    before.is_empty() || before.ends_with(['.', '!', '?', ':', ';'])
}

/// The sentence of `source` that shares the most words with `sentence`, if it shares enough.
fn nearest_sentence(sentence: &str, source: &str) -> Option<Range<usize>> {
    let set = |text: &str| {
        words(text)
            .map(|(_, word)| word.to_lowercase())
            .collect::<BTreeSet<String>>()
    };
    let own = set(sentence);
    let shared = |span: Range<usize>| (set(&source[span.clone()]).intersection(&own).count(), span);
    let best = sentences(source)
        .into_iter()
        .map(shared)
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.filter(|(shared, _)| *shared >= SAME_MATTER)
        .map(|(_, span)| span)
}

/// Sentences that go on for too long; the longer, the worse, up to one whole error each.
fn hard_to_follow(text: &str) -> Vec<FoundError> {
    let judge = |span: Range<usize>| {
        let over = words(&text[span.clone()])
            .count()
            .saturating_sub(LONG_SENTENCE);
        let severity = (over as f64 / WORDS_PER_ERROR).min(1.0);
        (over > 0).then(|| FoundError {
            severity,
            ..one("overly_complex", span)
        })
    };
    sentences(text).into_iter().filter_map(judge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "The tower was built by Gustave Eiffel and opened in March 1889. It is 330 metres tall and has three levels.";

    fn names(text: &str) -> Vec<&'static str> {
        let judge = RuleBasedJudge::new(Lexicon::from_texts(["tower built metres tall levels"]));
        judge
            .find_errors(text, "How tall is the tower?", SOURCE)
            .iter()
            .map(|found| found.subtype.name)
            .collect()
    }

    #[test]
    fn what_the_source_says_is_no_error() {
        assert_eq!(names(SOURCE), Vec::<&str>::new());
        assert_eq!(
            names("It opened in 1889 and has 3 levels."),
            Vec::<&str>::new()
        );
    }

    #[test]
    fn each_rule_finds_its_own_kind_of_error() {
        assert_eq!(names("The twoer is 330 metres tall."), ["spelling"]);
        assert_eq!(
            names("It is 345 metres tall and has three levels."),
            ["factual_error"]
        );
        assert_eq!(
            names("The tower was built by Gustave Courbet."),
            ["factual_error"]
        );
        assert_eq!(names("Nine million people went up."), ["hallucination"]);
        assert_eq!(names("Obviously it is tall."), ["assumption_not_stated"]);
        let long = format!("The tower is {}tall.", "very ".repeat(40));
        assert_eq!(names(&long), ["overly_complex"]);
    }

    #[test]
    fn a_span_is_where_the_error_is() {
        let judge = RuleBasedJudge::new(Lexicon::from_texts([SOURCE]));
        let text = "It stands. It is 345 metres tall and has three levels.";
        let found = judge.find_errors(text, "", SOURCE);
        assert_eq!(&text[found[0].span.clone()], "345");
    }

    #[test]
    fn an_empty_text_has_no_errors_and_breaks_nothing() {
        assert_eq!(names(""), Vec::<&str>::new());
        assert_eq!(names("…"), Vec::<&str>::new());
    }
}
