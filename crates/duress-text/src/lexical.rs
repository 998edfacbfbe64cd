//! Lexical measures: how much an explanation says of what a reference says, by the tokens they
//! share.
//!
//! They see words, not meanings: a good paraphrase scores low, and a wrong text in the same words
//! scores high. The measures that need a model (a cross-encoder, contextual or sentence embeddings)
//! are named as missing where there is none, see [`s_acc`].

use std::collections::{BTreeMap, BTreeSet};

use crate::dense_tokens::{DenseTokens, PAIRS};
use crate::token::{self, TextRun};

/// The cosine between the counts of tokens ([`token::terms`]) of two texts; 0 when one has none.
///
/// ```
/// use duress_text::lexical::cosine;
/// assert!((cosine("the cat sat", "the cat sat") - 1.0).abs() < 1e-12);
/// assert_eq!(cosine("the cat", ""), 0.0);
/// assert!((cosine("a b", "a c") - 0.5).abs() < 1e-12);
/// ```
pub fn cosine(a: &str, b: &str) -> f64 {
    cosine_by(a, b, &PAIRS)
}

/// The same, with dense runs cut in another way.
pub fn cosine_by(a: &str, b: &str, dense: &DenseTokens) -> f64 {
    let a = counts(a, dense);
    let b = counts(b, dense);
    let dot: f64 = a
        .iter()
        .filter_map(|(term, n)| Some(n * b.get(term)?))
        .sum();
    let square = |counts: &BTreeMap<String, f64>| counts.values().map(|n| n * n).sum::<f64>();
    let norms = libm::sqrt(square(&a) * square(&b));
    if norms == 0.0 {
        0.0
    } else {
        (dot / norms).min(1.0)
    }
}

fn counts(text: &str, dense: &DenseTokens) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    for term in token::terms_by(text, dense) {
        *counts.entry(term).or_insert(0.0) += 1.0;
    }
    counts
}

/// F2 of the content tokens of `said` against those of `reference`: recall counts four times as
/// much as precision. Halved when the two disagree in polarity: a token they share is negated
/// wherever it stands in one text and nowhere in the other.
///
/// ```
/// use duress_text::lexical::f2;
/// assert_eq!(f2("happy old dog", "happy old dog"), 1.0);
/// assert_eq!(f2("not happy", "happy"), 0.5);
/// assert_eq!(f2("", "happy"), 0.0);
/// assert!((f2("happy", "happy old dog") - 5.0 / 13.0).abs() < 1e-12);
/// ```
pub fn f2(said: &str, reference: &str) -> f64 {
    f2_by(said, reference, &PAIRS)
}

/// The same, with dense runs cut in another way.
pub fn f2_by(said: &str, reference: &str, dense: &DenseTokens) -> f64 {
    let said = content(said, dense);
    let reference = content(reference, dense);
    let shared: Vec<&String> = said
        .keys()
        .filter(|token| reference.contains_key(*token))
        .collect();
    if shared.is_empty() {
        return 0.0;
    }
    let precision = shared.len() as f64 / said.len() as f64;
    let recall = shared.len() as f64 / reference.len() as f64;
    let f2 = 5.0 * precision * recall / (4.0 * precision + recall);
    let conflict = shared
        .iter()
        .any(|token| said[*token].is_opposite_of(&reference[*token]));
    if conflict { f2 / 2.0 } else { f2 }
}

/// The components of S_acc, in the order of [`s_acc`], each with the other names it goes by: an
/// endpoint's rerank calls it `relevance`, its embeddings `similarity`, and a greedy matching of token
/// embeddings is BERTScore where they are contextual.
pub const COMPONENTS: [(&str, &[&str]); 5] = [
    ("cross-encoder", &["relevance"]),
    ("token-match", &["bertscore"]),
    ("embedding-cosine", &["similarity"]),
    ("lexical-cosine", &[]),
    ("f2", &[]),
];

/// S_acc = 0.5 · cross-encoder + 0.3 · mean of (token match, embedding cosine, lexical cosine) + 0.2
/// · F2, in the order of [`COMPONENTS`]. A component that is not there is left out and the rest is
/// divided by the weight that is left: it is never counted as 0. `None` when nothing is there.
///
/// ```
/// use duress_text::lexical::s_acc;
/// assert_eq!(s_acc([Some(1.0), Some(1.0), Some(0.4), Some(0.1), Some(0.5)]), Some(0.5 + 0.3 * 0.5 + 0.1));
/// assert_eq!(s_acc([None, None, None, Some(0.5), Some(1.0)]), Some((0.3 * 0.5 + 0.2) / 0.5));
/// assert_eq!(s_acc([None; 5]), None);
/// ```
pub fn s_acc([cross_encoder, tokens, embedding, lexical, f2]: [Option<f64>; 5]) -> Option<f64> {
    let alike: Vec<f64> = [tokens, embedding, lexical].into_iter().flatten().collect();
    let alike = (!alike.is_empty()).then(|| alike.iter().sum::<f64>() / alike.len() as f64);
    let parts = [(0.5, cross_encoder), (0.3, alike), (0.2, f2)];
    let there = || {
        parts
            .iter()
            .filter_map(|(weight, value)| Some((weight, (*value)?)))
    };
    let weight: f64 = there().map(|(weight, _)| weight).sum();
    (weight > 0.0).then(|| there().map(|(weight, value)| weight * value).sum::<f64>() / weight)
}

