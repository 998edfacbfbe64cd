//! Answers that come item by item: each is kept as it comes, and none is asked for twice.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use duress_core::answer::{Absence, AbsenceKind, Answers, ItemAnswer};
use duress_core::batch::Batch;
use duress_core::cost::Cost;
use duress_core::data::Items;
use duress_core::question::Question;
use duress_core::subject::{Failure, FailureKind, Intake, ItemByItem};

use super::batch::{BatchFolder, CellBatch};
use crate::ledger::Partial;

/// What answers are taken in under.
pub(super) struct IntakeTerms<'a> {
    /// Raised when the run is being stopped.
    pub(super) stop: &'a AtomicBool,
    /// The folder in which replies are kept by content.
    pub(super) cache: Option<&'a Path>,
    /// The folder through which others are asked in files.
    pub(super) batch: Option<&'a BatchFolder>,
}

/// Why there are no answers.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// Something failed: that is data.
    Failed(Failure),
    /// The run was stopped before all were there; those that were are kept, item by item.
    Stopped,
}

impl From<Failure> for Unanswered {
    fn from(failure: Failure) -> Unanswered {
        Unanswered::Failed(failure)
    }
}

/// Asks about the items that have no answer yet, and puts all answers together, with what they
/// cost.
pub(super) fn item_by_item(
    subject: &dyn ItemByItem,
    question: Question,
    items: &Items,
    partial: &Partial,
    terms: &IntakeTerms<'_>,
) -> Result<(Answers, Cost), Unanswered> {
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
        terms,
        batch: terms.batch.map(|folder| CellBatch {
            folder,
            partial,
            asked: &asked,
        }),
    };
    if !missing.is_empty() {
        subject.answer_items(question, &asked, &intake)?;
    }
    let stopped = intake.stopping();
    let (mut come, cost) = intake.into_inner();
    if stopped && come.len() < missing.len() {
        return Err(Unanswered::Stopped);
    }
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
    terms: &'a IntakeTerms<'a>,
    batch: Option<CellBatch<'a>>,
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
        self.keep_together(vec![(item, answer)], cost)
    }

    fn keep_together(
        &self,
        answers: Vec<(usize, ItemAnswer)>,
        cost_each: Cost,
    ) -> Result<(), Failure> {
        let items = self.asked.len();
        if let Some((item, _)) = answers.iter().find(|(item, _)| *item >= items) {
            let wrong = format!("it answered about item {item} of {items}");
            return Err(Failure::new(FailureKind::Nonsense, wrong));
        }
        let named = answers
            .iter()
            .map(|(item, answer)| (self.asked.ids().get(*item), answer));
        self.partial
            .append_all(named, cost_each)
            .map_err(|error| Failure::unable(format!("answers cannot be kept: {error}")))?;
        let mut come = self.come.lock().unwrap_or_else(PoisonError::into_inner);
        for (item, answer) in answers {
            come.0.insert(item, answer);
            come.1 = come.1 + cost_each;
        }
        Ok(())
    }

    fn keep_repeat(
        &self,
        item: usize,
        repeat: u32,
        answer: &ItemAnswer,
        cost: Cost,
    ) -> Result<(), Failure> {
        self.partial
            .append_repeat(self.asked.ids().get(item), repeat, answer, cost)
            .map_err(|error| Failure::unable(format!("answers cannot be kept: {error}")))?;
        let mut come = self.come.lock().unwrap_or_else(PoisonError::into_inner);
        come.1 = come.1 + cost;
        Ok(())
    }

    fn known_repeat(&self, item: usize, repeat: u32) -> Option<ItemAnswer> {
        let known = self
            .partial
            .known_repeat(self.asked.ids().get(item), repeat);
        known.filter(|answer| is_final(answer)).cloned()
    }

    fn stopping(&self) -> bool {
        self.terms.stop.load(Ordering::Relaxed)
    }

    fn cache(&self) -> Option<&Path> {
        self.terms.cache
    }

    fn batch(&self) -> Option<&dyn Batch> {
        self.batch.as_ref().map(|batch| batch as &dyn Batch)
    }
}
