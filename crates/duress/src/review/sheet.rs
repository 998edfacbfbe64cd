//! A sheet: every step that the stressors of a study do to texts.

use std::collections::{BTreeMap, BTreeSet};

use duress_findings::ReviewStep;
use duress_parts::judge::step_id;

use crate::ledger::{LoggedStep, StepOutcome, logged_steps};
use crate::plan::Plan;

/// The steps of a study, in an order that tells nothing; of each kind at most `most`, first steps
/// before second ones. What two seeds did alike is there once.
#[must_use]
pub fn review_steps(plan: &Plan, most: Option<usize>) -> Vec<ReviewStep> {
    let mut steps = Vec::new();
    for stress in &plan.stresses {
        steps.extend(whole_texts(&logged_steps(plan, stress)));
    }
    let mut seen = BTreeSet::new();
    steps.retain(|step| seen.insert(step.id.clone()));
    // Ids are hashes: their order has nothing to do with what was done.
    steps.sort_by(|one, other| (one.k, &one.id).cmp(&(other.k, &other.id)));
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    steps.retain(|step| {
        let taken = taken.entry(step.kind.clone()).or_default();
        *taken += 1;
        most.is_none_or(|most| *taken <= most)
    });
    steps.sort_by(|one, other| one.id.cmp(&other.id));
    steps
}

/// Each step with the text that it was done to: what the steps before it left.
fn whole_texts(logged: &[LoggedStep<'_>]) -> Vec<ReviewStep> {
    let mut steps = Vec::new();
    let mut now = String::new();
    for line in logged {
        let (StepOutcome::Done(step), Some(text)) = (&line.what, line.text) else {
            continue;
        };
        if line.k == 1 {
            now = text.text.clone();
        }
        let diff = step.marked(&now);
        let beside = |name: &str| text.beside(name).unwrap_or_default().to_string();
        steps.push(ReviewStep {
            id: step_id(&diff),
            dataset: line.dataset.into(),
            seed: line.seed,
            item: line.item.into(),
            k: line.k,
            kind: step.kind.clone(),
            by: step.by.clone(),
            diff,
            marks_at: step.span.start,
            before: step.before.clone(),
            after: step.after.clone(),
            prompt: beside("prompt"),
            source: beside("source"),
        });
        now.replace_range(step.span.clone(), &step.after);
    }
    steps
}
