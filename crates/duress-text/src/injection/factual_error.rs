//! False facts: what a number, a month or a word with an opposite can be turned into.

use std::collections::BTreeSet;

use crate::closed_class::{MONTHS, NUMBERS};
use crate::dose::page::Page;
use crate::dose::site::Site;

/// Every word that can be made false.
pub(super) fn sites(page: &Page<'_>) -> Vec<Site> {
    let all = page
        .sentences
        .iter()
        .flat_map(|sentence| page.words_of(sentence));
    all.filter_map(|(at, word)| Site::of_mistakes(at..at + word.len(), mistakes(word, &page.taken)))
        .collect()
}

/// The falsehoods that can stand in the place of a word. A false number or month is nowhere in the
/// text or its source, so it cannot be true of something else there; an opposite may be.
pub(super) fn mistakes(word: &str, taken: &BTreeSet<String>) -> Vec<Vec<String>> {
    let lower = word.to_lowercase();
    let made = if word.starts_with(|c: char| c.is_ascii_digit()) {
        numbers(word)
    } else if MONTHS.contains(&word) {
        MONTHS
            .iter()
            .filter(|month| **month != word)
            .map(ToString::to_string)
            .collect()
    } else if NUMBERS.contains(&lower.as_str()) {
        NUMBERS
            .iter()
            .filter(|number| **number != lower)
            .map(|number| as_in(word, number))
            .collect()
    } else {
        return vec![
            opposite(&lower)
                .map(|other| as_in(word, other))
                .into_iter()
                .collect(),
        ];
    };
    vec![
        made.into_iter()
            .filter(|made| !taken.contains(&made.to_lowercase()))
            .collect(),
    ]
}

/// Numbers near a number, written as it is: with as many decimals, and with commas if it has them.
fn numbers(word: &str) -> Vec<String> {
    let plain = word.replace(',', "");
    let decimals = plain.split_once('.').map_or(0, |(_, after)| after.len());
    let Ok(value) = plain.parse::<f64>() else {
        return Vec::new();
    };
    let is_year = decimals == 0 && !word.contains(',') && (1000.0..2100.0).contains(&value);
    let near: Vec<f64> = if is_year {
        [-30.0, -21.0, -12.0, -7.0, -3.0, 3.0, 7.0, 12.0, 21.0, 30.0]
            .iter()
            .map(|by| value + by)
            .collect()
    } else if decimals == 0 && value < 10.0 {
        (1..12).map(f64::from).collect()
    } else {
        [0.4, 0.5, 0.6, 0.75, 0.8, 1.25, 1.4, 1.6, 2.0, 3.0]
            .iter()
            .map(|times| value * times)
            .collect()
    };
    let written = near
        .into_iter()
        .map(|value| write(value, decimals, word.contains(',')));
    written
        .filter(|made| made != word && *made != plain)
        .collect()
}

fn write(value: f64, decimals: usize, commas: bool) -> String {
    let text = format!("{value:.decimals$}");
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    if !commas {
        return text;
    }
    let comma = |at: usize| at > 0 && (whole.len() - at).is_multiple_of(3);
    let grouped: String = whole
        .char_indices()
        .flat_map(|(at, c)| comma(at).then_some(',').into_iter().chain([c]))
        .collect();
    grouped + rest
}

fn opposite(word: &str) -> Option<&'static str> {
    OPPOSITES.iter().find_map(|(a, b)| match word {
        _ if word == *a => Some(*b),
        _ if word == *b => Some(*a),
        _ => None,
    })
}

/// `other` with a capital where `word` has one.
fn as_in(word: &str, other: &str) -> String {
    match (
        word.chars().next().is_some_and(char::is_uppercase),
        other.split_at(1),
    ) {
        (true, (first, rest)) => first.to_uppercase() + rest,
        (false, _) => other.into(),
    }
}

const OPPOSITES: [(&str, &str); 39] = [
    ("north", "south"),
    ("east", "west"),
    ("northern", "southern"),
    ("eastern", "western"),
    ("largest", "smallest"),
    ("longest", "shortest"),
    ("highest", "lowest"),
    ("oldest", "youngest"),
    ("fastest", "slowest"),
    ("before", "after"),
    ("above", "below"),
    ("increased", "decreased"),
    ("rose", "fell"),
    ("heavier", "lighter"),
    ("warmer", "colder"),
    ("deepest", "shallowest"),
    ("upper", "lower"),
    ("earlier", "later"),
    ("increase", "decrease"),
    ("maximum", "minimum"),
    ("inside", "outside"),
    ("hotter", "cooler"),
    ("first", "last"),
    ("inner", "outer"),
    ("taller", "shorter"),
    ("larger", "smaller"),
    ("faster", "slower"),
    ("older", "younger"),
    ("iron", "copper"),
    ("steel", "timber"),
    ("hours", "weeks"),
    ("days", "months"),
    ("metres", "kilometres"),
    ("million", "thousand"),
    ("morning", "evening"),
    ("summer", "winter"),
    ("hot", "cold"),
    ("wet", "dry"),
    ("won", "lost"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_written_as_they_were() {
        let first = |word: &str| mistakes(word, &BTreeSet::new())[0][0].clone();
        assert_eq!(first("1889"), "1859");
        assert_eq!(first("12,500"), "5,000");
        assert_eq!(first("1,250,000"), "500,000");
        assert_eq!(first("3.50"), "1.40");
        assert_eq!(first("7"), "1");
        assert!(numbers("7").iter().all(|made| made != "7"));
    }

    #[test]
    fn opposites_keep_their_capital_and_months_stay_months() {
        assert_eq!(mistakes("Northern", &BTreeSet::new()), [["Southern"]]);
        assert_eq!(mistakes("rose", &BTreeSet::new()), [["fell"]]);
        assert_eq!(mistakes("July", &BTreeSet::new())[0].len(), 10);
        assert_eq!(mistakes("July", &["march".to_string()].into())[0].len(), 9);
        assert_eq!(mistakes("Eight", &BTreeSet::new())[0][0], "Two");
        assert_eq!(mistakes("bridge", &BTreeSet::new()), [Vec::<String>::new()]);
    }
}
