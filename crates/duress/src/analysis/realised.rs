//! What stress came to: the share of values that it hid and changed, and how far texts were edited,
//! beside what was asked for.

use std::collections::HashSet;

use duress_core::stressor::Realised;

use super::answers::Answered;
use crate::axis::ReplicateAt;
use crate::plan::{Cell, Plan};
use duress_findings::{PressedWindows, RealisedStress};

/// For each dataset and rung, over the seeds. Every subject meets the same stress, so the first
/// that answered speaks for all.
pub(super) fn realised(plan: &Plan, answered: &Answered) -> Vec<RealisedStress> {
    let mut all = Vec::new();
    let mut known = HashSet::new();
    for cell in plan
        .cells()
        .filter(|cell| cell.rater.is_none() && cell.replicate == ReplicateAt::FIRST)
    {
        let Some(at) = cell.stress else {
            continue;
        };
        let (stress, _) = plan.rung(at);
        let tested = stress.presses_test();
        let dataset = if tested {
            cell.test
        } else {
            plan.subjects[cell.subject].on
        };
        if known.contains(&(dataset, at)) {
            continue;
        }
        if let Some((seeds, mean)) = over_seeds(plan, answered, cell) {
            known.insert((dataset, at));
            all.push(RealisedStress {
                dataset: plan.study.datasets[dataset].name.clone(),
                windows: match tested {
                    true => PressedWindows::Tested,
                    false => PressedWindows::Fitted,
                },
                under: stress.under(at.rung),
                variant: plan.variant_name(cell),
                seeds,
                mean,
            });
        }
    }
    all
}

fn over_seeds(plan: &Plan, answered: &Answered, cell: Cell) -> Option<(usize, Realised)> {
    let found: Vec<Realised> = plan
        .for_each_seed(cell)
        .filter_map(|cell| answered.kept(cell).ok())
        .filter_map(|kept| kept.realised)
        .collect();
    let mean = |of: fn(&Realised) -> f64| found.iter().map(of).sum::<f64>() / found.len() as f64;
    (!found.is_empty()).then(|| {
        let edits: Option<Vec<f64>> = found.iter().map(|one| one.edits).collect();
        let edits = edits.map(|edits| edits.iter().sum::<f64>() / edits.len() as f64);
        let means = Realised {
            hidden: mean(|one| one.hidden),
            changed: mean(|one| one.changed),
            moved: mean(|one| one.moved),
            edits,
        };
        (found.len(), means)
    })
}
