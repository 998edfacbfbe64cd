//! Explains an idiom by looking it up in a dictionary, by the pairs of neighbouring characters it
//! shares with the entries.
//!
//! # What it does
//! Takes the entry whose pairs of neighbours, weighted by how rare they are, have the largest
//! cosine with those of the text, and answers with its explanation. A text that shares no pair with
//! any entry gets an empty explanation: nothing is made up.
//!
//! # Why it matters
//! A reader that is real, weak and understood: its dictionary has every shipped idiom, so it is
//! right by construction as long as the order is right, and everything it loses it loses to the
//! order. A language model that does no better than this reads by pairs of characters.
//!
//! # Promise
//! The same text gets the same answer; nothing is learnt. With the shipped idioms its score without
//! stress is 1 and says nothing about understanding. An empty explanation is an answer, and scores
//! 0: the reader did not know.
//!
//! # Example
//! ```toml
//! [subject.lookup]
//! use = "lookup"
//! on = "idioms"
//! ```
//!
//! # Reference
//! G. Salton and C. Buckley, Term-weighting approaches in automatic text retrieval, Information
//! Processing & Management 24 (1988) 513.

use std::sync::{Arc, LazyLock};

use duress_core::answer::{Answers, TextAnswers};
use duress_core::data::{InputKind, Items};
use duress_core::part::{Build, Part};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::subject::{Abilities, Failure, Fitted, Lesson, Subject, SubjectPart};
use duress_text::retrieval::Index;

use crate::order::frame::idiom_dictionary::IDIOMS;

/// The part.
pub static PART: Part = Part {
    name: "lookup",
    version: 1,
    fields: &[],
    source: include_str!("lookup.rs"),
    build: Build::Subject(|_| Ok(SubjectPart::Live(Box::new(Lookup)))),
};

static INDEX: LazyLock<Arc<Index>> =
    LazyLock::new(|| Arc::new(Index::new(IDIOMS.iter().map(|idiom| idiom.word))));

struct Lookup;

impl Subject for Lookup {
    fn abilities(&self) -> Abilities {
        Abilities::comes_ready(InputKind::Texts, Question::Text)
    }

    fn suits(
        &self,
        _replicate: u64,
        items: &Items,
        _classes: Option<&[String]>,
    ) -> Result<(), Problem> {
        match unknown(items).len() {
            some if some == items.len() && some > 0 => Err(Problem::new(format!(
                "none of the {some} texts has a pair of characters that the dictionary knows, which has Chinese idioms"
            ))
            .expected("texts that it can read, or another reader: `command`, `recorded`")),
            _ => Ok(()),
        }
    }

    fn remarks(&self, _replicate: u64, items: &Items) -> Vec<String> {
        let unknown = unknown(items);
        match unknown.len() {
            0 => Vec::new(),
            some => vec![format!(
                "{some} of {} texts have no pair of characters that its dictionary knows, and it says nothing about them: {}.",
                items.len(),
                unknown[..some.min(NAMED)].join(", ")
            )],
        }
    }

    fn fit(&self, _lesson: &Lesson<'_>, _seed: Seed) -> Result<Box<dyn Fitted>, Failure> {
        self.restore(&[])
    }

    fn restore(&self, _checkpoint: &[u8]) -> Result<Box<dyn Fitted>, Failure> {
        Ok(Box::new(LookupReader {
            index: Arc::clone(&INDEX),
        }))
    }
}

/// How many ids a remark names.
const NAMED: usize = 5;

/// The ids of the texts, before anything presses them, in which nothing can be looked up.
fn unknown(items: &Items) -> Vec<&str> {
    let texts = items.texts().unwrap_or_default();
    let unknown = items.ids().iter().zip(texts);
    unknown
        .filter(|(_, text)| INDEX.nearest(&text.text).is_none())
        .map(|(id, _)| id)
        .collect()
}

struct LookupReader {
    index: Arc<Index>,
}

impl Fitted for LookupReader {
    fn answer(&self, question: Question, items: &Items) -> Result<Answers, Failure> {
        if question != Question::Text {
            return Err(Failure::unable(format!(
                "a dictionary answers text, not {question}"
            )));
        }
        let explain = |text: &str| {
            self.index
                .nearest(text)
                .map_or("", |entry| IDIOMS[entry].explanation)
        };
        let texts = items
            .texts()?
            .iter()
            .map(|text| Ok(explain(&text.text).into()))
            .collect();
        Ok(Answers::Texts(TextAnswers { texts }))
    }

    fn checkpoint(&self) -> Vec<u8> {
        Vec::new()
    }
}
