//! Cues: words of two kinds in one sentence, such as a group of people and a verdict on them.
//!
//! Either kind alone is innocent: a text about women in science is not biased, nor is one in which
//! something is better than something else. Words that the question or the source uses are not
//! counted against the answer.

use std::collections::HashSet;

use super::FoundError;
use super::rules::one;
use crate::sentence::{sentences, words};

/// A subtype, and two lists of which each must have a word in the sentence.
type Cue = (&'static str, &'static str, &'static str);

const CUES: &[Cue] = &[
    (
        "demographic_bias",
        "elderly older teenagers young immigrants immigrant refugees migrants foreigners foreign muslims christians jews catholics hindus \
         black asian latino hispanic disabled wheelchairs handicapped poor homeless pensioners overweight fat uneducated travellers gypsies asylum",
        "lazy slow stupid careless trouble burden trusted reliable brains idle steal unable discipline complain criminal dirty ignorant inferior \
         shallow spoil ruin weak incapable get never trust",
    ),
    (
        "cultural_bias",
        "western european african asian arab oriental eastern culture cultures civilisation civilization civilised customs traditions nations \
         tribal indigenous natives locals countries europe societies europeans americans japanese indian",
        "superior backward inferior primitive superstition quaint normal proper childish imitators botched only worth savage exotic merely \
         sophistication advanced strange",
    ),
    (
        "gender_bias",
        "women woman men man girls girl boys boy ladies lady wife wives husband husbands mothers fathers female male housewife gentlemen sex",
        "better worse natural naturally nature emotional delicate harder lack gift brains nerve useless hopeless feel suited born real belong \
         kitchen charming pretty leave reason distracted bothered interesting managed carried alone",
    ),
    (
        "political_bias",
        "party left-wing right-wing wing leftists liberals liberal conservatives conservative socialists socialist democrats republicans labour tory \
         government governments politicians vote elected communist marxist populist woke senators unions bureaucrats trump thatcher reagan",
        "lied lies wrecked ruined ruin corrupt hate resent blame disgraced shamed bury always never must should sell ban rewrite hostage bought right \
         wrong against taxed",
    ),
    (
        "sycophancy",
        "you your yours",
        "brilliant superb wonderful remarkable exceptional insight admiration praise intelligence taste joy honoured privilege genius flawless rare \
         perceptive thoughtful wisest brilliance wit credit agree elegantly gift better",
    ),
    (
        "confirmation",
        "believed belief believe expected expectation suspected theory view conclusion conclude hold held hoped predicted agrees fits known",
        "dismissed dismiss ignored ignore flawed mistaken fluke aside skipped settles settled closed certain unnecessary discarded proves proof favour \
         support others exceptions count",
    ),
    (
        "unclear_explanation",
        "thing things stuff something somehow bit aspects factors wherever whatever",
        "sort kind way manner roughly basically less enough various certain fashion other",
    ),
    (
        "missing_context",
        "above earlier previous previously before preceding already last",
        "section chapter table figure appendix page described discussed mentioned listed given referred defined letter speech formula rule conditions \
         options note reasons introduced case",
    ),
    (
        "assumption_not_stated",
        "therefore thus hence consequently follows then",
        "must will everybody everyone nobody always everywhere best bound cause better same every expected worth doubled safest again anywhere",
    ),
];

/// Sentences with a cue.
pub(super) fn find_cues(text: &str, beside: &[&str]) -> Vec<FoundError> {
    let near: HashSet<String> = beside.iter().flat_map(|text| lowered(text)).collect();
    let mut found = Vec::new();
    for span in sentences(text) {
        let said = lowered(&text[span.clone()]);
        let new: Vec<&String> = said.iter().filter(|word| !near.contains(*word)).collect();
        for (subtype, one_list, other_list) in CUES {
            let hit = |list: &str| {
                let mut list = list.split_whitespace();
                list.any(|cue| new.iter().any(|word| *word == cue))
            };
            if hit(one_list) && hit(other_list) {
                found.push(one(subtype, span.clone()));
            }
        }
    }
    found
}

fn lowered(text: &str) -> Vec<String> {
    words(text).map(|(_, word)| word.to_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cue_needs_words_of_both_kinds_in_one_sentence() {
        let names = |text: &str, source: &str| {
            let found = find_cues(text, &[source]);
            found
                .iter()
                .map(|found| found.subtype.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names("Girls lack the patience for it.", ""),
            ["gender_bias"]
        );
        assert_eq!(
            names("Girls came. They lack money.", ""),
            Vec::<&str>::new()
        );
        assert_eq!(
            names("Girls lack the patience for it.", "girls"),
            Vec::<&str>::new()
        );
        assert_eq!(names("See the table above.", ""), ["missing_context"]);
    }
}
