//! Answers that come item by item: each is kept as it comes, and none is asked for twice.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use duress_core::answer::{Absence, AbsenceKind, Answers, ItemAnswer};
use duress_core::cost::Cost;
use duress_core::data::Items;
use duress_core::question::Question;
use duress_core::subject::{Failure, FailureKind, Intake, ItemByItem};

use crate::ledger::Partial;

/// Asks about the items that have no answer yet, and puts all answers together, with what they
/// cost.
pub(super) fn item_by_item(
    subject: &dyn ItemByItem,
    question: Question,
    items: &Items,
    partial: &Partial,
    stop: &AtomicBool,
) -> Result<(Answers, Cost), Failure> {
    let known: Vec<Option<&ItemAnswer>> = items
        .ids()
        .iter()
        .map(|id| partial.known(id).filter(|answer| is_final(answer)))
        .collect();
    let missing: Vec<usize> = (0..items.len()).filter(|i| known[*i].is_none()).collect();
    let asked = items.select(&missing);
    let intake = KeepingIntake {
        partial,
        asked: &asked,
        come: Mutex::new((HashMap::new(), Cost::default())),
        stop,
    };
    if !missing.is_empty() {
        subject.answer_items(question, &asked, &intake)?;
    }
    let (mut come, cost) = intake.into_inner();
    let mut new: HashMap<usize, ItemAnswer> = HashMap::new();
    for (position, item) in missing.iter().enumerate() {
        let none = || ItemAnswer::Absent(Absence::from("it gave no answer"));
        new.insert(*item, come.remove(&position).unwrap_or_else(none));
    }
    let all = (0..items.len())
        .filter_map(|i| new.remove(&i).or_else(|| known[i].cloned()))
        .collect();
    let answers = subject.form(question).answers(all);
    Ok((answers, partial.cost() + cost))
}

/// Whether asking again could not give another answer: what failed is asked again.
fn is_final(answer: &ItemAnswer) -> bool {
    !matches!(answer, ItemAnswer::Absent(absence) if absence.kind == AbsenceKind::Failed)
}

/// Keeps what comes, on disk and in memory.
struct KeepingIntake<'a> {
    partial: &'a Partial,
    asked: &'a Items,
    come: Mutex<(HashMap<usize, ItemAnswer>, Cost)>,
    stop: &'a AtomicBool,
}

impl KeepingIntake<'_> {
    fn into_inner(self) -> (HashMap<usize, ItemAnswer>, Cost) {
        self.come
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Intake for KeepingIntake<'_> {
    fn keep(&self, item: usize, answer: ItemAnswer, cost: Cost) -> Result<(), Failure> {
        if item >= self.asked.len() {
            let wrong = format!("it answered about item {item} of {}", self.asked.len());
            return Err(Failure::new(FailureKind::Nonsense, wrong));
        }
        self.partial
            .append(self.asked.ids().get(item), &answer, cost)
            .map_err(|error| Failure::unable(format!("answers cannot be kept: {error}")))?;
        let mut come = self.come.lock().unwrap_or_else(PoisonError::into_inner);
        come.0.insert(item, answer);
        come.1 = come.1 + cost;
        Ok(())
    }

    fn stopping(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
