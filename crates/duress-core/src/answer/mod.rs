//! Answers: what a subject said, item by item, or why it did not. One file for each kind.

mod absence;
mod classes;
mod curves;
mod graph;
mod item;
mod maps;
mod ratings;
mod texts;

use std::collections::BTreeSet;

pub use absence::{Absence, AbsenceKind};
pub use classes::{ClassAnswers, SUM_TOLERANCE, Said, softmax};
pub use curves::CurveAnswers;
pub use graph::GraphAnswer;
pub use item::{ItemAnswer, ItemForm};
pub use maps::{AttributionMap, MapAnswers};
pub use ratings::RatingAnswers;
pub use texts::TextAnswers;

use crate::question::Question;

/// The answers of one cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Answers {
    /// A class for each item.
    Classes(ClassAnswers),
    /// One graph for the whole dataset.
    Graph(GraphAnswer),
    /// A text for each item.
    Texts(TextAnswers),
    /// A rating of each item, in each of some dimensions.
    Ratings(RatingAnswers),
    /// A map over the pixels of each item.
    Maps(MapAnswers),
    /// Some numbers about each item, by name and in order.
    Curves(CurveAnswers),
}

impl Answers {
    /// The question they answer.
    pub fn question(&self) -> Question {
        match self {
            Answers::Classes(_) => Question::Classes,
            Answers::Graph(_) => Question::Graph,
            Answers::Texts(_) => Question::Text,
            Answers::Ratings(_) => Question::Ratings,
            Answers::Maps(said) => Question::Explanation(said.asked),
            Answers::Curves(said) => Question::Explanation(said.asked),
        }
    }

    /// Answers about the items at `some` positions as answers about all `items`; the others have
    /// none, and `why`.
    #[must_use]
    pub fn spread(self, some: &[usize], items: usize, why: &Absence) -> Answers {
        match self {
            Answers::Classes(said) => Answers::Classes(said.spread(some, items, why)),
            Answers::Texts(said) => Answers::Texts(TextAnswers {
                texts: spread(said.texts, some, items, why),
            }),
            Answers::Ratings(said) => Answers::Ratings(RatingAnswers::new(
                said.dimensions,
                spread(said.rows, some, items, why),
            )),
            Answers::Maps(said) => {
                let maps = spread(said.maps.clone(), some, items, why);
                Answers::Maps(said.with_maps(maps))
            }
            Answers::Curves(said) => {
                let rows = spread(said.rows.clone(), some, items, why);
                Answers::Curves(said.with_rows(rows))
            }
            whole @ Answers::Graph(_) => whole,
        }
    }

    /// The same answers about some items only; the others have none, for this reason.
    #[must_use]
    pub fn only(self, some: &[usize], why: &Absence) -> Answers {
        let some: BTreeSet<usize> = some.iter().copied().collect();
        match self {
            Answers::Classes(said) => {
                let others = (0..said.len()).filter(|item| !some.contains(item));
                Answers::Classes(others.fold(said, |said, item| said.without(item, why.clone())))
            }
            Answers::Texts(said) => Answers::Texts(TextAnswers {
                texts: only(said.texts, &some, why),
            }),
            Answers::Ratings(said) => Answers::Ratings(RatingAnswers::new(
                said.dimensions,
                only(said.rows, &some, why),
            )),
            Answers::Maps(said) => {
                let maps = only(said.maps.clone(), &some, why);
                Answers::Maps(said.with_maps(maps))
            }
            Answers::Curves(said) => {
                let rows = only(said.rows.clone(), &some, why);
                Answers::Curves(said.with_rows(rows))
            }
            whole @ Answers::Graph(_) => whole,
        }
    }

    /// Of what kind the absence of an answer about an item is, where there is none.
    pub fn absence(&self, item: usize) -> Option<AbsenceKind> {
        let absence = match self {
            Answers::Classes(said) => said.absent().get(&item),
            Answers::Texts(said) => said.texts.get(item)?.as_ref().err(),
            Answers::Ratings(said) => said.rows.get(item)?.as_ref().err(),
            Answers::Maps(said) => said.maps.get(item)?.as_ref().err(),
            Answers::Curves(said) => said.rows.get(item)?.as_ref().err(),
            Answers::Graph(_) => None,
        };
        absence.map(|absence| absence.kind)
    }

    /// Whether an answer is absent because something failed, so that asking again may bring it.
    pub fn any_failed(&self) -> bool {
        let failed = |item: &usize| self.absence(*item) == Some(AbsenceKind::Failed);
        self.absent().iter().any(failed)
    }

    /// The items without an answer.
    pub fn absent(&self) -> BTreeSet<usize> {
        match self {
            Answers::Classes(said) => said.absent().keys().copied().collect(),
            Answers::Texts(said) => without_answer(&said.texts),
            Answers::Ratings(said) => without_answer(&said.rows),
            Answers::Maps(said) => without_answer(&said.maps),
            Answers::Curves(said) => without_answer(&said.rows),
            Answers::Graph(_) => BTreeSet::new(),
        }
    }

    /// Whether these are answers about `items` items; else what is wrong with them.
    pub fn validate(&self, items: usize) -> Result<(), String> {
        match self {
            Answers::Classes(classes) => classes.validate(items),
            Answers::Graph(graph) => graph.validate(),
            Answers::Ratings(ratings) => ratings.validate(items),
            Answers::Texts(texts) => texts.validate(items),
            Answers::Maps(maps) => maps.validate(items),
            Answers::Curves(curves) => curves.validate(items),
        }
    }
}

/// The positions of items that have none.
fn without_answer<T>(said: &[Result<T, Absence>]) -> BTreeSet<usize> {
    let numbered = said.iter().enumerate();
    numbered
        .filter(|(_, one)| one.is_err())
        .map(|(item, _)| item)
        .collect()
}

fn only<T>(
    said: Vec<Result<T, Absence>>,
    some: &BTreeSet<usize>,
    why: &Absence,
) -> Vec<Result<T, Absence>> {
    let kept = |(item, one): (usize, Result<T, Absence>)| match some.contains(&item) {
        true => one,
        false => Err(why.clone()),
    };
    said.into_iter().enumerate().map(kept).collect()
}

fn spread<T>(
    said: Vec<Result<T, Absence>>,
    some: &[usize],
    items: usize,
    why: &Absence,
) -> Vec<Result<T, Absence>> {
    let mut all: Vec<Result<T, Absence>> = (0..items).map(|_| Err(why.clone())).collect();
    some.iter().zip(said).for_each(|(&i, one)| all[i] = one);
    all
}
