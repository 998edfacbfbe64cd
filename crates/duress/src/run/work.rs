//! What there is to do: preparations, and under each the jobs that need it.

use std::collections::HashMap;

use crate::plan::{Cell, Id, Plan, Preparation};

/// A preparation with its jobs, or jobs that need none.
pub(super) struct Group {
    pub(super) preparation: Option<Preparation>,
    pub(super) jobs: Vec<Job>,
}

/// One unit of work: a cell with its ratings, or all rungs of an attack's ladder.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) cells: Vec<Cell>,
}

/// Everything that is not done, in the order of the plan. An attack's ladder is done only when all
/// its rungs are.
pub(super) fn groups(plan: &Plan, done: &dyn Fn(Id) -> bool) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut at: HashMap<Preparation, usize> = HashMap::new();
    for job in jobs(plan) {
        if job.cells.iter().all(|cell| done(plan.id(*cell))) {
            continue;
        }
        let preparation = plan.preparation(job.cells[0]);
        let Some(needed) = preparation else {
            groups.push(Group {
                preparation,
                jobs: vec![job],
            });
            continue;
        };
        let position = *at.entry(needed).or_insert_with(|| {
            groups.push(Group {
                preparation,
                jobs: Vec::new(),
            });
            groups.len() - 1
        });
        groups[position].jobs.push(job);
    }
    groups
}

fn jobs(plan: &Plan) -> Vec<Job> {
    let mut jobs: Vec<Job> = Vec::new();
    for cell in plan.cells() {
        let ladder = |cell: Cell| {
            let (stress, _) = cell.stress?;
            plan.stresses[stress]
                .aware
                .then_some((cell.subject, cell.replicate, cell.test, stress))
        };
        let rated = |job: &Job| cell.rater.is_some() && job.cells.contains(&cell.unrated());
        match jobs.last_mut() {
            Some(job) if rated(job) => job.cells.push(cell),
            Some(job) if ladder(cell).is_some() && ladder(cell) == ladder(job.cells[0]) => {
                job.cells.push(cell)
            }
            _ => jobs.push(Job { cells: vec![cell] }),
        }
    }
    jobs
}
