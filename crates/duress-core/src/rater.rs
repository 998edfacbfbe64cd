//! Raters: subjects whose items are another cell's answers. Planned and kept like any other, never
//! called inside a gauge.

use crate::answer::{Answers, RatingAnswers};
use crate::data::Items;
use crate::question::Question;
use crate::subject::Failure;
use crate::truth::{Sealed, Truth};

/// Rates what a subject said, item by item.
pub trait Rater: Send + Sync {
    /// The answers it can rate.
    fn rates(&self) -> Question;

    /// Whether the same answers are always rated the same.
    fn reproducible(&self) -> bool {
        true
    }

    /// The dimensions it rates in, in order.
    fn dimensions(&self) -> Vec<String>;

    /// The ratings of these answers.
    fn rate(&self, rated: Rated<'_>) -> Result<RatingAnswers, Failure>;
}

/// What a rater is handed.
#[derive(Clone, Copy)]
pub struct Rated<'a> {
    /// The items as they were before stress.
    pub items: &'a Items,
    /// The references, one list per item, where the dataset has them.
    pub references: Option<&'a [Vec<String>]>,
    /// What the subject said.
    pub answers: &'a Answers,
}

/// Rates answers; opens the references for it.
pub fn rate(
    rater: &dyn Rater,
    items: &Items,
    truth: &Sealed<Truth>,
    answers: &Answers,
) -> Result<Answers, Failure> {
    let references = match truth.open() {
        Truth::References(references) => Some(references.as_slice()),
        _ => None,
    };
    rater
        .rate(Rated {
            items,
            references,
            answers,
        })
        .map(Answers::Ratings)
}
