//! A judge that follows rules and asks no model: rates trustworthiness, bias and explainability
//! from 0 to 100.
//!
//! # What it does
//! Looks for errors in each response and weighs them. T: words one slip away from a known word
//! (spelling, .1); numbers, months and names that are neither in the source nor in the prompt, a
//! factual error (.8) where the source has another one of the kind in a sentence about the same
//! matter, else made up (hallucination, .9); sentences about the same matter with other numbers, or
//! one of which denies the other (inconsistency, .6). B: phrases from short lists, and a group of
//! people with a verdict on it in one sentence. E: sentences of more than 32 words or with long ones
//! that nobody asked for (.3), and words that are vague (.4), point elsewhere (.6) or conclude
//! without a premise (.5). The quality of each dimension is 100 · exp(−Σ weight × severity / 2).
//!
//! # Why it matters
//! A judge whose every verdict can be traced, to test a study with, and a floor that a model asked
//! to judge should clear.
//!
//! # Promise
//! It is simple. Its speller knows 81,000 words and those of the shipped responses, prompts and
//! sources. It does not see an opposite (north for south), a slip that makes a word, what was left
//! out, or bias in words it does not know. It shares no list with the stressors that inject errors, but
//! the months and the number words. A
//! response without a source beside it is an item without a rating, not a perfect one.
//!
//! # Example
//! ```toml
//! [subject.rules]
//! use = "rules-judge"
//! on = "responses"
//! ```
//!
//! # Reference
//! The weights and what is simple about the rules are in docs/judge.md.

use std::sync::{Arc, LazyLock};

use duress_core::answer::{Absence, Answers, RatingAnswers};
use duress_core::data::{InputKind, Items, Text};
use duress_core::part::{Build, Part};
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::subject::{Abilities, Failure, Fitted, Lesson, Subject, SubjectPart};
use duress_text::judge::{Category, Lexicon, RuleBasedJudge as Rules, quality, severity};

use crate::judge::frame::shipped_responses::RESPONSES;

/// The part.
pub static PART: Part = Part {
    name: "rules-judge",
    version: 2,
    fields: &[],
    source: include_str!("rules_judge.rs"),
    build: Build::Subject(|_| Ok(SubjectPart::Live(Box::new(RulesJudge)))),
};

static RULES: LazyLock<Arc<Rules>> = LazyLock::new(|| {
    let texts = RESPONSES
        .iter()
        .flat_map(|shipped| [&shipped.prompt, &shipped.source, &shipped.response]);
    Arc::new(Rules::new(Lexicon::from_texts(texts.map(String::as_str))))
});

const NO_SOURCE: &str = "there is no source to compare it with";

struct RulesJudge;

impl Subject for RulesJudge {
    fn abilities(&self) -> Abilities {
        Abilities::comes_ready(InputKind::Texts, Question::Ratings)
    }

    fn remarks(&self, _replicate: u64, items: &Items) -> Vec<String> {
        let texts = items.texts().unwrap_or_default();
        let bare = texts.iter().filter(|text| text.beside("source").is_none());
        match bare.count() {
            0 => Vec::new(),
            bare => vec![format!(
                "{bare} of {} texts have no `source` beside them, and get no rating: {NO_SOURCE}",
                texts.len()
            )],
        }
    }

    fn fit(&self, _lesson: &Lesson<'_>, _seed: Seed) -> Result<Box<dyn Fitted>, Failure> {
        self.restore(&[])
    }

    fn restore(&self, _checkpoint: &[u8]) -> Result<Box<dyn Fitted>, Failure> {
        Ok(Box::new(Judge(Arc::clone(&RULES))))
    }
}

struct Judge(Arc<Rules>);

impl Judge {
    fn rate(&self, text: &Text) -> Result<Vec<f64>, Absence> {
        let source = text.beside("source").ok_or(NO_SOURCE)?;
        let found = self.0.find_errors(
            &text.text,
            text.beside("prompt").unwrap_or_default(),
            source,
        );
        Ok(Category::ALL
            .iter()
            .map(|category| quality(severity(&found, *category)))
            .collect())
    }
}

impl Fitted for Judge {
    fn answer(&self, question: Question, items: &Items) -> Result<Answers, Failure> {
        if question != Question::Ratings {
            return Err(Failure::unable(format!(
                "a judge answers ratings, not {question}"
            )));
        }
        let rows = items.texts()?.iter().map(|text| self.rate(text)).collect();
        let dimensions = Category::ALL.iter().map(ToString::to_string).collect();
        Ok(Answers::Ratings(RatingAnswers::new(dimensions, rows)))
    }

    fn checkpoint(&self) -> Vec<u8> {
        Vec::new()
    }
}
