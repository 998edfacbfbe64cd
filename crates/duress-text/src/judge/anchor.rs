//! Where a quotation stands in a text: a judge's words are trusted for what they quote, never for
//! where they say it is.

use std::ops::Range;

/// The bytes of a text that a quotation is of: the first place that is not `taken`, else the first.
/// White space counts as one blank, and curly quotation marks as straight ones; no place for what
/// is not there, or for nothing.
///
/// ```
/// use duress_text::judge::anchor;
/// assert_eq!(anchor("It is  “old”.", "is \"old\"", &[]), Some(3..16));
/// assert_eq!(anchor("two and two", "two", &[0..3]), Some(8..11));
/// assert_eq!(anchor("two and two", "three", &[]), None);
/// ```
pub fn anchor(text: &str, quote: &str, taken: &[Range<usize>]) -> Option<Range<usize>> {
    let quote: Vec<char> = plain(quote.trim()).into_iter().map(|one| one.is).collect();
    let text = plain(text);
    if quote.is_empty() {
        return None;
    }
    let places = text.windows(quote.len()).filter_map(|window| {
        let same = window
            .iter()
            .zip(&quote)
            .all(|(one, quoted)| one.is == *quoted);
        let (first, last) = (window.first()?, window.last()?);
        same.then_some(first.bytes.start..last.bytes.end)
    });
    let places: Vec<Range<usize>> = places.collect();
    let free = places.iter().find(|place| !taken.contains(place));
    free.or(places.first()).cloned()
}

/// A character as it is compared, and the bytes that it stands for.
struct PlainCharacter {
    is: char,
    bytes: Range<usize>,
}

fn plain(text: &str) -> Vec<PlainCharacter> {
    let mut all: Vec<PlainCharacter> = Vec::new();
    for (start, one) in text.char_indices() {
        let bytes = start..start + one.len_utf8();
        let is = match one {
            '“' | '”' | '„' => '"',
            '‘' | '’' => '\'',
            one if one.is_whitespace() => ' ',
            one => one,
        };
        match all.last_mut() {
            Some(last) if is == ' ' && last.is == ' ' => last.bytes.end = bytes.end,
            _ => all.push(PlainCharacter { is, bytes }),
        }
    }
    all
}
