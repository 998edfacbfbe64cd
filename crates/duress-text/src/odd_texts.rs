//! Texts that nobody wrote with care: whatever stands in them, every change is made or refused, and
//! the judge that follows rules reads them.

use std::time::{Duration, Instant};

use duress_core::seed::Seed;
use duress_core::word::Word;

use crate::dose::Recipe;
use crate::injection::Injector;
use crate::judge::{Lexicon, RuleBasedJudge};
use crate::lure::Lure;
use crate::placebo::Placebo;

const TEXT: &str = "The bridge was opened in March 1932, which took long, and has eight lanes. It was built by Dorman Long \
    because many drivers asked for it. The parts are:\n- steel\n- stone\n- rivets\n";

/// Turns of direction, marks without a width, characters of two to four bytes, ends of lines.
const ODD: [&str; 12] = [
    "\u{202e}", "\u{200b}", "\u{feff}", "\0", "é", "ß", "…", "。", "😀", "e\u{301}", "\r\n",
    "\u{2028}",
];

fn recipes() -> Vec<Recipe> {
    let injectors = Injector::ALL.iter().map(|one| one.recipe());
    let lures = Lure::ALL.iter().map(|one| one.recipe());
    let placebos = Placebo::ALL.iter().map(|one| one.recipe());
    injectors.chain(lures).chain(placebos).collect()
}

fn judge() -> RuleBasedJudge {
    RuleBasedJudge::new(Lexicon::from_texts([TEXT]))
}

/// Puts changes into a text, and checks that steps lead from it to what came out.
fn dosed(recipe: &Recipe, text: &str) {
    for count in [1, 3] {
        let Ok(dosed) = recipe.dose(text, TEXT, count, Seed::new(7)) else {
            continue;
        };
        let mut now = text.to_string();
        for step in &dosed.steps {
            assert_eq!(now[step.span.clone()], step.before, "{}", recipe.name());
            now.replace_range(step.span.clone(), &step.after);
        }
        assert_eq!(now, dosed.text, "{}", recipe.name());
    }
}

#[test]
fn odd_characters_anywhere_are_no_reason_to_panic() {
    let judge = judge();
    for odd in ODD {
        for (at, _) in TEXT.char_indices() {
            let text = format!("{}{odd}{}", &TEXT[..at], &TEXT[at..]);
            for recipe in recipes() {
                dosed(&recipe, &text);
            }
            if at % 5 == 0 {
                for found in judge.find_errors(&text, "How long?", TEXT) {
                    assert!(text.get(found.span.clone()).is_some(), "{text:?}");
                }
            }
        }
    }
}

#[test]
fn texts_cut_anywhere_and_texts_of_one_kind_are_read() {
    let judge = judge();
    let odd = format!("{TEXT}…");
    let cut = odd.char_indices().map(|(at, _)| odd[..at].to_string());
    let others = [
        "",
        "…",
        "1 2 3.5 1,000",
        "```\nfor i in x:\n```",
        "这座桥有四条车道。",
        "?!",
        "a",
    ];
    for text in cut.chain(others.map(String::from)) {
        for recipe in recipes() {
            dosed(&recipe, &text);
        }
        judge.find_errors(&text, "", "");
    }
}

/// Long texts, of sentences that are alike and of one that is repeated, also in a build without
/// optimisation and beside other tests.
#[test]
fn a_text_of_100_kilobytes_is_read_in_seconds() {
    let sentence = |at: usize| {
        format!(
            "Bridge {at} was opened in {} and has four lanes. ",
            1000 + at
        )
    };
    let alike: String = (0..2000).map(sentence).collect();
    let same = "The bridge was opened in 1889 and has four lanes. It is long. ".repeat(1700);
    let judge = judge();
    for text in [alike, same] {
        let begun = Instant::now();
        for recipe in recipes() {
            dosed(&recipe, &text);
        }
        judge.find_errors(&text, "", TEXT);
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "{:?}",
            begun.elapsed()
        );
    }
}
