//! Rates an explanation by the words it shares with reference explanations.
//!
//! # What it does
//! Rates in three dimensions from 0 to 1. `lexical-cosine`: the cosine between counts of tokens.
//! `f2`: F2 of the content tokens, which counts recall four times as much as precision, halved when
//! a shared token is negated in one text and not in the other. `s-acc`: 0.5 · cross-encoder + 0.3 ·
//! mean(token match, embedding cosine, lexical cosine) + 0.2 · F2, of which only the last two need no
//! model: the others are left out and the rest divided by the weight that is left, so here it is
//! 0.6 · lexical-cosine + 0.4 · f2. With several references it is the mean over them, or with `over
//! = "max"` the best.
//!
//! Chinese, Japanese and Korean are cut into characters and pairs of neighbours, without a
//! dictionary; other scripts into words.
//!
//! # Why it matters
//! It is reproducible, needs no model, and is blind to paraphrase: use it to see damage, not to
//! rank good explanations.
//!
//! # Promise
//! A reference rates itself 1 in every dimension; an empty text rates 0. A component that is
//! missing is named, never counted as 0. An item without an answer has no rating.
//!
//! # Example
//! ```toml
//! [rater.words]
//! use = "lexical"
//! over = "mean"
//! ```
//!
//! # Reference
//! C. J. van Rijsbergen, Information Retrieval, 1979, chapter 7, for Fβ.

use duress_core::answer::{Absence, Answers, RatingAnswers};
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::question::Question;
use duress_core::rater::{Rated, Rater};
use duress_core::subject::Failure;
use duress_core::word::Word;
use duress_text::lexical::{cosine, f2, s_acc};

/// The part.
pub static PART: Part = Part {
    name: "lexical",
    version: 1,
    fields: &[Field {
        name: "over",
        takes: Takes::Choice(OverReferences::spellings),
        doc: "what becomes of several references: the mean over them, or the best",
        default: Some("mean"),
    }],
    source: include_str!("lexical.rs"),
    build: Build::Rater(|params| {
        Ok(Box::new(Lexical {
            over: params.choice("over"),
        }))
    }),
};

duress_core::words! {
    /// What becomes of several references.
    enum OverReferences {
        /// The mean over them.
        Mean = "mean",
        /// The best.
        Max = "max",
    }
}

struct Lexical {
    over: OverReferences,
}

impl Lexical {
    fn rate_one(&self, said: &str, references: &[String]) -> Result<Vec<f64>, Absence> {
        let over = |measure: fn(&str, &str) -> f64| {
            let all = references.iter().map(|reference| measure(said, reference));
            match self.over {
                OverReferences::Max => all.fold(0.0, f64::max),
                OverReferences::Mean => all.sum::<f64>() / references.len() as f64,
            }
        };
        if references.is_empty() {
            return Err("there is no reference to compare it with".into());
        }
        let cosine = over(cosine);
        let f2 = over(f2);
        let combined = s_acc([None, None, None, Some(cosine), Some(f2)]);
        Ok(vec![
            cosine,
            f2,
            combined.unwrap_or_else(|| unreachable!("two components are there")),
        ])
    }
}

impl Rater for Lexical {
    fn rates(&self) -> Question {
        Question::Text
    }

    fn dimensions(&self) -> Vec<String> {
        ["lexical-cosine", "f2", "s-acc"].map(String::from).into()
    }

    fn rate(&self, rated: Rated<'_>) -> Result<RatingAnswers, Failure> {
        let (Some(references), Answers::Texts(said)) = (rated.references, rated.answers) else {
            return Err(Failure::unable(format!(
                "compares texts with reference texts; was given answers to `{}`{}",
                rated.answers.question(),
                if rated.references.is_none() {
                    " and no references"
                } else {
                    ""
                }
            )));
        };
        let row = |(said, references): (&Result<String, Absence>, &Vec<String>)| match said {
            Ok(said) => self.rate_one(said, references),
            Err(why) => Err(why.clone()),
        };
        Ok(RatingAnswers::new(
            self.dimensions(),
            said.texts.iter().zip(references).map(row).collect(),
        ))
    }
}
