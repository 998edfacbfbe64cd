//! Timing: how long a run will take, from trying a little of it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use duress_core::name::Name;
use duress_core::subject::{Failure, FailureKind};
use duress_stats::parallel::Budget;

use super::ask::{self, Asking, Known};
use super::guard::{Ended, guarded};
use super::work::{Group, Job, groups};
use crate::plan::{Cell, Plan};

/// How long a plan takes, from trying a little of it.
#[derive(Debug, Default)]
pub struct Timed {
    /// The seconds that running everything once on one thread would take.
    pub seconds: f64,
    /// How many pieces were really timed.
    pub pieces: usize,
    /// The subjects that could not be timed, and why.
    pub failed: Vec<(Name, Failure)>,
}

/// Times one preparation and one job of each kind, for an estimate; gives up at `limit`.
pub fn time_one(plan: &Arc<Plan>, limit: Duration) -> Timed {
    let started = Instant::now();
    let mut timed = Timed::default();
    let all = groups(plan, &|_| false);
    for (subject, decl) in plan.study.subjects.iter().enumerate() {
        let asks = |group: &&Group| group.jobs[0].cells[0].cell.subject == subject;
        let own: Vec<&Group> = all.iter().filter(asks).collect();
        let Some(first) = own.first() else {
            continue;
        };
        let left = limit.saturating_sub(started.elapsed());
        match time_group(plan, first, left) {
            Ended::Done(Ok(took)) => timed.add(&own, &took),
            Ended::Done(Err(failure)) if failure.kind != FailureKind::TimedOut => {
                timed.failed.push((decl.name.clone(), failure));
            }
            _ => {}
        }
    }
    timed
}

impl Timed {
    /// Adds what all groups of a subject will take, if they are like the one that was timed.
    fn add(&mut self, groups: &[&Group], took: &Took) {
        let prepared = groups.iter().filter(|group| group.preparation.is_some());
        let jobs: usize = groups.iter().map(|group| group.jobs.len()).sum();
        self.seconds += took.fit * prepared.count() as f64 + took.job * jobs as f64;
        self.pieces += took.pieces;
    }
}

/// Seconds of a preparation and of a job.
struct Took {
    fit: f64,
    job: f64,
    pieces: usize,
}

/// Times a preparation, and the first of its jobs under each stress.
fn time_group(plan: &Arc<Plan>, group: &Group, limit: Duration) -> Ended<Took> {
    let (plan, preparation) = (Arc::clone(plan), group.preparation);
    let mut samples: Vec<Vec<Cell>> = group.jobs.iter().map(Job::cells).collect();
    samples.dedup_by_key(|cells| cells[0].stress.map(|(stress, _)| stress));
    let stop = AtomicBool::new(false);
    let time = move || {
        let begun = Instant::now();
        let fitted = preparation
            .map(|needed| ask::prepare(&plan, needed, None))
            .transpose()?
            .map(|(fitted, _)| fitted);
        let fit = begun.elapsed().as_secs_f64();
        let asking = Asking {
            plan: &plan,
            ledger: None,
            fitted: fitted.as_deref(),
            stop: &AtomicBool::new(false),
        };
        for cells in &samples {
            ask::job(&asking, cells, Known::new())?;
        }
        let asked = begun.elapsed().as_secs_f64() - fit;
        Ok(Took {
            fit,
            job: asked / samples.len() as f64,
            pieces: samples.len() + 1,
        })
    };
    // What one thread takes is what is told.
    Budget::new(1).enter(|| guarded(limit, &stop, time))
}
