//! A judge with a known fault, planted so that a study can prove that it would notice.
//!
//! # What it does
//! `habit` says how it judges. *constant*: 70 for everything. *random*: a score from 0 to 100 drawn
//! from the text. *length-lover*: the longer, the better. *middle-picker*: near the middle of the
//! scale whatever it reads, and a tie for every pair. *first-picker*: of a pair always the first; a
//! single response gets 70. It rates T, B and E, and of pairs (`other` beside the text)
//! `prefers-first`: 1, 0, or .5 for a tie.
//!
//! # Why it matters
//! A study in which a constant judge passes shows nothing about any other.
//!
//! # Promise
//! Reproducible: the random one draws from its seed and what it reads, so that the same text gets
//! the same score.
//!
//! # Example
//! ```toml
//! [subject.coin]
//! use = "planted-judge"
//! habit = "random"
//! on = "responses"
//! ```
//!
//! # Reference
//! docs/judge.md says which gauge notices which habit.

use duress_core::answer::{Answers, RatingAnswers};
use duress_core::data::{InputKind, Items, Text};
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::subject::{Abilities, Failure, Fitted, Lesson, Subject, SubjectPart};
use duress_core::word::Word;
use duress_text::judge::Category;

use crate::judge::frame::both_orders::PREFERS_FIRST;

/// The part.
pub static PART: Part = Part {
    name: "planted-judge",
    version: 1,
    fields: &[Field {
        name: "habit",
        takes: Takes::Choice(Habit::spellings),
        doc: "how it judges",
        default: Some("constant"),
    }],
    source: include_str!("planted_judge.rs"),
    build: Build::Subject(|params| {
        Ok(SubjectPart::Live(Box::new(PlantedJudge {
            habit: params.choice("habit"),
        })))
    }),
};

duress_core::words! {
    /// How a planted judge judges.
    enum Habit {
        /// The same for everything.
        Constant = "constant",
        /// Anything.
        Random = "random",
        /// The longer the better.
        LengthLover = "length-lover",
        /// The first of a pair.
        FirstPicker = "first-picker",
        /// Near the middle.
        MiddlePicker = "middle-picker",
    }
}

/// The score of whoever does not look.
const INDIFFERENT: f64 = 70.0;

/// The length, in bytes, that is half of perfect to whoever loves length.
const HALFWAY: f64 = 600.0;

struct PlantedJudge {
    habit: Habit,
}

impl Subject for PlantedJudge {
    fn abilities(&self) -> Abilities {
        Abilities::comes_ready(InputKind::Texts, Question::Ratings)
    }

    fn fit(&self, _lesson: &Lesson<'_>, seed: Seed) -> Result<Box<dyn Fitted>, Failure> {
        let habit = self.habit;
        let salt = seed.child("planted judge").draws().bits64();
        Ok(Box::new(Planted { habit, salt }))
    }

    fn restore(&self, checkpoint: &[u8]) -> Result<Box<dyn Fitted>, Failure> {
        let habit = self.habit;
        let salt = checkpoint
            .try_into()
            .map(u64::from_le_bytes)
            .map_err(|_| Failure::unable("a planted judge keeps eight bytes"))?;
        Ok(Box::new(Planted { habit, salt }))
    }
}

struct Planted {
    habit: Habit,
    /// What its draws come from beside the text.
    salt: u64,
}

impl Planted {
    fn scores(&self, text: &Text) -> Vec<f64> {
        let mut draws = Seed::new(self.salt).child(&text.text).draws();
        let mut score = || match self.habit {
            Habit::Constant | Habit::FirstPicker => INDIFFERENT,
            Habit::Random => 100.0 * draws.uniform(),
            Habit::LengthLover => love(&text.text),
            Habit::MiddlePicker => 50.0 + 0.5 * draws.between(-1.0, 1.0),
        };
        let mut scores: Vec<f64> = Category::ALL.iter().map(|_| score()).collect();
        scores.extend(text.beside("other").map(|other| self.prefers(text, other)));
        scores
    }

    fn prefers(&self, text: &Text, other: &str) -> f64 {
        match self.habit {
            Habit::Constant | Habit::MiddlePicker => 0.5,
            Habit::FirstPicker => 1.0,
            Habit::LengthLover => f64::from(u8::from(text.text.len() > other.len())),
            Habit::Random => {
                let pair = format!("{} | {other}", text.text);
                f64::from(u8::from(
                    Seed::new(self.salt).child(pair).draws().chance(0.5),
                ))
            }
        }
    }
}

/// Rises with the length towards 100.
fn love(text: &str) -> f64 {
    let length = text.len() as f64;
    100.0 * length / (length + HALFWAY)
}

impl Fitted for Planted {
    fn answer(&self, question: Question, items: &Items) -> Result<Answers, Failure> {
        if question != Question::Ratings {
            return Err(Failure::unable(format!(
                "a judge answers ratings, not {question}"
            )));
        }
        let texts = items.texts()?;
        let pairs = texts.iter().any(|text| text.beside("other").is_some());
        let mut dimensions: Vec<String> = Category::ALL.iter().map(ToString::to_string).collect();
        dimensions.extend(pairs.then(|| PREFERS_FIRST.to_string()));
        let row = |text: &Text| {
            let scores = self.scores(text);
            match scores.len() == dimensions.len() {
                true => Ok(scores),
                false => Err("there is no second response to compare it with".into()),
            }
        };
        let rows = texts.iter().map(row).collect();
        Ok(Answers::Ratings(RatingAnswers::new(dimensions, rows)))
    }

    fn checkpoint(&self) -> Vec<u8> {
        self.salt.to_le_bytes().to_vec()
    }
}
