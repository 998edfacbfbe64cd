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
//! dictionary; with `tokens = "triples"` also into groups of three, which suits Japanese and Korean;
//! with `"words"` into the words of `word-list`, the longest that fits first, a list of Chinese words
//! as segmenters have it; with `"jieba"` into the words that the segmenter of that name finds, in a
//! build that has it (`--features jieba`). Other scripts are cut into words.
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

use std::path::PathBuf;

use duress_core::answer::{Absence, Answers, RatingAnswers};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::rater::{Rated, Rater};
use duress_core::subject::Failure;
use duress_core::word::Word;
use duress_text::dense_tokens::{DenseTokens, PAIRS, WordList};
use duress_text::lexical::{cosine_by, f2_by, s_acc};

/// The part.
pub static PART: Part = Part {
    name: "lexical",
    version: 1,
    fields: &[
        Field {
            name: "over",
            takes: Takes::Choice(OverReferences::spellings),
            doc: "what becomes of several references: the mean over them, or the best",
            default: Some("mean"),
        },
        Field {
            name: "tokens",
            takes: Takes::Choice(TokenChoice::spellings),
            doc: "how Chinese, Japanese and Korean are cut; pairs when left out",
            default: Some(""),
        },
        Field {
            name: "word-list",
            takes: Takes::Text,
            doc: "a file with a word at the beginning of each line, for `tokens = \"words\"`, relative to the study",
            default: Some(""),
        },
    ],
    source: include_str!("lexical.rs"),
    build: Build::Rater(|params| Ok(Box::new(Lexical::new(params)?))),
};

duress_core::words! {
    /// How scripts without spaces are cut.
    enum TokenChoice {
        /// Characters and pairs of neighbours.
        Pairs = "pairs",
        /// Up to three neighbours.
        Triples = "triples",
        /// The words of a list.
        Words = "words",
        /// The words that a segmenter finds.
        Jieba = "jieba",
    }
}

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
    tokens: DenseTokens,
    word_list: Option<PathBuf>,
}

impl Lexical {
    fn new(params: &Params) -> Result<Lexical, Problem> {
        let file = params.text_if("word-list");
        let word_list = file.map(|file| params.folder().join(file));
        let choice = params.choice_if("tokens").unwrap_or(TokenChoice::Pairs);
        let tokens = match (choice, &word_list) {
            (TokenChoice::Pairs, None) => PAIRS,
            (TokenChoice::Triples, None) => DenseTokens::Groups(3),
            (TokenChoice::Jieba, None) => segmented()?,
            (TokenChoice::Words, Some(file)) => {
                let text = std::fs::read_to_string(file).map_err(|why| {
                    Problem::new(format!("the word list cannot be read: {why}")).in_file(file)
                })?;
                let list = WordList::parse(&text);
                if list.is_empty() {
                    return Err(Problem::new("the word list has no word").in_file(file));
                }
                DenseTokens::Words(list)
            }
            (TokenChoice::Words, None) => {
                return Err(Problem::new("`tokens = \"words\"` without `word-list`")
                    .expected("a file of words"));
            }
            (_, Some(_)) => {
                return Err(Problem::new("`word-list` without `tokens = \"words\"`")
                    .expected("tokens that are words"));
            }
        };
        Ok(Lexical {
            over: params.choice("over"),
            tokens,
            word_list,
        })
    }

    fn rate_one(&self, said: &str, references: &[String]) -> Result<Vec<f64>, Absence> {
        let over = |measure: fn(&str, &str, &DenseTokens) -> f64| {
            let all = references
                .iter()
                .map(|reference| measure(said, reference, &self.tokens));
            match self.over {
                OverReferences::Max => all.fold(0.0, f64::max),
                OverReferences::Mean => all.sum::<f64>() / references.len() as f64,
            }
        };
        if references.is_empty() {
            return Err("there is no reference to compare it with".into());
        }
        let cosine = over(cosine_by);
        let f2 = over(f2_by);
        let combined = s_acc([None, None, None, Some(cosine), Some(f2)]);
        Ok(vec![
            cosine,
            f2,
            combined.unwrap_or_else(|| unreachable!("two components are there")),
        ])
    }
}

#[cfg(feature = "jieba")]
fn segmented() -> Result<DenseTokens, Problem> {
    Ok(DenseTokens::Segmented)
}

#[cfg(not(feature = "jieba"))]
fn segmented() -> Result<DenseTokens, Problem> {
    Err(
        Problem::new("`tokens = \"jieba\"`, and this build has no segmenter").expected(
            "a build with `--features jieba`, or `tokens = \"words\"` with a `word-list`",
        ),
    )
}

impl Rater for Lexical {
    fn rates(&self) -> Question {
        Question::Text
    }

    fn sources(&self) -> Result<Vec<PathBuf>, Problem> {
        Ok(self.word_list.iter().cloned().collect())
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
