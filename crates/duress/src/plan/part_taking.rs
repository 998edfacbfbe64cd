//! Who takes part: which items a ladder can press at every severity, said before anything is run.

use std::collections::BTreeSet;

use duress_core::data::Items;
use duress_core::problem::Problem;
use duress_core::stressor::Stressor;

use super::{Plan, Rung, Stress};
use crate::axis::{DatasetAt, ReplicateAt};
use crate::study::ActsOn;

/// How many ids a remark names.
const NAMED: usize = 5;

/// Ladders in which no item of a dataset takes part: whatever they are read as, it is nothing.
pub(super) fn nobody(plan: &Plan) -> Vec<Problem> {
    let mut problems: Vec<Problem> = Vec::new();
    // What a model writes may not be there yet: a plan is needed to ask for it.
    let made_here = |stress: &Stress| {
        stress.stressors.iter().all(|one| match &*one.stressor {
            Stressor::Blind(blind) => blind.made_by().is_none(),
            Stressor::Aware(_) | Stressor::Elsewhere { .. } => true,
        })
    };
    for (stress, test) in pressed(plan) {
        if !made_here(stress) {
            continue;
        }
        let items = plan
            .dataset(test, ReplicateAt::FIRST)
            .dataset()
            .test()
            .items();
        let anybody = (0..items.len()).any(|item| severities_of(stress, items, item) > 0);
        if anybody || items.is_empty() {
            continue;
        }
        let dataset = &plan.study.datasets[test].name;
        let wrong = Problem::new(format!(
            "no item of `{dataset}` takes part in `{}`: it cannot be done to any of them",
            stress.name
        ))
        .hint("the keys of the stressor say what it needs (`duress explain` names them), such as `units` and `length` of an arrangement; a text may also be too short for the mildest severity");
        let mut spans = plan.study.ladders.iter();
        let span = spans
            .find(|ladder| ladder.name == stress.name)
            .map(|ladder| ladder.span.clone());
        problems.push(match span {
            Some(span) => wrong.at(span),
            None => wrong,
        });
    }
    problems
}

/// Which items do not take part at every severity of a ladder, in words.
pub(super) fn remarks(plan: &Plan) -> Vec<String> {
    let remark = |(stress, test): (&Stress, DatasetAt)| {
        let items = plan
            .dataset(test, ReplicateAt::FIRST)
            .dataset()
            .test()
            .items();
        let all = severities(stress);
        let left: Vec<&str> = (0..items.len())
            .filter(|item| severities_of(stress, items, *item) < all)
            .map(|item| items.ids().get(item))
            .collect();
        let more = left.len().saturating_sub(NAMED);
        let named = left[..left.len() - more].join(", ");
        let rest = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!left.is_empty()).then(|| {
            format!(
                "{}, {}: {} of {} items do not take part at every severity: {named}{rest}",
                stress.name,
                plan.study.datasets[test].name,
                left.len(),
                items.len()
            )
        })
    };
    pressed(plan).into_iter().filter_map(remark).collect()
}

/// Every ladder that presses what is tested, with every dataset that it presses.
fn pressed(plan: &Plan) -> Vec<(&Stress, DatasetAt)> {
    let mut found = Vec::new();
    for stress in plan.stresses.iter().filter(|stress| stress.is_ladder) {
        if !stress.presses_test() && stress.acts_on != ActsOn::Elsewhere {
            continue;
        }
        let subjects = plan.subjects.iter().zip(&stress.applies_to);
        let tests: BTreeSet<DatasetAt> = subjects
            .filter(|(_, applies)| **applies)
            .flat_map(|(subject, _)| subject.test_on.iter().copied())
            .collect();
        found.extend(tests.into_iter().map(|test| (stress, test)));
    }
    found
}

fn severities(stress: &Stress) -> usize {
    stress.rungs.chunk_by(same_severity).count()
}

/// Ways to press equally hard stand beside each other.
fn same_severity(one: &Rung, other: &Rung) -> bool {
    one.severity == other.severity
}

/// At how many severities an item takes part, in one way at least.
fn severities_of(stress: &Stress, items: &Items, item: usize) -> usize {
    let takes = |rung: &Rung| {
        let mut stressors = stress.stressors.iter().zip(&rung.severities);
        stressors.all(|(planned, severity)| {
            planned
                .stressor
                .takes_part(items, item, severity, rung.variant)
        })
    };
    let by_severity = stress.rungs.chunk_by(same_severity);
    by_severity.filter(|rungs| rungs.iter().any(takes)).count()
}
