//! Explains an idiom by looking it up in a dictionary, by the pairs of neighbouring characters it
//! shares with the entries.
//!
//! # What it does
//! Takes the entry whose pairs of neighbours, weighted by how rare they are, have the largest
//! cosine with those of the text, and answers with its explanation. A text that shares no pair with
//! any entry gets an empty explanation: nothing is made up. The shipped dictionary is Chinese; with
//! `dictionary`, a file of idioms as the dataset `idioms` reads it is looked up instead. With `says =
//! "idiom"` it answers with the entry itself, which `recovery` compares with the original.
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

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use duress_core::answer::{Answers, TextAnswers};
use duress_core::data::{InputKind, Items};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::subject::{Abilities, Failure, Fitted, Lesson, Subject, SubjectPart};
use duress_core::word::Word;
use duress_text::retrieval::Index;

use crate::order::frame::idiom_dictionary::IDIOMS;
use crate::order::frame::idiom_file::IdiomPaths;

/// The part.
pub static PART: Part = Part {
    name: "lookup",
    version: 1,
    fields: &[
        Field {
            name: "dictionary",
            takes: Takes::Text,
            doc: "a file of idioms with explanations to look up, relative to the study; when left out, the shipped one",
            default: Some(""),
        },
        Field {
            name: "says",
            takes: Takes::Choice(LookupSays::spellings),
            doc: "what it answers with; the explanation when left out",
            default: Some(""),
        },
    ],
    source: include_str!("lookup.rs"),
    build: Build::Subject(|params| Ok(SubjectPart::Live(Box::new(Lookup::new(params)?)))),
};

duress_core::words! {
    /// What is answered of an entry.
    enum LookupSays {
        /// What it means.
        Explanation = "explanation",
        /// The idiom itself.
        Idiom = "idiom",
    }
}

/// A dictionary that can be looked up.
struct Dictionary {
    index: Index,
    /// By entry: the idiom and what it means.
    entries: Vec<(String, String)>,
}

impl Dictionary {
    fn new(entries: Vec<(String, String)>) -> Dictionary {
        Dictionary {
            index: Index::new(entries.iter().map(|(word, _)| word.as_str())),
            entries,
        }
    }
}

static SHIPPED: LazyLock<Arc<Dictionary>> = LazyLock::new(|| {
    let entries = IDIOMS.iter();
    let entries = entries.map(|idiom| (idiom.word.into(), idiom.explanation.into()));
    Arc::new(Dictionary::new(entries.collect()))
});

struct Lookup {
    dictionary: Arc<Dictionary>,
    file: Option<PathBuf>,
    says: LookupSays,
}

impl Lookup {
    fn new(params: &Params) -> Result<Lookup, Problem> {
        let file = params.text_if("dictionary");
        let file = file.map(|file| params.folder().join(file));
        let says = params.choice_if("says").unwrap_or(LookupSays::Explanation);
        let dictionary = match &file {
            None => Arc::clone(&SHIPPED),
            Some(idioms) => {
                let paths = IdiomPaths {
                    idioms: idioms.clone(),
                    structures: None,
                    language: None,
                };
                let entries = paths.read()?.entries.into_iter();
                let entries = entries.map(|entry| (entry.idiom, entry.explanations.join("；")));
                Arc::new(Dictionary::new(entries.collect()))
            }
        };
        let explains = dictionary
            .entries
            .iter()
            .any(|(_, meaning)| !meaning.is_empty());
        match explains || says == LookupSays::Idiom {
            true => Ok(Lookup {
                dictionary,
                file,
                says,
            }),
            false => Err(Problem::new("the dictionary explains nothing")
                .expected("explanations, or `says = \"idiom\"`")),
        }
    }

    /// The ids of the texts, before anything presses them, in which nothing can be looked up.
    fn unknown<'a>(&self, items: &'a Items) -> Vec<&'a str> {
        let texts = items.texts().unwrap_or_default();
        let unknown = items.ids().iter().zip(texts);
        unknown
            .filter(|(_, text)| self.dictionary.index.nearest(&text.text).is_none())
            .map(|(id, _)| id)
            .collect()
    }
}

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
        match self.unknown(items).len() {
            some if some == items.len() && some > 0 => Err(Problem::new(format!(
                "none of the {some} texts has a pair of characters that the dictionary knows, which has Chinese idioms"
            ))
            .expected("texts that it can read, or another reader: `command`, `recorded`")),
            _ => Ok(()),
        }
    }

    fn remarks(&self, _replicate: u64, items: &Items) -> Vec<String> {
        let unknown = self.unknown(items);
        match unknown.len() {
            0 => Vec::new(),
            some => vec![format!(
                "{some} of {} texts have no pair of characters that its dictionary knows, and it says nothing about them: {}.",
                items.len(),
                unknown[..some.min(NAMED)].join(", ")
            )],
        }
    }

    fn sources(&self, _replicate: u64) -> Result<Vec<PathBuf>, Problem> {
        Ok(self.file.iter().cloned().collect())
    }

    fn fit(&self, _lesson: &Lesson<'_>, _seed: Seed) -> Result<Box<dyn Fitted>, Failure> {
        self.restore(&[])
    }

    fn restore(&self, _checkpoint: &[u8]) -> Result<Box<dyn Fitted>, Failure> {
        Ok(Box::new(LookupReader {
            dictionary: Arc::clone(&self.dictionary),
            says: self.says,
        }))
    }
}

/// How many ids a remark names.
const NAMED: usize = 5;

struct LookupReader {
    dictionary: Arc<Dictionary>,
    says: LookupSays,
}

impl Fitted for LookupReader {
    fn answer(&self, question: Question, items: &Items) -> Result<Answers, Failure> {
        if question != Question::Text {
            return Err(Failure::unable(format!(
                "a dictionary answers text, not {question}"
            )));
        }
        let explain = |text: &str| {
            let entry = self.dictionary.index.nearest(text);
            entry.map_or("", |entry| {
                let (idiom, meaning) = &self.dictionary.entries[entry];
                match self.says {
                    LookupSays::Explanation => meaning.as_str(),
                    LookupSays::Idiom => idiom.as_str(),
                }
            })
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
