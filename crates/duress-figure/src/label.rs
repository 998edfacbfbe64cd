//! Labels: words that must fit and must not cover each other.

use std::borrow::Cow;

use duress_core::steering::steers;

use crate::font::Weight;

/// The text, cut with an ellipsis in its middle so that it is at most `room` wide.
///
/// The middle is cut because names that share a beginning differ at the end.
///
/// ```
/// use duress_figure::font::Weight;
/// use duress_figure::label::shorten_to_fit;
/// assert_eq!(shorten_to_fit("short", 100.0, 12.0, Weight::Regular), "short");
/// assert!(shorten_to_fit(&"long ".repeat(60), 100.0, 12.0, Weight::Regular).contains('…'));
/// ```
pub fn shorten_to_fit(words: &str, room: f64, size: f64, weight: Weight) -> String {
    let words = tame(words);
    if weight.width(&words, size) <= room {
        return words;
    }
    let letters: Vec<char> = words.chars().collect();
    let cut = |kept: usize| -> String {
        let tail = kept / 3;
        let head = &letters[..kept - tail];
        let tail = &letters[letters.len() - tail..];
        let head: String = head.iter().collect();
        format!(
            "{}…{}",
            head.trim_end(),
            tail.iter().collect::<String>().trim_start()
        )
    };
    let mut fits = 0;
    let mut fails = letters.len();
    while fails - fits > 1 {
        let middle = (fits + fails) / 2;
        if weight.width(&cut(middle), size) <= room {
            fits = middle;
        } else {
            fails = middle;
        }
    }
    cut(fits)
}

/// Letters of a text that are shown anywhere; a reply of a megabyte is in the ledger.
const LONGEST: usize = 4000;

/// The text, or the beginning and the end of one that nobody would read to its end.
///
/// ```
/// use duress_figure::label::excerpt;
/// assert_eq!(excerpt("short"), "short");
/// let cut = excerpt(&"long ".repeat(200_000)).into_owned();
/// assert!(cut.len() < 5000 && cut.contains("996000 letters left out"));
/// ```
pub fn excerpt(text: &str) -> Cow<'_, str> {
    // Bytes are at least as many as letters, and known.
    if text.len() <= LONGEST {
        return Cow::Borrowed(text);
    }
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= LONGEST {
        return Cow::Borrowed(text);
    }
    let (head, rest) = letters.split_at(LONGEST / 4 * 3);
    let (middle, tail) = rest.split_at(rest.len() - LONGEST / 4);
    let part = |letters: &[char]| letters.iter().collect::<String>();
    Cow::Owned(format!(
        "{} … [{} letters left out] … {}",
        part(head),
        middle.len(),
        part(tail)
    ))
}

/// The text broken into lines of at most `room`, at spaces where it can; at most `most` lines, the
/// last cut if need be.
pub fn wrap_lines(words: &str, room: f64, size: f64, weight: Weight, most: usize) -> Vec<String> {
    let words = tame(words);
    let words: Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
    let mut lines: Vec<String> = vec![String::new()];
    for (i, word) in words.iter().enumerate() {
        let count = lines.len();
        let Some(line) = lines.last_mut() else { break };
        let longer = if line.is_empty() {
            (*word).to_owned()
        } else {
            format!("{line} {word}")
        };
        if line.is_empty() || weight.width(&longer, size) <= room {
            *line = longer;
        } else if count == most {
            *line = format!("{line} {}", words[i..].join(" "));
            break;
        } else {
            lines.push((*word).to_owned());
        }
    }
    lines
        .into_iter()
        .map(|line| shorten_to_fit(&line, room, size, weight))
        .collect()
}

/// Moves things apart until none covers another, with their middles within `low..=high`, each as
/// near its wish as can be.
///
/// Neighbours that touch are pooled and share one place, which minimises the squared moves
/// (isotonic regression). Where there is no room for all, the gaps shrink evenly.
///
/// ```
/// use duress_figure::label::spread;
/// assert_eq!(spread(&[10.0, 10.0], &[4.0, 4.0], 0.0, 100.0), [8.0, 12.0]);
/// assert_eq!(spread(&[10.0, 10.0], &[4.0, 8.0], 0.0, 100.0), [7.0, 13.0]);
/// assert_eq!(spread(&[0.0, 50.0], &[4.0, 4.0], 2.0, 100.0), [2.0, 50.0]);
/// ```
pub fn spread(wishes: &[f64], heights: &[f64], low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wishes.len()).collect();
    order.sort_by(|&a, &b| wishes[a].total_cmp(&wishes[b]));
    // How far each middle must at least be below the first one.
    let mut below = vec![0.0; order.len()];
    for rank in 1..order.len() {
        below[rank] =
            below[rank - 1] + f64::midpoint(heights[order[rank - 1]], heights[order[rank]]);
    }
    let last = below.last().copied().unwrap_or(0.0);
    let shrunk = if last > high - low {
        (high - low) / last
    } else {
        1.0
    };
    below.iter_mut().for_each(|gap| *gap *= shrunk);
    // With gaps taken out the wishes only need to be in order: pool neighbours that are not.
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (rank, &i) in order.iter().enumerate() {
        let mut pool = (wishes[i].clamp(low, high) - below[rank], 1);
        while let Some(&(before, size)) = pools.last().filter(|(before, _)| *before >= pool.0) {
            pools.pop();
            pool = (
                (before * size as f64 + pool.0 * pool.1 as f64) / (size + pool.1) as f64,
                size + pool.1,
            );
        }
        pools.push(pool);
    }
    let last = high - last * shrunk;
    let places = pools
        .iter()
        .flat_map(|&(place, size)| std::iter::repeat_n(place.min(last).max(low), size));
    let mut spread = vec![0.0; wishes.len()];
    for ((&i, gap), place) in order.iter().zip(below).zip(places) {
        spread[i] = place + gap;
    }
    spread
}

/// Text as one line of visible characters: characters that steer become a visible sign.
pub fn tame(words: &str) -> String {
    let visible = |c: char| match c {
        '\n' | '\r' | '\t' => ' ',
        c if steers(c) => '\u{fffd}',
        c => c,
    };
    words.chars().map(visible).collect()
}

/// Whether a character is set on a full square, as Chinese, Japanese and Korean are.
pub fn is_wide(c: char) -> bool {
    matches!(u32::from(c),
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe4f
        | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1f64f | 0x1f900..=0x1f9ff | 0x20000..=0x3fffd)
}
