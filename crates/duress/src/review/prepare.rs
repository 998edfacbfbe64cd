//! Steps that somebody else makes, asked for before a run.

use duress_core::stressor::{PreparedSteps, Stressor};
use duress_core::subject::Failure;

use crate::ledger::pressed_datasets;
use crate::plan::Plan;

/// Asks for the steps of every ladder whose changes come from elsewhere, and keeps them; by the name of
/// the ladder.
#[must_use]
pub fn prepare_steps(plan: &Plan) -> Vec<(String, Result<PreparedSteps, Failure>)> {
    let mut prepared = Vec::new();
    for stress in &plan.stresses {
        for planned in &stress.stressors {
            let Stressor::Blind(blind) = &*planned.stressor else {
                continue;
            };
            let hardest = stress.rungs.iter().map(|rung| rung.severity.value());
            let most = hardest.fold(0.0, f64::max) as usize;
            let mut seen = Vec::new();
            for (test, replicate) in pressed_datasets(plan, stress) {
                let items = plan.dataset(test, replicate).dataset().test().items();
                // Seeds that have the same items have the same steps.
                if seen.contains(&items) {
                    continue;
                }
                seen.push(items);
                if let Some(made) = blind.prepare(items, most) {
                    prepared.push((stress.name.to_string(), made));
                }
            }
        }
    }
    prepared
}
