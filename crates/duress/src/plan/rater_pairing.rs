//! What raters fit together with: the subjects they rate, and what they learn from.

use std::collections::HashSet;

use duress_core::answer::{Answers, TextAnswers};
use duress_core::data::InputKind;
use duress_core::problem::Problem;
use duress_core::rater::{AnyRater, TextsToRate};
use duress_core::subject::Learns;

use super::make::Described;
use super::pairing::in_words;
use super::{DatasetOf, Loaded, Plan, PlannedRater, PlannedSubject};
use crate::axis::{Axis, DatasetAt, LoadedAt, RaterAt, ReplicateAt, SubjectAt};
use crate::study::Study;

/// Raters with the subjects whose answers they can read; fills in which those are.
pub(super) fn subjects(
    study: &Study,
    subjects: &Axis<SubjectAt, PlannedSubject>,
    raters: &mut Axis<RaterAt, PlannedRater>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (decl, planned) in study.raters.iter().zip(raters.iter_mut()) {
        let rates = planned.rater.rates();
        for (at, subject) in subjects.at_each() {
            let name = &study.subjects[at].name;
            let wanted = decl.subjects.as_ref().map(|list| list.value.contains(name));
            let rated = subject.offers.contains(&rates);
            planned.applies_to[at] = wanted.unwrap_or(true) && rated;
            if wanted == Some(true) && !rated {
                let wrong = format!(
                    "rater `{}` rates answers to {rates}, but subject `{name}` answers {}",
                    decl.name,
                    in_words(&subject.offers)
                );
                problems.push(Problem::new(wrong).at(decl.span.clone()));
            }
        }
        let nobody = study.is_whole && problems.is_empty();
        if nobody && planned.applies_to.iter().all(|applies| !applies) {
            let wrong = format!(
                "rater `{}` rates answers to {rates}, and no subject gives such",
                decl.name
            );
            problems.push(Problem::new(wrong).at(decl.span.clone()));
        }
    }
    problems
}

/// Raters that learn, with the kind of items they learn from.
pub(super) fn lesson_kinds(
    study: &Study,
    raters: &Axis<RaterAt, PlannedRater>,
    described: &Axis<DatasetAt, Described>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (decl, planned) in study.raters.iter().zip(raters) {
        let Some(on) = planned
            .on
            .filter(|on| described[*on].kind != InputKind::Texts)
        else {
            continue;
        };
        let dataset = &study.datasets[on].name;
        let kind = described[on].kind;
        let wrong = format!(
            "rater `{}` learns from texts, but dataset `{dataset}` has {kind}",
            decl.name
        );
        problems.push(Problem::new(wrong).at(decl.span.clone()));
    }
    problems
}

/// Raters that learn, with the splits they learn from.
pub(super) fn lessons(
    study: &Study,
    raters: &Axis<RaterAt, PlannedRater>,
    loaded: &Axis<LoadedAt, Loaded>,
    dataset_of: &DatasetOf,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (decl, planned) in study.raters.iter().zip(raters) {
        let Some(on) = planned.on else { continue };
        if planned.rater.learns() == Learns::Labels
            && loaded[dataset_of[on][ReplicateAt::FIRST]].fit_items == 0
        {
            let wrong = format!(
                "rater `{}` has to be taught, but dataset `{}` has no fit split",
                decl.name, study.datasets[on].name
            );
            problems.push(Problem::new(wrong).at(decl.span.clone()));
        }
    }
    problems
}

/// Subjects that rate, with items as they will be asked about: whatever is said, these fields stand
/// beside it.
pub(super) fn suits(plan: &Plan) -> Vec<Problem> {
    let mut problems: Vec<Problem> = Vec::new();
    let mut seen = HashSet::new();
    for cell in plan.cells() {
        let Some(rater) = cell.rater else { continue };
        let AnyRater::Subject(subject) = &*plan.raters[rater].rater else {
            continue;
        };
        let number = plan.replicate_number(cell.replicate);
        if seen.insert((rater, number, plan.dataset_of[cell.test][cell.replicate])) {
            let split = plan.dataset(cell.test, cell.replicate).dataset().test();
            let said = Answers::Texts(TextAnswers {
                texts: vec![Ok(String::new()); split.items().len()],
            });
            let suits = TextsToRate::new(split.items(), split.truth(), &said)
                .map_err(|failure| Problem::new(failure.why))
                .and_then(|texts| subject.suits(number, texts.items(), None));
            let span = plan.study.raters[rater].span.clone();
            problems.extend(suits.err().map(|problem| problem.at(span)));
        }
    }
    problems.dedup();
    problems
}
