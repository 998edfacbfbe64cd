//! Attacks beside one another: where more falls to answers alone, or to images made against another
//! subject, than to a subject's own gradients, those gradients are masked.

use std::collections::BTreeMap;

use duress_core::answer::Answers;
use duress_core::question::Question;
use duress_core::stressor::{AttackDoubt, GoesBy, Promise, Stressor};
use duress_stats::interval::clopper_pearson;

use super::answers::Answered;
use crate::axis::{DatasetAt, ReplicateAt, RungAt, StressAt, SubjectAt};
use crate::plan::{Cell, Plan, Stress};

/// How sure it has to be that one of two attacks breaks more.
const SURE: f64 = 0.95;

/// The ladders of a subject on a dataset whose gradients are masked.
pub(super) type MaskedLadders = BTreeMap<(SubjectAt, DatasetAt, StressAt), AttackDoubt>;

/// All ladders that climb a subject's gradients, and break less than one beside them does without.
pub(super) fn masked_ladders(plan: &Plan, answered: &Answered) -> MaskedLadders {
    let mut found = MaskedLadders::new();
    for (subject, planned) in plan.subjects.at_each() {
        for &test in &planned.test_on {
            let climbing = plan.pressing_on(subject, test);
            let climbing = climbing
                .filter(|(_, stress)| attack(stress).map(|one| one.0) == Some(GoesBy::Gradients));
            for (at, _) in climbing {
                let beside = BesideOthers {
                    plan,
                    answered,
                    subject,
                    test,
                    climbing: at,
                };
                if let Some(doubt) = beside.doubt() {
                    found.insert((subject, test, at), doubt);
                }
            }
        }
    }
    found
}

/// What an attack goes by, and what it bounds; nothing for other stresses.
fn attack(stress: &Stress) -> Option<(GoesBy, Promise)> {
    match &*stress.stressors.first()?.stressor {
        Stressor::Aware(attack) => Some((attack.goes_by(), attack.pressure().promise)),
        Stressor::Blind(_) | Stressor::Elsewhere { .. } => None,
    }
}

/// A ladder that climbs gradients, beside those that do without.
struct BesideOthers<'a> {
    plan: &'a Plan,
    answered: &'a Answered,
    subject: SubjectAt,
    test: DatasetAt,
    climbing: StressAt,
}

/// How items fared under two attacks of one severity.
#[derive(Clone, Copy, Default)]
struct Fallen {
    to_gradients_only: usize,
    to_the_other_only: usize,
    /// How many gradients left standing.
    standing: usize,
}

impl Fallen {
    /// How many more fell to the other, where that is more than chance explains: both attacks draw, and
    /// of items that only one of two equals breaks half would fall to each (McNemar, exactly).
    fn excess(self) -> Option<usize> {
        let apart = self.to_gradients_only + self.to_the_other_only;
        let more = self.to_the_other_only.checked_sub(self.to_gradients_only)?;
        let share = clopper_pearson(self.to_the_other_only as u64, apart as u64, SURE).ok()?;
        (share.low > 0.5).then_some(more)
    }
}

impl BesideOthers<'_> {
    /// The doubt by whoever broke most beyond what gradients did.
    fn doubt(&self) -> Option<AttackDoubt> {
        let (_, bound) = attack(&self.plan.stresses[self.climbing])?;
        let others = self
            .plan
            .pressing_on(self.subject, self.test)
            .filter_map(|(at, stress)| {
                let (goes_by, other_bound) = attack(stress)?;
                (other_bound == bound).then_some((at, goes_by))
            });
        let found = others.filter_map(|(at, goes_by)| {
            let (excess, fallen) = self.worst_rung(at)?;
            let broken = fallen.to_the_other_only;
            let tried = fallen.standing;
            let doubt = match goes_by {
                GoesBy::Answers => AttackDoubt::AnswersBeatGradients { broken, tried },
                GoesBy::Transfer => AttackDoubt::TransferBeatsGradients { broken, tried },
                GoesBy::Gradients | GoesBy::Everything => return None,
            };
            Some((excess, doubt))
        });
        found
            .max_by_key(|(excess, _)| *excess)
            .map(|(_, doubt)| doubt)
    }

    /// The severity that both have at which most more fell to the other.
    fn worst_rung(&self, other: StressAt) -> Option<(usize, Fallen)> {
        let stresses = &self.plan.stresses;
        let own = stresses[self.climbing].rungs_at(self.climbing);
        let pairs = own.filter_map(|own| {
            let severity = &self.plan.rung(own).1.severity;
            let mut theirs = stresses[other].rungs_at(other);
            let same = theirs.find(|at| self.plan.rung(*at).1.severity == *severity)?;
            Some((own, same))
        });
        let found = pairs.filter_map(|(own, other)| {
            let fallen = self.fallen(own, other);
            Some((fallen.excess()?, fallen))
        });
        found.max_by_key(|(excess, _)| *excess)
    }

    /// How items fared, over all seeds.
    fn fallen(&self, own: RungAt, other: RungAt) -> Fallen {
        let mut sum = Fallen::default();
        for replicate in self.plan.study.seeds.positions() {
            let said = |stress: Option<RungAt>| self.said(replicate, stress);
            let (Some(clean), Some(own), Some(other)) =
                (said(None), said(Some(own)), said(Some(other)))
            else {
                continue;
            };
            for ((clean, own), other) in clean.iter().zip(own).zip(other) {
                let fell = own != *clean;
                let fell_to_other = other != *clean;
                sum.standing += usize::from(!fell);
                sum.to_gradients_only += usize::from(fell && !fell_to_other);
                sum.to_the_other_only += usize::from(!fell && fell_to_other);
            }
        }
        sum
    }

    /// The class that was answered about each item. Whether it is the true one does not matter here:
    /// who is wrong when clean is not attacked, and an attack only ever changes a right answer.
    fn said(&self, replicate: ReplicateAt, stress: Option<RungAt>) -> Option<Vec<Option<u32>>> {
        let cell = Cell {
            subject: self.subject,
            replicate,
            test: self.test,
            stress,
            question: Question::Classes,
            rater: None,
        };
        match &self.answered.kept(cell).ok()?.answers {
            Answers::Classes(said) => Some((0..said.len()).map(|item| said.label(item)).collect()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Fallen;

    #[test]
    fn more_than_chance_has_to_fall_to_the_other() {
        let check = |to_gradients_only, to_the_other_only, expected| {
            let fallen = Fallen {
                to_gradients_only,
                to_the_other_only,
                standing: 50,
            };
            assert_eq!(
                fallen.excess(),
                expected,
                "{to_gradients_only} {to_the_other_only}"
            );
        };
        check(0, 0, None);
        check(0, 5, None);
        check(0, 6, Some(6));
        check(1, 7, None);
        check(1, 8, Some(7));
        check(9, 4, None);
    }
}
