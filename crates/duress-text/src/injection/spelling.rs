//! Misspellings of a word, as fingers make them.

use std::collections::BTreeSet;

use crate::dose::page::Page;
use crate::dose::site::{Site, What};

/// Shorter words are left alone: one letter changed in three often makes another word.
const SHORTEST: usize = 5;

/// Every word that can be misspelt.
pub(super) fn sites(page: &Page<'_>) -> Vec<Site> {
    let all = page.sentences.iter();
    let all = all.flat_map(|sentence| page.words_of(sentence));
    all.filter(|(_, word)| can_be_misspelt(word))
        .map(|(at, word)| Site {
            span: at..at + word.len(),
            round: 0,
            what: What::Made(mistakes),
        })
        .collect()
}

fn can_be_misspelt(word: &str) -> bool {
    word.len() >= SHORTEST && word.bytes().all(|b| b.is_ascii_lowercase())
}

/// The misspellings of a word in small letters, by kind: neighbours swapped, a letter dropped,
/// doubled, or mistyped as one beside it on the keyboard. The first letter stays. Words that stand
/// in the text or its source already are left out.
fn mistakes(word: &str, taken: &BTreeSet<String>) -> Vec<Vec<String>> {
    let inner = 1..word.len();
    let swapped = (1..word.len() - 1).map(|at| {
        let mut letters = word.as_bytes().to_vec();
        letters.swap(at, at + 1);
        String::from_utf8_lossy(&letters).into_owned()
    });
    let dropped = inner
        .clone()
        .map(|at| format!("{}{}", &word[..at], &word[at + 1..]));
    let doubled = inner
        .clone()
        .map(|at| format!("{}{}", &word[..=at], &word[at..]));
    let mistyped = inner.flat_map(|at| {
        beside(&word[at..=at])
            .chars()
            .map(move |key| format!("{}{key}{}", &word[..at], &word[at + 1..]))
    });
    let new = |made: &String| made != word && !taken.contains(made);
    let mut made: Vec<Vec<String>> = vec![
        swapped.filter(new).collect(),
        dropped.filter(new).collect(),
        doubled.filter(new).collect(),
        mistyped.filter(new).collect(),
    ];
    made.retain(|kind| !kind.is_empty());
    made
}

/// The keys left and right of a key on a QWERTY keyboard.
fn beside(key: &str) -> &'static str {
    const ROWS: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
    for row in ROWS {
        if let Some(at) = row.find(key) {
            return &row[at.saturating_sub(1)..(at + 2).min(row.len())];
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelling_is_one_slip_and_another_word() {
        let made = mistakes("bridge", &["bride".to_string()].into());
        assert_eq!(made[0], ["birdge", "brdige", "brigde", "brideg"]);
        assert!(made[1].contains(&"brdge".into()) && !made[1].contains(&"bride".into()));
        assert!(made[2].contains(&"briddge".into()));
        assert!(made[3].contains(&"beidge".into()) && made[3].contains(&"btidge".into()));
        assert!(
            made.iter()
                .flatten()
                .all(|word| word != "bridge" && word.starts_with('b'))
        );
    }

    #[test]
    fn names_numbers_and_short_words_are_left_alone() {
        for word in ["Paris", "1889", "tower's", "four", "naïve"] {
            assert!(!can_be_misspelt(word), "{word}");
        }
    }
}
