//! Who takes part: which items a ladder can press at every severity, said before anything is run.

use std::collections::BTreeSet;

use duress_core::data::Items;
use duress_core::name::Name;
use duress_core::problem::Problem;
use duress_core::stressor::Stressor;
use duress_tables::excerpt::names_in_message;

use super::{Plan, Rung, Stress};
use crate::axis::{DatasetAt, ReplicateAt};
use crate::study::ActsOn;

/// How many ids a remark names.
const NAMED: usize = 5;

/// Ladders in which no item of a dataset takes part: whatever they are read as, it is nothing.
pub(super) fn nobody(plan: &Plan) -> Vec<Problem> {
    let here = |stress: &&Stress| !is_made_by_model(stress);
    let hint = "the keys of the stressor say what it needs (`duress explain` names them), such as `units` and `length` of an arrangement; a text may also be too short for the mildest severity";
    without_anybody(plan, &here, |dataset, stress| {
        let why = "it cannot be done to any of them";
        let wrong = format!("no item of `{dataset}` takes part in `{stress}`: {why}");
        Problem::new(wrong).hint(hint)
    })
}

/// The same for ladders whose changes a model makes: a plan is needed to ask for them, so it is a run
/// that cannot do without.
pub(super) fn unmade(plan: &Plan) -> Vec<Problem> {
    without_anybody(
        plan,
        &|stress| is_made_by_model(stress),
        |dataset, stress| {
            Problem::new(no_errors_kept(dataset, stress))
            .hint("`duress inject` with this study asks the model and keeps what it writes; a run asks it for nothing. After that, the file says of each item why it has none")
        },
    )
}

/// Steps that a sheet rejects and that are steps of no item of the study: they would count as
/// errors under another name.
pub(super) fn rejected_strangers(plan: &Plan) -> Vec<Problem> {
    let mut strangers: Option<BTreeSet<String>> = None;
    for (stress, test) in pressed(plan) {
        let items = tested_items(plan, test);
        for planned in &stress.stressors {
            let Stressor::Blind(blind) = &*planned.stressor else {
                continue;
            };
            if blind.made_by().is_none() {
                continue;
            }
            let own = blind.rejected_elsewhere(items);
            // A sheet may be about several ladders: a stranger is one in each of them.
            strangers = Some(match strangers {
                Some(known) => known.intersection(&own).cloned().collect(),
                None => own,
            });
        }
    }
    let strangers: Vec<String> = strangers.into_iter().flatten().collect();
    match strangers.first() {
        None => Vec::new(),
        Some(first) => vec![
            Problem::new(format!(
                "`reviewed` rejects {} steps that no item of this study has, the first is `{first}`",
                strangers.len()
            ))
            .hint("errors were written anew since, or the sheet is of another study: `duress review` writes one of these"),
        ],
    }
}

fn no_errors_kept(dataset: &Name, stress: &Name) -> String {
    format!("no error that a model writes is kept for any item of `{dataset}` in `{stress}`")
}

fn is_made_by_model(stress: &Stress) -> bool {
    stress.stressors.iter().any(|one| match &*one.stressor {
        Stressor::Blind(blind) => blind.made_by().is_some(),
        Stressor::Aware(_) | Stressor::Elsewhere { .. } => false,
    })
}

/// What is wrong with ladders of a kind in which no item of a dataset takes part.
fn without_anybody(
    plan: &Plan,
    kind: &dyn Fn(&&Stress) -> bool,
    wrong: impl Fn(&Name, &Name) -> Problem,
) -> Vec<Problem> {
    let ladders = pressed(plan).into_iter();
    let ladders = ladders.filter(|(stress, test)| kind(stress) && has_nobody(plan, stress, *test));
    let problem = |(stress, test): (&Stress, DatasetAt)| {
        let wrong = wrong(&plan.study.datasets[test].name, &stress.name);
        let mut ladders = plan.study.ladders.iter();
        match ladders.find(|ladder| ladder.name == stress.name) {
            Some(ladder) => wrong.at(ladder.span.clone()),
            None => wrong,
        }
    };
    ladders.map(problem).collect()
}

fn tested_items(plan: &Plan, test: DatasetAt) -> &Items {
    let dataset = plan.dataset(test, ReplicateAt::FIRST).dataset();
    dataset.test().items()
}

/// Whether a dataset has items of which none takes part.
fn has_nobody(plan: &Plan, stress: &Stress, test: DatasetAt) -> bool {
    let items = tested_items(plan, test);
    let nobody = (0..items.len()).all(|item| severities_of(stress, items, item) == 0);
    nobody && !items.is_empty()
}

/// Which items do not take part at every severity of a ladder, in words.
pub(super) fn remarks(plan: &Plan) -> Vec<String> {
    let remark = |(stress, test): (&Stress, DatasetAt)| {
        let dataset = &plan.study.datasets[test].name;
        if is_made_by_model(stress) && has_nobody(plan, stress, test) {
            let none = no_errors_kept(dataset, &stress.name);
            return Some(format!("{none}: `duress inject` asks for them"));
        }
        let items = tested_items(plan, test);
        let all = severities(stress);
        let left: Vec<&str> = (0..items.len())
            .filter(|item| severities_of(stress, items, *item) < all)
            .map(|item| items.ids().get(item))
            .collect();
        let more = left.len().saturating_sub(NAMED);
        let named = names_in_message(left[..left.len() - more].iter().copied());
        let rest = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!left.is_empty()).then(|| {
            format!(
                "{}, {dataset}: {} of {} items do not take part at every severity: {named}{rest}",
                stress.name,
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
            .filter(|test| stress.pressed_on[*test])
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
