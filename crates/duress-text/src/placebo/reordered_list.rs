//! Lists in another order: `a, b and c` becomes `b, a and c`.

use std::ops::Range;

use crate::dose::page::Page;
use crate::dose::site::{Site, without_overlap};

/// A member of a list has no more words.
const MOST_WORDS: usize = 3;

/// Two members before the last, in lists of three or more.
pub(super) fn sites(page: &Page<'_>) -> Vec<Site> {
    let all = page
        .sentences
        .iter()
        .flat_map(|sentence| lists(page, sentence));
    without_overlap(all.collect())
}

fn lists(page: &Page<'_>, sentence: &Range<usize>) -> Vec<Site> {
    let text = &page.text[sentence.clone()];
    let commas = text.match_indices(", ").map(|(at, _)| at);
    commas
        .filter_map(|comma| {
            let second = &text[comma + 2..];
            let ends = [" and ", ", and ", ", "]
                .iter()
                .filter_map(|end| second.find(end));
            let second = &second[..ends.min()?];
            let rest = &text[comma + 2 + second.len()..];
            let goes_on = rest.starts_with(" and ") || rest.starts_with(", and ");
            let length = second.split(' ').count();
            let first = last_words(&text[..comma], length)?;
            let alike = starts_upper(first) == starts_upper(second);
            let start = sentence.start + comma - first.len();
            let made = format!("{second}, {first}");
            let is_list =
                goes_on && alike && length <= MOST_WORDS && is_member(first) && is_member(second);
            let site = Site::of_mistakes(start..start + made.len(), vec![vec![made]]);
            site.filter(|_| is_list)
        })
        .collect()
}

/// As many words as the other member has: where a list begins is not marked.
fn last_words(text: &str, count: usize) -> Option<&str> {
    let (at, _) = text.rmatch_indices(' ').nth(count - 1)?;
    Some(&text[at + 1..])
}

fn is_member(text: &str) -> bool {
    text.chars()
        .all(|c| c == ' ' || c == '-' || c.is_alphanumeric())
}

fn starts_upper(text: &str) -> bool {
    text.starts_with(char::is_uppercase)
}
