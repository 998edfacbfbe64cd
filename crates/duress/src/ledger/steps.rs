//! What stressors that work in steps did to each item, and what they could not do: one line of JSON
//! a step, beside the answers.
//!
//! The steps of a rung are those of the rung below and more, so the hardest rung that an item can
//! take says them all.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use duress_core::data::{Items, Text};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, StressStep, Stressor};
use serde::Serialize;

use super::write_whole;
use crate::axis::{DatasetAt, ReplicateAt};
use crate::plan::{Plan, Stress};

/// A line of the log.
#[derive(Serialize)]
pub(crate) struct LoggedStep<'a> {
    pub(crate) dataset: &'a str,
    pub(crate) seed: u64,
    pub(crate) item: &'a str,
    /// Which step it is, from 1.
    pub(crate) k: usize,
    #[serde(flatten)]
    pub(crate) what: StepOutcome,
    /// The text before the first step.
    #[serde(skip)]
    pub(crate) text: Option<&'a Text>,
}

/// What came of a step.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum StepOutcome {
    Done(StressStep),
    /// Why it could not be done.
    Refused {
        refused: String,
    },
}

/// Writes `steps/LADDER.jsonl` for every ladder that works in steps.
pub(crate) fn keep_steps(plan: &Plan, ledger: &Path) -> io::Result<()> {
    for stress in &plan.stresses {
        let mut lines = String::new();
        for line in logged_steps(plan, stress) {
            lines += &serde_json::to_string(&line).map_err(io::Error::other)?;
            lines.push('\n');
        }
        if !lines.is_empty() {
            let folder = ledger.join("steps");
            fs::create_dir_all(&folder)?;
            let file = folder.join(format!("{}.jsonl", stress.name));
            write_whole(&file, lines.as_bytes())?;
        }
    }
    Ok(())
}

/// What a ladder does to each item, step by step; nothing of one that does not work in steps.
pub(crate) fn logged_steps<'a>(plan: &'a Plan, stress: &Stress) -> Vec<LoggedStep<'a>> {
    let pressed = pressed_datasets(plan, stress).into_iter();
    pressed
        .flat_map(|(test, replicate)| steps_of(plan, stress, test, replicate))
        .collect()
}

/// The datasets that a ladder presses, for every seed.
pub(crate) fn pressed_datasets(plan: &Plan, stress: &Stress) -> Vec<(DatasetAt, ReplicateAt)> {
    if !stress.is_ladder || !stress.presses_test() {
        return Vec::new();
    }
    let cells = plan.cells().filter(|cell| {
        let under = cell.stress.map(|at| &plan.stresses[at.stress].name);
        under == Some(&stress.name)
    });
    let found: BTreeSet<_> = cells.map(|cell| (cell.test, cell.replicate)).collect();
    found.into_iter().collect()
}

fn steps_of<'a>(
    plan: &'a Plan,
    stress: &Stress,
    test: DatasetAt,
    replicate: ReplicateAt,
) -> Vec<LoggedStep<'a>> {
    let [planned] = stress.stressors.as_slice() else {
        return Vec::new();
    };
    let Stressor::Blind(blind) = &*planned.stressor else {
        return Vec::new();
    };
    let seed = plan.stress_seed(replicate, planned.part, 0);
    let severities: Vec<&Severity> = stress.rungs.iter().map(|rung| &rung.severity).collect();
    let items = plan.dataset(test, replicate).dataset().test().items();
    let texts = items.texts().ok();
    let mut lines = Vec::new();
    for item in 0..items.len() {
        for (k, what) in steps_of_item(blind.as_ref(), items, item, &severities, seed) {
            lines.push(LoggedStep {
                dataset: plan.study.datasets[test].name.as_str(),
                seed: plan.study.seeds[replicate],
                item: items.ids().get(item),
                k,
                what,
                text: texts.map(|texts| &texts[item]),
            });
        }
    }
    lines
}

/// The steps of the hardest rung that an item can take, and why it cannot take a harder one.
fn steps_of_item(
    blind: &dyn Blind,
    items: &Items,
    item: usize,
    severities: &[&Severity],
    seed: Seed,
) -> Vec<(usize, StepOutcome)> {
    let mut lines = Vec::new();
    let mut refused = None;
    for severity in severities.iter().rev() {
        match blind.steps(items, item, severity, seed) {
            None => return lines,
            Some(Err(why)) => refused = Some((severity.value() as usize, why)),
            Some(Ok(steps)) => {
                let done = steps.into_iter().enumerate();
                lines.extend(done.map(|(at, step)| (at + 1, StepOutcome::Done(step))));
                break;
            }
        }
    }
    lines.extend(refused.map(|(k, refused)| (k, StepOutcome::Refused { refused })));
    lines
}
