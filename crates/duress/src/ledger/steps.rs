//! What stressors that work in steps did to each item, and what they could not do: one line of JSON
//! a step, beside the answers.
//!
//! The steps of a rung are those of the rung below and more, so the hardest rung that an item can
//! take says them all.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use duress_core::data::Items;
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, StressStep, Stressor};
use serde::Serialize;

use super::write_whole;
use crate::axis::{DatasetAt, ReplicateAt};
use crate::plan::{Plan, Stress};

/// A line of the log.
#[derive(Serialize)]
struct LoggedStep<'a> {
    dataset: &'a str,
    seed: u64,
    item: &'a str,
    /// Which step it is, from 1.
    k: usize,
    #[serde(flatten)]
    what: What,
}

#[derive(Serialize)]
#[serde(untagged)]
enum What {
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
        for (test, replicate) in pressed_datasets(plan, stress) {
            lines += &steps_of(plan, stress, test, replicate)?;
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

/// The datasets that a ladder presses, for every seed.
fn pressed_datasets(plan: &Plan, stress: &Stress) -> Vec<(DatasetAt, ReplicateAt)> {
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

fn steps_of(
    plan: &Plan,
    stress: &Stress,
    test: DatasetAt,
    replicate: ReplicateAt,
) -> io::Result<String> {
    let [planned] = stress.stressors.as_slice() else {
        return Ok(String::new());
    };
    let Stressor::Blind(blind) = &*planned.stressor else {
        return Ok(String::new());
    };
    let seed = plan.stress_seed(replicate, planned.part, 0);
    let severities: Vec<&Severity> = stress.rungs.iter().map(|rung| &rung.severity).collect();
    let items = plan.dataset(test, replicate).dataset().test().items();
    let mut lines = String::new();
    for item in 0..items.len() {
        for (k, what) in steps_of_item(blind.as_ref(), items, item, &severities, seed) {
            let line = LoggedStep {
                dataset: plan.study.datasets[test].name.as_str(),
                seed: plan.study.seeds[replicate],
                item: items.ids().get(item),
                k,
                what,
            };
            lines += &serde_json::to_string(&line).map_err(io::Error::other)?;
            lines.push('\n');
        }
    }
    Ok(lines)
}

/// The steps of the hardest rung that an item can take, and why it cannot take a harder one.
fn steps_of_item(
    blind: &dyn Blind,
    items: &Items,
    item: usize,
    severities: &[&Severity],
    seed: Seed,
) -> Vec<(usize, What)> {
    let mut lines = Vec::new();
    let mut refused = None;
    for severity in severities.iter().rev() {
        match blind.steps(items, item, severity, seed) {
            None => return lines,
            Some(Err(why)) => refused = Some((severity.value() as usize, why)),
            Some(Ok(steps)) => {
                let done = steps.into_iter().enumerate();
                lines.extend(done.map(|(at, step)| (at + 1, What::Done(step))));
                break;
            }
        }
    }
    lines.extend(refused.map(|(k, refused)| (k, What::Refused { refused })));
    lines
}
