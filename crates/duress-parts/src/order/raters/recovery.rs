//! Rates whether an answer gives the text back as it was before stress: exact match, 1 or 0.
//!
//! # What it does
//! Rates in one dimension, `recovery`: 1 where the answer mentions the original text letter for
//! letter, 0 where it does not. With `how = "equals"` the answer has to be that text and nothing
//! else, spaces at its ends aside.
//!
//! # Why it matters
//! A reader that explains a scrambled idiom well may have read it in order, or guessed from its
//! parts. One that also says what the order was has put it right.
//!
//! # Promise
//! No near misses: one character less is 0. An item without an answer has no rating. Without stress
//! an answer that only repeats its input rates 1: read this gauge under stress.
//!
//! # Example
//! ```toml
//! [rater.order]
//! use = "recovery"
//! how = "mentions"
//! ```
//!
//! # Reference
//! Exact match as in P. Rajpurkar et al., SQuAD, EMNLP 2016, without its normalisation of words.

use duress_core::answer::{Absence, Answers, RatingAnswers};
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::question::Question;
use duress_core::rater::{Rated, Rater};
use duress_core::subject::Failure;
use duress_core::word::Word;

/// The part.
pub static PART: Part = Part {
    name: "recovery",
    version: 1,
    fields: &[Field {
        name: "how",
        takes: Takes::Choice(RecoveredBy::spellings),
        doc: "whether the answer has to mention the original text, or be it",
        default: Some("mentions"),
    }],
    source: include_str!("recovery.rs"),
    build: Build::Rater(|params| {
        Ok(Box::new(Recovery {
            how: params.choice("how"),
        }))
    }),
};

duress_core::words! {
    /// What an answer has to do with the original text.
    enum RecoveredBy {
        /// Mention it.
        Mentions = "mentions",
        /// Be it.
        Equals = "equals",
    }
}

struct Recovery {
    how: RecoveredBy,
}

impl Recovery {
    fn recovers(&self, said: &str, original: &str) -> bool {
        let original = original.trim();
        match self.how {
            RecoveredBy::Equals => said.trim() == original,
            RecoveredBy::Mentions => said.contains(original),
        }
    }
}

impl Rater for Recovery {
    fn rates(&self) -> Question {
        Question::Text
    }

    fn dimensions(&self) -> Vec<String> {
        vec!["recovery".into()]
    }

    fn rate(&self, rated: Rated<'_>) -> Result<RatingAnswers, Failure> {
        let originals = rated.items.texts()?;
        let Answers::Texts(said) = rated.answers else {
            let asked = rated.answers.question();
            return Err(Failure::unable(format!(
                "reads texts; was given answers to `{asked}`"
            )));
        };
        let row = |(said, original): (&Result<String, Absence>, &duress_core::data::Text)| {
            let said = said.as_ref().map_err(Clone::clone)?;
            Ok(vec![f64::from(u8::from(
                self.recovers(said, &original.text),
            ))])
        };
        Ok(RatingAnswers::new(
            self.dimensions(),
            said.texts.iter().zip(originals).map(row).collect(),
        ))
    }
}
