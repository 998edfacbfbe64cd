//! Picks an option of a question without a model: by its position, or by the words it shares with
//! the question.
//!
//! # What it does
//! With `picks = "position"` it says the option at the position `at`, whatever stands there. With
//! `"likest"` it says the option whose words are most like those of the text, by lexical cosine; of
//! several the first, by what they say and not by where they stand.
//!
//! # Why it matters
//! A study of option order can prove itself: one subject sees nothing but positions, the other none.
//!
//! # Promise
//! Reproducible. `position` is right once in k cyclic orders of k options; `likest` never flips.
//!
//! # Example
//! ```toml
//! [subject.first]
//! use = "option-picker"
//! picks = "position"
//! at = 1
//! options = ["A", "B", "C", "D"]
//! ```
//!
//! # Reference
//! Planted for tests of the gauges of option order; `duress explain option-order` has what they are
//! about.

use duress_core::answer::{Answers, ClassAnswers, Said};
use duress_core::data::{InputKind, Items, Text};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::subject::{Abilities, Failure, Fitted, Lesson, Subject, SubjectPart};
use duress_core::word::Word;
use duress_text::lexical::cosine;

/// The part.
pub static PART: Part = Part {
    name: "option-picker",
    version: 1,
    fields: &[
        Field {
            name: "picks",
            takes: Takes::Choice(PicksBy::spellings),
            doc: "what it goes by",
            default: Some("likest"),
        },
        Field {
            name: "at",
            takes: Takes::Whole(1, 26),
            doc: "the position it says, counted from 1, where it goes by that",
            default: Some("1"),
        },
        Field {
            name: "options",
            takes: Takes::Texts,
            doc: "the columns with the options, which stand beside the text; they are the classes",
            default: Some("A B C D"),
        },
    ],
    source: include_str!("option_picker.rs"),
    build: Build::Subject(|params| Ok(SubjectPart::Live(Box::new(OptionPicker::new(params)?)))),
};

duress_core::words! {
    /// What an option is picked by.
    enum PicksBy {
        /// Where it stands.
        Position = "position",
        /// How like the text it is.
        Likest = "likest",
    }
}

#[derive(Clone)]
struct OptionPicker {
    picks: PicksBy,
    at: usize,
    options: Vec<String>,
}

impl OptionPicker {
    fn new(params: &Params) -> Result<OptionPicker, Problem> {
        let options = params.texts("options").to_vec();
        let at = params.count("at");
        if at > options.len() {
            let wrong = format!("position {at} of {} options", options.len());
            return Err(Problem::new(wrong).expected("a position that there is"));
        }
        Ok(OptionPicker {
            picks: params.choice("picks"),
            at: at - 1,
            options,
        })
    }

    fn pick(&self, text: &Text) -> u32 {
        let shown = |name: &String| text.beside(name).unwrap_or("").to_owned();
        let position = match self.picks {
            PicksBy::Position => self.at,
            PicksBy::Likest => {
                let options: Vec<String> = self.options.iter().map(shown).collect();
                likest(&text.text, &options)
            }
        };
        position as u32
    }
}

/// The position of the option that is most like a text; of equally like ones, the first by what it
/// says, so that the order of options changes nothing.
fn likest(text: &str, options: &[String]) -> usize {
    let better = |&a: &usize, &b: &usize| {
        let like = cosine(text, &options[a]).total_cmp(&cosine(text, &options[b]));
        like.then_with(|| options[b].cmp(&options[a]))
    };
    (0..options.len()).max_by(better).unwrap_or(0)
}

impl Subject for OptionPicker {
    fn abilities(&self) -> Abilities {
        Abilities::comes_ready(InputKind::Texts, Question::Classes)
    }

    fn fit(&self, _lesson: &Lesson<'_>, _seed: Seed) -> Result<Box<dyn Fitted>, Failure> {
        self.restore(&[])
    }

    fn restore(&self, _checkpoint: &[u8]) -> Result<Box<dyn Fitted>, Failure> {
        Ok(Box::new(self.clone()))
    }
}

impl Fitted for OptionPicker {
    fn answer(&self, question: Question, items: &Items) -> Result<Answers, Failure> {
        if question != Question::Classes {
            return Err(Failure::unable(format!(
                "it picks an option, and does not answer {question}"
            )));
        }
        let label = items.texts()?.iter().map(|text| self.pick(text)).collect();
        let said = Said::Labels {
            label,
            confidence: None,
        };
        Ok(Answers::Classes(ClassAnswers::new(
            self.options.clone(),
            said,
        )))
    }

    fn checkpoint(&self) -> Vec<u8> {
        Vec::new()
    }
}
