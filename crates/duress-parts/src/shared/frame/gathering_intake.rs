//! Answers that come one by one, gathered where nobody keeps them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use duress_core::answer::{Absence, Answers, ItemAnswer};
use duress_core::cost::Cost;
use duress_core::data::Items;
use duress_core::question::Question;
use duress_core::subject::{Failure, Intake, ItemByItem};

/// Takes answers in where nobody keeps them one by one.
#[derive(Default)]
struct GatheringIntake {
    come: Mutex<BTreeMap<usize, ItemAnswer>>,
}

/// All answers of a subject that gives them one by one.
pub(crate) fn gathered(
    subject: &dyn ItemByItem,
    question: Question,
    items: &Items,
) -> Result<Answers, Failure> {
    let intake = GatheringIntake::default();
    subject.answer_items(question, items, &intake)?;
    let come = intake.come.into_inner();
    let mut come = come.unwrap_or_else(PoisonError::into_inner);
    let none = || ItemAnswer::Absent(Absence::from("it gave no answer"));
    let all = (0..items.len()).map(|item| come.remove(&item).unwrap_or_else(none));
    Ok(subject.form(question).answers(all.collect()))
}

impl Intake for GatheringIntake {
    fn keep(&self, item: usize, answer: ItemAnswer, _cost: Cost) -> Result<(), Failure> {
        let mut come = self.come.lock().unwrap_or_else(PoisonError::into_inner);
        come.insert(item, answer);
        Ok(())
    }

    fn stopping(&self) -> bool {
        false
    }
}
