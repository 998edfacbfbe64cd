//! Inconsistencies: a sentence of the text said again, and said otherwise.

use std::ops::Range;

use super::factual_error;
use crate::dose::page::Page;
use crate::dose::site::{Site, What};
use crate::sentence::words;

/// A longer sentence said twice is tedious before it is inconsistent.
const MOST_WORDS: usize = 32;

const AGAIN: [&str; 6] = [
    "In other words, ",
    "To put it another way, ",
    "To repeat, ",
    "Put simply, ",
    "Once again, ",
    "In short, ",
];

const DENIALS: [&str; 6] = [
    "And yet it is not true that ",
    "At the same time, it is not the case that ",
    "Even so, it would be wrong to say that ",
    "It is false, though, that ",
    "That said, nobody claims that ",
    "Still, it was never the case that ",
];

/// Words that open a sentence and lose their capital when it no longer is at the start.
const OPENERS: [&str; 40] = [
    "The", "A", "An", "It", "Its", "This", "These", "That", "Those", "They", "Their", "He", "She",
    "His", "Her", "In", "On", "At", "By", "From", "With", "After", "Before", "About", "Most",
    "Some", "Many", "All", "Both", "Each", "No", "There", "When", "While", "Today", "Two", "Three",
    "One", "Work", "Visitors",
];

/// Each sentence can be denied, and said again with each of its facts changed. First one of these
/// for each sentence, then the others. What is said stands after the next sentence, where there is
/// one: a contradiction in the same breath is a slip of the tongue.
pub(super) fn sites(page: &Page<'_>) -> Vec<Site> {
    let mut found = Vec::new();
    for (i, sentence) in page.sentences.iter().enumerate() {
        if page.text[sentence.clone()].ends_with('?') || page.words_of(sentence).len() > MOST_WORDS
        {
            continue;
        }
        let after = page.sentences.get(i + 1).unwrap_or(sentence).end;
        let said_otherwise = changed(page, sentence);
        let denied = DENIALS.map(|denial| format!(" {denial}{}", lowered(page, sentence)));
        let all = said_otherwise.into_iter().chain([denied.to_vec()]);
        found.extend(all.enumerate().map(|(round, mistakes)| Site {
            span: after..after,
            round,
            what: What::OneOf(vec![mistakes]),
        }));
    }
    found
}

/// The sentence said again with one fact changed, for each of its facts.
fn changed(page: &Page<'_>, sentence: &Range<usize>) -> Vec<Vec<String>> {
    let said = lowered(page, sentence);
    let mut all = Vec::new();
    for (at, word) in words(&said) {
        let changes = factual_error::mistakes(word, &page.taken);
        let changes: Vec<String> = changes.into_iter().flatten().collect();
        let saying = |(i, change): (usize, &String)| {
            let again = AGAIN[i % AGAIN.len()];
            format!(
                " {again}{}{change}{}",
                &said[..at],
                &said[at + word.len()..]
            )
        };
        if !changes.is_empty() {
            all.push(changes.iter().enumerate().map(saying).collect());
        }
    }
    all
}

/// The sentence as it reads after an introduction.
fn lowered(page: &Page<'_>, sentence: &Range<usize>) -> String {
    let text = &page.text[sentence.clone()];
    let first = words(text).next().map_or("", |(_, word)| word);
    match OPENERS.contains(&first) && text.starts_with(first) {
        true => first.to_lowercase() + &text[first.len()..],
        false => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_said_again_with_another_number_or_denied() {
        let page = Page::new("The arch is 134 feet high. It is made of wood.", "");
        let sites = sites(&page);
        assert_eq!(sites.len(), 3);
        let What::OneOf(said) = &sites[0].what else {
            panic!("no remark")
        };
        assert!(said[0].iter().all(|said| !said.contains("134")));
        assert!(
            said[0][0].ends_with("the arch is 54 feet high."),
            "{said:?}"
        );
        assert_eq!(sites[0].span.start, page.text.len());
        let What::OneOf(denied) = &sites[1].what else {
            panic!("no remark")
        };
        assert!(denied[0][0].ends_with("not true that the arch is 134 feet high."));
    }
}
