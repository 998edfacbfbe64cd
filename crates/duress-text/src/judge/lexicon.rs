//! A lexicon: the words a speller knows.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::sentence::words;

/// About 81,000 English words; names and terms that are not among them come from texts.
static ENGLISH: &str = include_str!("../../data/english.txt");

/// About a thousand common English words, short ones too.
static COMMON: &str = include_str!("../../data/words.txt");

/// Whether a word is a common one, whatever its case.
pub(super) fn is_common(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| COMMON.split_whitespace().collect());
    WORDS.contains(word.to_lowercase().as_str())
}

/// What may follow a known word.
const ENDINGS: [&str; 10] = ["s", "es", "d", "ed", "ing", "ly", "er", "est", "'s", "’s"];

pub struct Lexicon {
    known: HashSet<String>,
}

impl Lexicon {
    /// English words, and every word of these texts.
    ///
    /// ```
    /// use duress_text::judge::Lexicon;
    /// let lexicon = Lexicon::from_texts(["Caissons sink."]);
    /// assert!(lexicon.knows("caissons") && lexicon.knows("bridges") && !lexicon.knows("brigde"));
    /// assert!(lexicon.is_slip("brigde") && !lexicon.is_slip("zyzzyva"));
    /// ```
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Lexicon {
        let texts = texts.into_iter().chain([ENGLISH, COMMON]);
        let known = texts
            .flat_map(words)
            .map(|(_, word)| word.to_lowercase())
            .collect();
        Lexicon { known }
    }

    /// These words and no others.
    pub(super) fn only<'a>(words: impl IntoIterator<Item = &'a str>) -> Lexicon {
        Lexicon {
            known: words.into_iter().map(str::to_lowercase).collect(),
        }
    }

    /// Whether a word is known as it is or with an ending; a short word takes no ending but an s,
    /// since `two` makes no `twoer`.
    pub fn knows(&self, word: &str) -> bool {
        let with = |ending: &str| {
            let stem = word
                .strip_suffix(ending)
                .filter(|stem| stem.len() > 3 || ending.ends_with('s'));
            stem.is_some_and(|stem| self.known.contains(stem))
        };
        self.known.contains(word) || ENDINGS.iter().any(|ending| with(ending))
    }

    /// Whether an unknown word is one slip away from a known one: a letter too many, too few,
    /// another one, or two swapped. A word that is far from all known ones is taken for a word
    /// nobody told us of.
    pub fn is_slip(&self, word: &str) -> bool {
        !self.knows(word) && slips(word).any(|made| self.known.contains(&made))
    }
}

/// Everything one slip away from a word of ASCII letters.
fn slips(word: &str) -> impl Iterator<Item = String> + '_ {
    let cut = |at: usize| word.split_at(at);
    let dropped = (0..word.len()).map(move |at| format!("{}{}", &word[..at], &word[at + 1..]));
    let swapped = (1..word.len()).map(move |at| {
        let left = &word[..at - 1];
        let right = &word[at + 1..];
        format!("{left}{}{}{right}", &word[at..=at], &word[at - 1..at])
    });
    let other = (0..word.len()).flat_map(move |at| {
        ('a'..='z').map(move |letter| format!("{}{letter}{}", &word[..at], &word[at + 1..]))
    });
    let added = (0..=word.len()).flat_map(move |at| {
        let (left, right) = cut(at);
        ('a'..='z').map(move |letter| format!("{left}{letter}{right}"))
    });
    dropped.chain(swapped).chain(other).chain(added)
}