/// How a token stands in a text.
#[derive(Clone, Copy, Default)]
struct Polarity {
    plain: bool,
    negated: bool,
}

impl Polarity {
    fn is_opposite_of(&self, other: &Polarity) -> bool {
        (self.plain, self.negated) == (other.negated, other.plain) && self.plain != self.negated
    }
}

/// The content tokens of a text, with how each stands in it.
fn content(text: &str, tokens_of: &DenseTokens) -> BTreeMap<String, Polarity> {
    let mut tokens: BTreeMap<String, Polarity> = BTreeMap::new();
    let mut add = |token: String, negated: bool| {
        let polarity = tokens.entry(token).or_default();
        polarity.plain |= !negated;
        polarity.negated |= negated;
    };
    let mut negated = false;
    for run in token::text_runs(text) {
        match run {
            TextRun::Sign(_) => negated = false,
            TextRun::Word(word) => {
                let word = word.to_lowercase();
                if NEGATORS.contains(&word.as_str())
                    || word.ends_with("n't")
                    || word.ends_with("n’t")
                {
                    negated = true;
                } else if !FUNCTION_WORDS.contains(&word.as_str()) {
                    add(word, negated);
                    negated = false;
                }
            }
            TextRun::Dense(dense) => dense_content(dense, tokens_of, &mut add),
        }
    }
    tokens
}

/// Cuts at function characters and negators; each piece between gives its tokens.
fn dense_content(dense: &str, tokens_of: &DenseTokens, add: &mut impl FnMut(String, bool)) {
    let masked = NOT_NEGATIVE
        .iter()
        .fold(dense.to_string(), |text, word| text.replace(word, "的"));
    let mut piece = String::new();
    let mut negated = false;
    for c in masked.chars().chain(['的']) {
        let cuts = FUNCTION_CHARACTERS.contains(c) || NEGATIVE_CHARACTERS.contains(c);
        if !cuts {
            piece.push(c);
            continue;
        }
        let tokens: BTreeSet<String> = tokens_of.largest(&piece).into_iter().collect();
        tokens.into_iter().for_each(|token| add(token, negated));
        piece.clear();
        negated = NEGATIVE_CHARACTERS.contains(c);
    }
}

const FUNCTION_CHARACTERS: &str =
    "的了着过地得之也而与和及或在于以为是就都又还把被将对从到这那其所者等";
const NEGATIVE_CHARACTERS: &str = "不没无非未莫勿毋";
/// Words in which such a character negates nothing.
const NOT_NEGATIVE: [&str; 9] = [
    "非常", "无论", "不但", "不仅", "不过", "不管", "未来", "莫非", "无非",
];
const NEGATORS: [&str; 9] = [
    "not", "no", "never", "none", "nothing", "nobody", "neither", "nor", "without",
];
const FUNCTION_WORDS: [&str; 44] = [
    "a", "an", "the", "and", "or", "but", "of", "to", "in", "on", "at", "by", "for", "with",
    "from", "as", "is", "are", "was", "were", "be", "been", "being", "it", "its", "this", "that",
    "these", "those", "he", "she", "they", "we", "you", "i", "his", "her", "their", "which", "who",
    "has", "have", "had", "will",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_agrees_with_itself_whatever_it_negates() {
        for text in [
            "比喻不能完成",
            "形容非常高兴，不再忧愁",
            "never say never",
            "无论如何也不",
        ] {
            assert!((f2(text, text) - 1.0).abs() < 1e-12, "{text}");
            assert!((cosine(text, text) - 1.0).abs() < 1e-12, "{text}");
        }
    }

    #[test]
    fn polarity_that_conflicts_halves_and_a_word_that_only_looks_negative_does_not() {
        assert_eq!(f2("不高兴", "高兴"), 0.5);
        assert_eq!(f2("高兴", "不高兴"), 0.5);
        assert_eq!(f2("非常高兴", "高兴"), 1.0);
        assert_eq!(f2("It isn't safe", "safe"), 0.5);
        assert_eq!(f2("no, safe", "safe"), 1.0);
    }

    #[test]
    fn recall_counts_more_than_precision() {
        let short = "one";
        let long = "one two three";
        assert!(f2(long, short) > f2(short, long));
    }
}
