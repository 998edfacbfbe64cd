//! Synonyms: pairs of words that can stand for one another nearly anywhere.

use crate::dose::page::Page;
use crate::dose::site::Site;

const PAIRS: [(&str, &str); 40] = [
    ("about", "roughly"),
    ("began", "started"),
    ("begin", "start"),
    ("begins", "starts"),
    ("big", "large"),
    ("built", "constructed"),
    ("nearly", "almost"),
    ("often", "frequently"),
    ("whole", "entire"),
    ("quickly", "rapidly"),
    ("many", "numerous"),
    ("used", "employed"),
    ("helps", "assists"),
    ("needs", "requires"),
    ("need", "require"),
    ("while", "whilst"),
    ("until", "till"),
    ("also", "likewise"),
    ("finished", "completed"),
    ("journey", "voyage"),
    ("because", "since"),
    ("among", "amongst"),
    ("sometimes", "occasionally"),
    ("mainly", "chiefly"),
    ("usually", "generally"),
    ("people", "persons"),
    ("shows", "displays"),
    ("gives", "provides"),
    ("rises", "climbs"),
    ("important", "significant"),
    ("holds", "contains"),
    ("carries", "transports"),
    ("today", "nowadays"),
    ("stands", "rises"),
    ("joined", "connected"),
    ("measures", "spans"),
    ("named", "called"),
    ("toward", "towards"),
    ("within", "inside"),
    ("reach", "attain"),
];

/// Every word that has one.
pub(super) fn sites(page: &Page<'_>) -> Vec<Site> {
    let all = page
        .sentences
        .iter()
        .flat_map(|sentence| page.words_of(sentence));
    all.filter_map(|(at, word)| {
        let other = PAIRS.iter().find_map(|(one, other)| match word {
            _ if word == *one => Some(*other),
            _ if word == *other => Some(*one),
            _ => None,
        });
        let made = other.map(String::from).into_iter().collect();
        Site::of_mistakes(at..at + word.len(), vec![made])
    })
    .collect()
}
