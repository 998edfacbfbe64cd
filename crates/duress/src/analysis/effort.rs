//! What attacks asked of subjects.

use duress_core::stressor::Spent;

use super::answers::Answered;
use crate::axis::ReplicateAt;
use crate::plan::{Cell, Plan};
use duress_findings::Effort;

/// For each subject and rung that was attacked, over all seeds.
pub(super) fn efforts(plan: &Plan, answered: &Answered) -> Vec<Effort> {
    let first = plan
        .cells()
        .filter(|cell| cell.replicate == ReplicateAt::FIRST && cell.rater.is_none());
    first
        .filter_map(|cell| effort(plan, answered, cell))
        .collect()
}

fn effort(plan: &Plan, answered: &Answered, cell: Cell) -> Option<Effort> {
    let spent: Vec<&Spent> = plan
        .for_each_seed(cell)
        .filter_map(|cell| answered.kept(cell).ok())
        .filter_map(|kept| kept.spent.as_ref())
        .collect();
    let items: usize = spent.iter().map(|spent| spent.queries.len()).sum();
    let mean = |of: fn(&Spent) -> &[u32]| {
        let sum: u64 = spent
            .iter()
            .flat_map(|spent| of(spent))
            .map(|&count| u64::from(count))
            .sum();
        sum as f64 / items as f64
    };
    (items > 0).then(|| Effort {
        place: plan.place(cell),
        items,
        queries: mean(|spent| &spent.queries),
        gradients: mean(|spent| &spent.gradients),
        most: spent
            .iter()
            .flat_map(|spent| &spent.queries)
            .copied()
            .max()
            .unwrap_or(0),
    })
}
