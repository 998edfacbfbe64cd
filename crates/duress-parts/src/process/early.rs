//! Answers that a process tells one by one before its reply: each is kept as it comes, and none may
//! be told in two ways.

use std::collections::{BTreeMap, BTreeSet};

use duress_core::answer::{Absence, AbsenceKind, ItemAnswer};
use duress_core::cost::Cost;
use duress_core::subject::{Failure, FailureKind, Intake};

/// How far two numbers may be apart that are the same: a frame of single precision says about as much.
const SAME: f64 = 1e-6;

/// What was told of a batch so far.
pub struct EarlyAnswers<'a> {
    intake: &'a dyn Intake,
    /// The position of the batch's first item among all.
    first: usize,
    /// Positions in the batch that are kept, whichever process told them.
    kept: BTreeSet<usize>,
    /// What the process that is asked now has told.
    told: BTreeMap<usize, ItemAnswer>,
}

impl<'a> EarlyAnswers<'a> {
    /// Nothing yet of a batch that begins at a position.
    pub fn new(intake: &'a dyn Intake, first: usize) -> EarlyAnswers<'a> {
        EarlyAnswers {
            intake,
            first,
            kept: BTreeSet::new(),
            told: BTreeMap::new(),
        }
    }

    /// Another process is asked: it may tell what the last one told, and otherwise.
    pub fn begin(&mut self) {
        self.told.clear();
    }

    /// Takes one answer, by its position in the batch.
    pub fn hear(&mut self, at: usize, answer: ItemAnswer) -> Result<(), Failure> {
        match self.told.get(&at) {
            Some(before) if !same_answer(before, &answer) => Err(self.told_twice(at)),
            Some(_) => Ok(()),
            None => {
                if self.kept.insert(at) {
                    let item = self.first + at;
                    self.intake.keep(item, answer.clone(), Cost::default())?;
                }
                self.told.insert(at, answer);
                Ok(())
            }
        }
    }

    /// Whether a reply says the same; it may leave out what was told.
    pub fn agree(&self, reply: &[ItemAnswer]) -> Result<(), Failure> {
        let contradicts = |(at, before): &(&usize, &ItemAnswer)| match reply.get(**at) {
            None | Some(ItemAnswer::Absent(_)) => false,
            Some(said) => !same_answer(before, said),
        };
        match self.told.iter().find(contradicts) {
            None => Ok(()),
            Some((at, _)) => Err(self.told_twice(*at)),
        }
    }

    /// Whether the item at a position is kept.
    pub fn is_kept(&self, at: usize) -> bool {
        self.kept.contains(&at)
    }

    /// Takes back what is kept of an item, so that it is asked again.
    fn told_twice(&self, at: usize) -> Failure {
        let why = format!("item {at} was told twice, and not the same");
        let absent = ItemAnswer::Absent(Absence::new(AbsenceKind::Failed, why.clone()));
        let taken_back = self.intake.keep(self.first + at, absent, Cost::default());
        taken_back
            .err()
            .unwrap_or_else(|| Failure::new(FailureKind::Nonsense, why))
    }
}

fn same_answer(one: &ItemAnswer, other: &ItemAnswer) -> bool {
    use ItemAnswer::{Label, Logits, Probabilities, Ratings};
    match (one, other) {
        (Probabilities(a), Probabilities(b))
        | (Logits(a), Logits(b))
        | (Ratings(a), Ratings(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_number(*a, *b))
        }
        (Label(a, sure_a), Label(b, sure_b)) => {
            let sure = match (sure_a, sure_b) {
                (Some(a), Some(b)) => same_number(*a, *b),
                (a, b) => a.is_none() && b.is_none(),
            };
            a == b && sure
        }
        (a, b) => a == b,
    }
}

fn same_number(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * a.abs().max(b.abs()).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_the_same_within_single_precision_and_in_one_form() {
        use ItemAnswer::{Label, Probabilities, Text};
        let check = |one: ItemAnswer, other: ItemAnswer, same: bool| {
            assert_eq!(same_answer(&one, &other), same, "{one:?} {other:?}");
        };
        let single = f64::from(0.1_f32);
        check(
            Probabilities(vec![0.1, 0.9]),
            Probabilities(vec![single, 0.9]),
            true,
        );
        check(
            Probabilities(vec![0.1, 0.9]),
            Probabilities(vec![0.2, 0.8]),
            false,
        );
        check(Label(1, None), Label(1, None), true);
        check(Label(1, None), Label(1, Some(0.5)), false);
        check(Label(1, Some(0.5)), Label(0, Some(0.5)), false);
        check(Text("a".into()), Text("b".into()), false);
        check(Label(1, None), Probabilities(vec![0.0, 1.0]), false);
    }
}
