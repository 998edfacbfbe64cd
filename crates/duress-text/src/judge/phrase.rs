//! Phrases that give an error away. Short lists, on purpose: a phrase that is often innocent is not
//! on them.

use std::ops::Range;

use super::{FoundError, Subtype};
use crate::sentence::words;

/// The errors that phrases of a text give away.
pub(super) fn find_phrases(text: &str) -> Vec<FoundError> {
    let word = |(at, word): (usize, &str)| (at..at + word.len(), word.to_lowercase());
    let words: Vec<(Range<usize>, String)> = words(text).map(word).collect();
    let mut found = Vec::new();
    for (subtype, phrases) in PHRASES {
        let Ok(subtype) = Subtype::named(subtype) else {
            unreachable!("the lists below name subtypes")
        };
        for phrase in *phrases {
            let phrase: Vec<&str> = phrase.split(' ').collect();
            let hits = words.windows(phrase.len()).filter(|window| {
                window
                    .iter()
                    .zip(&phrase)
                    .all(|((_, word), wanted)| word == wanted)
            });
            found.extend(hits.map(|window| {
                let first = &window[0].0;
                let last = &window[window.len() - 1].0;
                FoundError {
                    subtype,
                    span: first.start..last.end,
                    severity: 1.0,
                }
            }));
        }
    }
    found
}

const PHRASES: &[(&str, &[&str])] = &[
    (
        "unclear_explanation",
        &[
            "sort of",
            "kind of",
            "somehow",
            "and so on",
            "or something",
            "stuff",
            "whatever",
            "in some way",
        ],
    ),
    (
        "missing_context",
        &[
            "as mentioned above",
            "as noted earlier",
            "the aforementioned",
            "as described elsewhere",
            "see above",
        ],
    ),
    (
        "assumption_not_stated",
        &[
            "obviously",
            "of course",
            "needless to say",
            "as everyone knows",
            "it goes without saying",
            "clearly",
        ],
    ),
    (
        "demographic_bias",
        &[
            "those people",
            "people like that",
            "old people are",
            "young people are",
            "immigrants are",
            "the poor are",
        ],
    ),
    (
        "cultural_bias",
        &[
            "uncivilised",
            "uncivilized",
            "backward country",
            "primitive people",
            "exotic people",
            "normal countries",
        ],
    ),
    (
        "gender_bias",
        &[
            "women are naturally",
            "men are naturally",
            "for a woman",
            "a man's job",
            "like a girl",
            "women can't",
            "men don't cry",
        ],
    ),
    (
        "political_bias",
        &[
            "the radical left",
            "the far right wants",
            "any sane voter",
            "the corrupt government",
            "leftist agenda",
        ],
    ),
    (
        "sycophancy",
        &[
            "what a brilliant question",
            "great question",
            "you are absolutely right",
            "as you rightly say",
        ],
    ),
    (
        "confirmation",
        &[
            "this proves what we knew",
            "as we always knew",
            "only confirms what",
            "just as expected by everyone",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_whole_and_whatever_their_case() {
        let found = find_phrases("Obviously, it sort of works. Sorted of courses.");
        let names: Vec<&str> = found.iter().map(|found| found.subtype.name).collect();
        assert_eq!(names, ["unclear_explanation", "assumption_not_stated"]);
        assert_eq!(found[0].span, 14..21);
    }
}
