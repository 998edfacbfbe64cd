//! Words and sentences of a text, with their places.

use std::ops::Range;

/// What ends in a full stop and ends no sentence.
const ABBREVIATIONS: [&str; 14] = [
    "Dr", "Mr", "Mrs", "Ms", "St", "vs", "e.g", "i.e", "etc", "No", "Prof", "U.S", "U.K", "approx",
];

/// The words and numbers of a text with their places; `12,500` and `3.5` are one, `it's` is one,
/// `well-known` is two.
///
/// ```
/// let words: Vec<(usize, &str)> = duress_text::sentence::words("It's 1,149.5 m.").collect();
/// assert_eq!(words, [(0, "It's"), (5, "1,149.5"), (13, "m")]);
/// ```
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(char::is_alphanumeric)?;
        let mut end = start;
        let mut characters = text[start..].char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            let next = characters.peek().map(|(_, next)| *next);
            let inside = match c {
                ',' | '.' => is_digit(text[..start + at].chars().next_back()) && is_digit(next),
                '\'' | '’' => next.is_some_and(char::is_alphanumeric),
                _ => c.is_alphanumeric(),
            };
            if !inside {
                break;
            }
            end = start + at + c.len_utf8();
        }
        rest = end;
        Some((start, &text[start..end]))
    })
}

fn is_digit(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_digit())
}

/// The sentences of a text. They end at a full stop, an exclamation or a question mark (and the
/// quotes or brackets that close there) before white space, at the wide marks of Chinese and Japanese,
/// and at the end of a line.
///
/// ```
/// let text = "It was Dr. Hall. Was it?\n- a list\n";
/// let found: Vec<&str> = duress_text::sentence::sentences(text).into_iter().map(|at| &text[at]).collect();
/// assert_eq!(found, ["It was Dr. Hall.", "Was it?", "- a list"]);
/// ```
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let mut end = at + c.len_utf8();
        if c == '\n' {
            found.push(start..at);
            start = end;
            continue;
        }
        let dense = matches!(c, '。' | '！' | '？');
        if !dense && !matches!(c, '.' | '!' | '?') {
            continue;
        }
        while let Some((at, close)) =
            characters.next_if(|(_, close)| matches!(close, '"' | '\'' | '”' | '’' | ')' | ']'))
        {
            end = at + close.len_utf8();
        }
        let breaks = text[end..].chars().next().is_none_or(char::is_whitespace);
        if dense || breaks && !(c == '.' && is_abbreviated(&text[start..at])) {
            found.push(start..end);
            start = end;
        }
    }
    found.push(start..text.len());
    found
        .into_iter()
        .filter_map(|span| trim(text, span))
        .collect()
}

fn is_abbreviated(before: &str) -> bool {
    let last = before.rsplit(char::is_whitespace).next().unwrap_or("");
    let last = last.trim_start_matches(['(', '"', '“']);
    let initial = last.len() == 1 && last.starts_with(|c: char| c.is_ascii_uppercase());
    initial || ABBREVIATIONS.contains(&last)
}

/// A span without the white space at its ends; none where there is nothing else.
fn trim(text: &str, span: Range<usize>) -> Option<Range<usize>> {
    let whole = &text[span.clone()];
    let start = span.start + (whole.len() - whole.trim_start().len());
    let end = start + whole.trim().len();
    (start < end).then_some(start..end)
}
