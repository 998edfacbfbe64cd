//! What there is to do: preparations, and under each the jobs that need it, each once.

use std::collections::HashMap;

use duress_core::name::Name;

use crate::axis::{RaterAt, ReplicateAt};
use crate::plan::{Cell, Id, Plan, Preparation, RaterPreparation};

/// Jobs, and what they need.
pub(super) struct JobGroup {
    pub(super) needs: JobNeeds,
    pub(super) jobs: Vec<Job>,
}

/// What must be there before a job can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobNeeds {
    /// Nothing: the answers were recorded.
    Nothing,
    /// A subject that is ready.
    Subject(Preparation),
    /// A rater that comes ready: nothing but its turn.
    ReadyRater(RaterAt),
    /// A subject that is ready to rate.
    Rater(RaterPreparation),
}

impl JobNeeds {
    /// The identity of what has to be made ready, and is then kept.
    pub(super) fn id(self, plan: &Plan) -> Option<Id> {
        match self {
            JobNeeds::Nothing | JobNeeds::ReadyRater(_) => None,
            JobNeeds::Subject(preparation) => Some(plan.preparation_id(preparation)),
            JobNeeds::Rater(preparation) => Some(plan.rater_preparation_id(preparation)),
        }
    }

    /// Who has to be made ready, as the study says, and for which of its seeds.
    pub(super) fn who(self, plan: &Plan) -> Option<(&Name, ReplicateAt)> {
        match self {
            JobNeeds::Nothing | JobNeeds::ReadyRater(_) => None,
            JobNeeds::Subject(one) => Some((&plan.study.subjects[one.subject].name, one.replicate)),
            JobNeeds::Rater(one) => Some((&plan.study.raters[one.rater].name, one.replicate)),
        }
    }

    fn of_rating(plan: &Plan, cell: Cell) -> Option<JobNeeds> {
        match plan.rater_preparation(cell) {
            Some(preparation) => Some(JobNeeds::Rater(preparation)),
            None => cell.rater.map(JobNeeds::ReadyRater),
        }
    }
}

/// One unit of work: what is asked about one set of stressed items; for an attack, on all rungs of
/// its ladder; or one rating of what was answered.
pub(super) struct Job {
    pub(super) cells: Vec<AskedCell>,
}

/// A cell that is asked, and the others that need not be.
pub(super) struct AskedCell {
    pub(super) cell: Cell,
    pub(super) id: Id,
    /// Cells of other names with the same identity: what becomes of this one becomes of them.
    twins: Vec<Cell>,
}

impl Job {
    /// The cells, as the plan names them.
    pub(super) fn cells(&self) -> Vec<Cell> {
        self.cells.iter().map(|asked| asked.cell).collect()
    }
}

impl AskedCell {
    /// The cell, and then those that share what becomes of it.
    pub(super) fn names(&self) -> impl Iterator<Item = (Cell, bool)> + '_ {
        let twins = self.twins.iter().map(|twin| (*twin, true));
        std::iter::once((self.cell, false)).chain(twins)
    }
}

/// Everything that is not done, in the order of the plan: a question that comes later asks only
/// itself.
pub(super) fn groups(plan: &Plan, done: &dyn Fn(Id) -> bool) -> Vec<JobGroup> {
    let mut groups: Vec<JobGroup> = Vec::new();
    let mut known: HashMap<Id, usize> = HashMap::new();
    for mut job in jobs(plan) {
        job.cells.retain(|asked| !done(asked.id));
        if job.cells.is_empty() {
            continue;
        }
        let Some(preparation) = plan.preparation(job.cells[0].cell) else {
            groups.push(JobGroup {
                needs: JobNeeds::Nothing,
                jobs: vec![job],
            });
            continue;
        };
        // By identity, not by name: two subjects that are the same are readied once.
        let id = plan.preparation_id(preparation);
        let position = *known.entry(id).or_insert_with(|| {
            groups.push(JobGroup {
                needs: JobNeeds::Subject(preparation),
                jobs: Vec::new(),
            });
            groups.len() - 1
        });
        groups[position].jobs.push(job);
    }
    groups
}

/// Every rating that is not done, by rater; each is a job of its own, so that one that fails fails
/// alone.
pub(super) fn ratings(plan: &Plan, done: &dyn Fn(Id) -> bool) -> Vec<JobGroup> {
    let mut groups: Vec<JobGroup> = Vec::new();
    let mut known: HashMap<Id, usize> = HashMap::new();
    let mut seen: HashMap<Id, (usize, usize)> = HashMap::new();
    for cell in plan.cells() {
        let (Some(rater), Some(needs)) = (cell.rater, JobNeeds::of_rating(plan, cell)) else {
            continue;
        };
        let id = plan.id(cell);
        if done(id) {
            continue;
        }
        if let Some((group, job)) = seen.get(&id) {
            groups[*group].jobs[*job].cells[0].twins.push(cell);
            continue;
        }
        let rates = needs.id(plan).unwrap_or(plan.raters[rater].identity.id);
        let group = *known.entry(rates).or_insert_with(|| {
            let jobs = Vec::new();
            groups.push(JobGroup { needs, jobs });
            groups.len() - 1
        });
        seen.insert(id, (group, groups[group].jobs.len()));
        let twins = Vec::new();
        let cells = vec![AskedCell { cell, id, twins }];
        groups[group].jobs.push(Job { cells });
    }
    groups
}

/// The jobs of a plan; cells with one identity are in one job, asked once.
fn jobs(plan: &Plan) -> Vec<Job> {
    let mut jobs: Vec<Job> = Vec::new();
    let mut seen: HashMap<Id, (usize, usize)> = HashMap::new();
    for cells in named_jobs(plan) {
        let known = seen.get(&plan.id(cells[0])).map(|(job, _)| *job);
        let job = known.unwrap_or(jobs.len());
        if known.is_none() {
            jobs.push(Job { cells: Vec::new() });
        }
        for cell in cells {
            let id = plan.id(cell);
            if let Some((job, position)) = seen.get(&id) {
                jobs[*job].cells[*position].twins.push(cell);
                continue;
            }
            seen.insert(id, (job, jobs[job].cells.len()));
            let twins = Vec::new();
            jobs[job].cells.push(AskedCell { cell, id, twins });
        }
    }
    jobs
}

/// The cells of each job, as the study names them: all questions asked of one subject about one set
/// of stressed items, so that items are pressed once; for an attack, about its whole ladder.
fn named_jobs(plan: &Plan) -> Vec<Vec<Cell>> {
    let mut jobs: Vec<Vec<Cell>> = Vec::new();
    for cell in plan.cells().filter(|cell| cell.rater.is_none()) {
        match jobs.last_mut() {
            Some(job) if same_items(plan, job[0], cell) => job.push(cell),
            _ => jobs.push(vec![cell]),
        }
    }
    jobs
}

fn same_items(plan: &Plan, one: Cell, other: Cell) -> bool {
    let asked = |cell: Cell| (cell.subject, cell.replicate, cell.test);
    let attack = |cell: Cell| {
        let stress = cell.stress?.stress;
        plan.stresses[stress].aware.then_some(stress)
    };
    let climbed = attack(one).is_some() && attack(one) == attack(other);
    asked(one) == asked(other) && (climbed || one.stress == other.stress)
}
