//! Timing: how long a run will take, from trying a little of it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use duress_core::fitting::Unkept;
use duress_core::name::Name;
use duress_core::subject::{AtOnce, Failure, FailureKind};
use duress_stats::parallel::Budget;

use super::ask::{self, Asking};
use super::guard::{Ended, OnStop, guarded};
use super::intake::{IntakeTerms, Unanswered};
use super::turn::at_once;
use super::work::{Job, JobGroup, JobNeeds, groups, ratings};
use crate::ledger::Kept;
use crate::plan::{Cell, Id, Plan};

/// How long a plan takes, from trying a little of it.
#[derive(Debug, Default)]
pub struct Timed {
    /// The seconds that running everything once on one thread would take.
    pub seconds: f64,
    /// How many pieces were really timed.
    pub pieces: usize,
    /// The subjects and raters that could not be timed, and why.
    pub failed: Vec<(Name, Failure)>,
    /// Those that are asked elsewhere, and are not asked for an estimate.
    pub elsewhere: Vec<Name>,
}

/// Times one preparation and one job of each kind, and one rating by each rater, for an estimate;
/// gives up at `limit`.
pub fn time_one(plan: &Arc<Plan>, limit: Duration) -> Timed {
    let started = Instant::now();
    let left = || limit.saturating_sub(started.elapsed());
    let mut timed = Timed::default();
    let mut said = Vec::new();
    let all = groups(plan, &|_| false);
    for (subject, decl) in plan.study.subjects.at_each() {
        let asks = |group: &&JobGroup| group.jobs[0].cells[0].cell.subject == subject;
        let own: Vec<&JobGroup> = all.iter().filter(asks).collect();
        match own.first() {
            Some(first) if computes(plan, first) => {
                let ended = time_group(plan, first, left());
                said.extend(timed.note(&decl.name, &own, ended));
            }
            Some(_) => timed.elsewhere.push(decl.name.clone()),
            None => {}
        }
    }
    let said: HashMap<Id, Kept> = said.into_iter().flatten().collect();
    let all = ratings(plan, &|_| false);
    for (rater, decl) in plan.study.raters.at_each() {
        let rates = |group: &&JobGroup| group.jobs[0].cells[0].cell.rater == Some(rater);
        let own: Vec<&JobGroup> = all.iter().filter(rates).collect();
        if own.first().is_some_and(|group| !computes(plan, group)) {
            timed.elsewhere.push(decl.name.clone());
            continue;
        }
        // Whoever has said nothing is told of already.
        if let Some((needs, cell, rated)) = first_rated(plan, &own, &said) {
            let ended = time_rating(plan, needs, cell, rated.clone(), left());
            timed.note(&decl.name, &own, ended);
        }
    }
    timed
}

/// Whether it works here. Whoever is asked elsewhere may want money for it: an estimate is not
/// worth that.
fn computes(plan: &Plan, group: &JobGroup) -> bool {
    !matches!(at_once(plan, group.needs), AtOnce::Elsewhere(_))
}

/// The first rating of something that was said while the time was taken.
fn first_rated<'a>(
    plan: &Plan,
    groups: &[&JobGroup],
    said: &'a HashMap<Id, Kept>,
) -> Option<(JobNeeds, Cell, &'a Kept)> {
    groups.iter().find_map(|group| {
        group.jobs.iter().find_map(|job| {
            let cell = job.cells[0].cell;
            let rated = said.get(&plan.id(plan.rated(cell)?))?;
            Some((group.needs, cell, rated))
        })
    })
}

impl Timed {
    /// Takes note of how the timing of one group ended, and hands on what was said.
    fn note(
        &mut self,
        name: &Name,
        groups: &[&JobGroup],
        ended: Ended<Took>,
    ) -> Option<Vec<(Id, Kept)>> {
        match ended {
            Ended::Done(Ok(took)) => {
                self.add(groups, &took);
                return Some(took.said);
            }
            Ended::Done(Err(failure)) if failure.kind != FailureKind::TimedOut => {
                self.failed.push((name.clone(), failure));
            }
            _ => {}
        }
        None
    }

    /// Adds what all groups of a subject or rater will take, if they are like the one that was
    /// timed.
    fn add(&mut self, groups: &[&JobGroup], took: &Took) {
        let readied =
            |group: &&&JobGroup| matches!(group.needs, JobNeeds::Subject(_) | JobNeeds::Rater(_));
        let prepared = groups.iter().filter(readied).count();
        let jobs: usize = groups.iter().map(|group| group.jobs.len()).sum();
        self.seconds += took.fit * prepared as f64 + took.job * jobs as f64;
        self.pieces += took.pieces;
    }
}

/// Seconds of a preparation and of a job, and what was said.
struct Took {
    fit: f64,
    job: f64,
    pieces: usize,
    said: Vec<(Id, Kept)>,
}

/// Times a preparation, and the first of its jobs under each stress.
fn time_group(plan: &Arc<Plan>, group: &JobGroup, limit: Duration) -> Ended<Took> {
    let mut samples: Vec<Vec<Cell>> = group.jobs.iter().map(Job::cells).collect();
    samples.dedup_by_key(|cells| cells[0].stress.map(|at| at.stress));
    time(plan, group.needs, limit, move |asking| {
        let mut said = Vec::new();
        for cells in &samples {
            let ids = cells.iter().map(|cell| asking.plan.id(*cell));
            let come = ids.zip(asking.ask(cells)?);
            said.extend(come.filter_map(|(id, kept)| Some((id, kept.ok()?))));
        }
        Ok((samples.len(), said))
    })
}

/// Times a rater's preparation, and one rating.
fn time_rating(
    plan: &Arc<Plan>,
    needs: JobNeeds,
    cell: Cell,
    rated: Kept,
    limit: Duration,
) -> Ended<Took> {
    time(plan, needs, limit, move |asking| {
        match asking.rate(cell, &rated) {
            Err(Unanswered::Failed(failure)) => Err(failure),
            _ => Ok((1, Vec::new())),
        }
    })
}

/// Times a preparation and then some jobs; `ask` says how many there were, and what came of them.
fn time(
    plan: &Arc<Plan>,
    needs: JobNeeds,
    limit: Duration,
    ask: impl FnOnce(&Asking<'_>) -> Result<(usize, Vec<(Id, Kept)>), Failure> + Send + 'static,
) -> Ended<Took> {
    let plan = Arc::clone(plan);
    let stop = AtomicBool::new(false);
    let time = move || {
        let begun = Instant::now();
        let fitted = ask::prepare(&plan, needs, None, &Unkept)?.map(|(fitted, _)| fitted);
        let fit = begun.elapsed().as_secs_f64();
        let (jobs, said) = ask(&Asking {
            plan: &plan,
            ledger: None,
            fitted: fitted.as_deref(),
            terms: IntakeTerms {
                stop: &AtomicBool::new(false),
                cache: None,
                batch: None,
            },
        })?;
        let asked = begun.elapsed().as_secs_f64() - fit;
        Ok(Took {
            fit,
            job: asked / jobs as f64,
            pieces: jobs + 1,
            said,
        })
    };
    // What one thread takes is what is told.
    Budget::new(1).enter(|| guarded(limit, (&stop, OnStop::Leave), time))
}
