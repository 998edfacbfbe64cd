//! Contradictions of simple statements: two sentences about the same matter with other numbers, or
//! one of which denies the other.

use std::collections::BTreeSet;
use std::ops::Range;

use super::FoundError;
use super::rules::one;
use crate::sentence::{sentences, words};

/// How many words two sentences must share, and which share of the shorter one.
const SHARED: usize = 3;
const SHARE: f64 = 0.6;
/// Shorter words say little about what a sentence is about.
const SHORTEST: usize = 4;

const DENIALS: [&str; 12] = [
    "not", "never", "no", "nobody", "none", "false", "untrue", "wrong", "isn't", "wasn't",
    "aren't", "didn't",
];

/// A sentence as far as it can contradict another.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Statement {
    about: BTreeSet<String>,
    numbers: BTreeSet<String>,
    denies: bool,
}

/// The later of two sentences that contradict each other, once for each of them.
pub(super) fn find_contradictions(text: &str) -> Vec<FoundError> {
    let mut earlier = BTreeSet::new();
    let mut found = Vec::new();
    for span in sentences(text) {
        let later = statement(text, span.clone());
        if earlier.iter().any(|earlier| contradict(earlier, &later)) {
            found.push(one("inconsistency", span));
        }
        // What was said before is not compared with a second time.
        earlier.insert(later);
    }
    found
}

fn statement(text: &str, span: Range<usize>) -> Statement {
    let lower: Vec<String> = words(&text[span])
        .map(|(_, word)| word.to_lowercase())
        .collect();
    let is_number = |word: &&String| word.starts_with(|c: char| c.is_ascii_digit());
    let is_about = |word: &&String| word.chars().count() >= SHORTEST && !is_number(word);
    Statement {
        about: lower.iter().filter(is_about).cloned().collect(),
        numbers: lower.iter().filter(is_number).cloned().collect(),
        denies: lower.iter().any(|word| DENIALS.contains(&word.as_str())),
    }
}

fn contradict(one: &Statement, other: &Statement) -> bool {
    let shared = one.about.intersection(&other.about).count();
    let shorter = one.about.len().min(other.about.len()).max(1);
    let same_matter = shared >= SHARED && shared as f64 >= SHARE * shorter as f64;
    let new_number = !one.numbers.is_empty() && !other.numbers.is_subset(&one.numbers);
    same_matter && (new_number || one.denies != other.denies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_number_or_a_denial_of_the_same_is_a_contradiction() {
        let found = |text: &str| find_contradictions(text).len();
        let said = "The tower measures 330 metres in total height.";
        assert_eq!(
            found(&format!(
                "{said} So the tower measures 300 metres in total height."
            )),
            1
        );
        assert_eq!(
            found(&format!(
                "{said} It is false that the tower measures 330 metres in total height."
            )),
            1
        );
        assert_eq!(
            found(&format!(
                "{said} Some 300 cooks prepared a dinner in the second storey."
            )),
            0
        );
        assert_eq!(found(&format!("{said} {said}")), 0);
    }
}
