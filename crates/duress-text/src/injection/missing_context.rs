//! Missing context: a phrase that told when, where, who or why is gone, or the text points at
//! something that is not there.

use std::ops::Range;

use crate::dose::page::Page;
use crate::dose::remark::remark_sites;
use crate::dose::site::{Site, without_overlap};

/// Sentences that lean on what the reader has not got.
pub(super) const REMARKS: &[&str] = &[
    "The [exception|restriction] [set out in the previous section|given in the earlier chapter] applies here too.",
    "[As shown in|For the details, see] [table #|figure #] [above|on the preceding page].",
    "The [second|third] of the conditions [listed before|named at the start] is the [decisive|important] one.",
    "This [differs from|is the reverse of] the other case [discussed before|we saw last time].",
    "The [abbreviation|symbol] is used here in the sense [agreed earlier|defined in the appendix].",
    "[He|She] had, after all, already [objected to it|given the reasons] in the [letter|speech] quoted before.",
    "[That incident|The second accident] [changed|altered] everything, for the reasons [given previously|already discussed].",
    "Compared with the [previous|other] one, this one was the [exception|more usual].",
    "The [usual|first] method could not be used because of the problem [described above|just referred to].",
    "[Recall|Remember] the [formula|rule] from [the last chapter|part #], which is needed [here|at this point].",
    "Of the [three|four] options [introduced above|under discussion], the last was [chosen|dropped].",
    "It did not happen again until the [event|meeting] [referred to earlier|described in note #].",
];

/// What a phrase begins with that tells when, where or by whom.
const PREPOSITIONS: [&str; 18] = [
    "in", "on", "at", "by", "from", "under", "during", "between", "until", "since", "near",
    "after", "before", "above", "below", "for", "of", "with",
];

/// What may stand between a preposition and a name or a number.
const ARTICLES: [&str; 8] = ["the", "a", "an", "about", "its", "early", "late", "mid"];

/// What may follow a phrase that was cut out, without leaving a torn sentence.
const GOES_ON: [&str; 34] = [
    "and", "but", "or", "was", "is", "are", "were", "had", "has", "have", "in", "on", "by", "with",
    "to", "for", "under", "until", "before", "after", "just", "when", "while", "from", "at",
    "which", "who", "that", "can", "could", "because", "so", "as", "since",
];

/// What a clause begins with that tells why, when or what it is about.
const CLAUSES: [&str; 12] = [
    "which", "who", "where", "because", "although", "while", "when", "since", "so", "until",
    "after", "before",
];

/// What is left of a sentence must be one.
const FEWEST_LEFT: usize = 4;

/// First what can be left out, then what can point elsewhere.
pub(super) fn sites(page: &Page<'_>) -> Vec<Site> {
    let cuts = page.sentences.iter().flat_map(|sentence| {
        let words = page.words_of(sentence);
        let spans = phrases(page, &words);
        let spans = spans.into_iter().chain(clauses(page, sentence, &words));
        spans.filter_map(|span| Site::of_mistakes(span, vec![vec![String::new()]]))
    });
    let mut all = without_overlap(cuts.collect());
    all.extend(remark_sites(page, 1));
    all
}

/// ` in March 1889`, ` by Gustave Eiffel`: a preposition with a name or a number.
fn phrases(page: &Page<'_>, words: &[(usize, &str)]) -> Vec<Range<usize>> {
    let phrase = |first: usize| {
        let (at, word) = words[first];
        let mut last = first + 1;
        while words
            .get(last)
            .is_some_and(|(_, word)| ARTICLES.contains(word))
        {
            last += 1;
        }
        let heavy = words[last..]
            .iter()
            .take_while(|(_, word)| is_heavy(word))
            .count();
        let start = page.text[..at].strip_suffix(' ')?.len();
        let last = (last + heavy).checked_sub(1)?;
        let (end_at, end_word) = words.get(last)?;
        let end = end_at + end_word.len();
        let is_phrase = first >= 2 && heavy > 0 && PREPOSITIONS.contains(&word);
        let is_plain = page.text[start..end]
            .chars()
            .all(|c| c == ' ' || c.is_alphanumeric());
        let start = start_with_comma(page, start, end);
        (is_phrase && is_plain && goes_on(page, end)).then_some(start..end)
    };
    (0..words.len().saturating_sub(1))
        .filter_map(phrase)
        .collect()
}

/// A comma before what is cut out goes with it where another mark follows: `first, in 1953.` leaves
/// `first.`
fn start_with_comma(page: &Page<'_>, start: usize, end: usize) -> usize {
    let meets_a_mark = page.text[end..].starts_with(['.', ',', ';']);
    match page.text[..start].strip_suffix(',') {
        Some(before) if meets_a_mark => before.len(),
        _ => start,
    }
}

/// A name or a number.
fn is_heavy(word: &str) -> bool {
    word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
}

/// Whether a sentence can be read on where something was cut out.
fn goes_on(page: &Page<'_>, end: usize) -> bool {
    let rest = &page.text[end..];
    let next = rest.trim_start();
    let word: String = next.chars().take_while(|c| c.is_alphabetic()).collect();
    rest.starts_with(['.', ',', ';']) || GOES_ON.contains(&word.as_str())
}

/// `, which was the longest` up to the next stop; ` because it rained` up to the end.
fn clauses(page: &Page<'_>, sentence: &Range<usize>, words: &[(usize, &str)]) -> Vec<Range<usize>> {
    let clause = |(nth, (at, word)): (usize, &(usize, &str))| {
        let opens = CLAUSES.contains(word) && nth >= FEWEST_LEFT;
        let before = &page.text[..*at];
        let start = before.trim_end_matches([' ', ',']).len();
        let rest = &page.text[*at..sentence.end];
        let last = rest.char_indices().next_back();
        let last = last.map_or(0, |(at, _)| at);
        let length = rest.find([',', ';']).unwrap_or(last);
        let ends = rest[length..].starts_with(['.', ',', ';']);
        (opens && ends && start > sentence.start).then_some(start..at + length)
    };
    words.iter().enumerate().filter_map(clause).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left out of a text first.
    fn first_cuts(text: &str) -> Vec<&str> {
        let page = Page::new(text, "");
        sites(&page)
            .iter()
            .filter(|site| site.round == 0)
            .map(|site| &text[site.span.clone()])
            .collect()
    }

    #[test]
    fn what_told_when_where_and_why_can_be_left_out() {
        let text = "The bridge was opened in March 1932 and painted, which took long. \
            The road was closed in winter because it had snowed.";
        assert_eq!(
            first_cuts(text),
            [
                " in March 1932",
                ", which took long",
                " because it had snowed"
            ]
        );
    }

    #[test]
    fn a_comma_does_not_stay_before_a_stop() {
        let text = "They were the first to reach the top, in 1953. \
            He came back to the coast, on 25 January, and rested, in May 1954 and later.";
        assert_eq!(
            first_cuts(text),
            [", in 1953", ", on 25 January", " in May 1954"]
        );
    }

    #[test]
    fn a_number_that_counts_what_follows_stays() {
        let page = Page::new("They joined all the parts with 300 rivets of iron.", "");
        assert!(sites(&page).iter().all(|site| site.round > 0));
    }
}
