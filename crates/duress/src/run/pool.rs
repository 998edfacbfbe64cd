//! The threads that do the work. What they find does not depend on how many there are or who is
//! first.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use duress_core::subject::{Failure, Fitted};

use super::ask;
use super::event::Event;
use super::guard::{Ended, guarded};
use super::work::{Group, Job};
use crate::ledger::{Entry, Kept, Ledger};
use crate::plan::{Cell, Plan};

/// Something a thread can take up: a group whose subject is not ready, or a job whose subject is.
enum Task {
    Prepare(Group),
    Ask(Job, Option<Arc<dyn Fitted>>),
}

/// What the threads share.
struct Desk {
    tasks: VecDeque<Task>,
    /// Threads that may still bring new tasks.
    busy: usize,
    /// The ledger could not be written: nothing more is begun.
    broken: Option<io::Error>,
}

struct Pool<'a> {
    plan: &'a Arc<Plan>,
    ledger: &'a Ledger,
    tell: &'a (dyn Fn(&Event) + Sync),
    stop: &'a AtomicBool,
    desk: Mutex<Desk>,
    more: Condvar,
}

pub(super) fn run(
    plan: &Arc<Plan>,
    ledger: &Ledger,
    jobs: usize,
    groups: Vec<Group>,
    tell: &(dyn Fn(&Event) + Sync),
    stop: &AtomicBool,
) -> io::Result<()> {
    let tasks = groups.into_iter().map(Task::Prepare).collect();
    let desk = Mutex::new(Desk {
        tasks,
        busy: 0,
        broken: None,
    });
    let pool = Pool {
        plan,
        ledger,
        tell,
        stop,
        desk,
        more: Condvar::new(),
    };
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| pool.work());
        }
    });
    match pool.desk().broken.take() {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

impl Pool<'_> {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        while let Some(task) = self.next() {
            let done = match task {
                Task::Prepare(group) => self.prepare(group),
                Task::Ask(job, fitted) => self.ask(&job, fitted),
            };
            let mut desk = self.desk();
            desk.busy -= 1;
            if let Err(error) = done {
                desk.broken.get_or_insert(error);
            }
            self.more.notify_all();
        }
    }

    /// The next task, once there is one; `None` when there will be no more.
    fn next(&self) -> Option<Task> {
        let mut desk = self.desk();
        loop {
            if desk.broken.is_some() || self.stop.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(task) = desk.tasks.pop_front() {
                desk.busy += 1;
                return Some(task);
            }
            if desk.busy == 0 {
                return None;
            }
            desk = self.more.wait(desk).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn limit(&self) -> Duration {
        Duration::from_secs_f64(self.plan.study.limit)
    }

    /// Readies a subject and puts its jobs before all other work, so that few subjects are in
    /// memory at a time.
    fn prepare(&self, group: Group) -> io::Result<()> {
        let Some(preparation) = group.preparation else {
            return group.jobs.iter().try_for_each(|job| self.ask(job, None));
        };
        let id = self.plan.preparation_id(preparation);
        let (plan, checkpoint) = (Arc::clone(self.plan), self.ledger.checkpoint(id));
        let begun = Instant::now();
        let ended = guarded(self.limit(), self.stop, move || {
            ask::prepare(&plan, preparation, checkpoint)
        });
        match ended {
            Ended::Stopped => Ok(()),
            Ended::Done(Err(failure)) => {
                let why = Failure::new(
                    failure.kind,
                    format!("while it was fitted: {}", failure.why),
                );
                group
                    .jobs
                    .iter()
                    .flat_map(|job| &job.cells)
                    .try_for_each(|cell| self.fail(*cell, &why))
            }
            Ended::Done(Ok((fitted, checkpoint))) => {
                if let Some(bytes) = &checkpoint {
                    self.ledger.keep_checkpoint(id, bytes)?;
                }
                (self.tell)(&Event::Prepared {
                    subject: self.plan.study.subjects[preparation.subject]
                        .name
                        .to_string(),
                    seed: self.plan.study.seeds[preparation.replicate],
                    seconds: begun.elapsed().as_secs_f64(),
                    restored: checkpoint.is_none(),
                });
                self.line_up(group.jobs, fitted.into());
                Ok(())
            }
        }
    }

    fn line_up(&self, jobs: Vec<Job>, fitted: Arc<dyn Fitted>) {
        let mut desk = self.desk();
        for job in jobs.into_iter().rev() {
            desk.tasks
                .push_front(Task::Ask(job, Some(Arc::clone(&fitted))));
        }
        self.more.notify_all();
    }

    fn ask(&self, job: &Job, fitted: Option<Arc<dyn Fitted>>) -> io::Result<()> {
        let (plan, cells) = (Arc::clone(self.plan), job.cells.clone());
        let known = self.known(job);
        let rated_only = !known.is_empty();
        let begun = Instant::now();
        match guarded(self.limit(), self.stop, move || {
            ask::job(&plan, &cells, known, fitted.as_deref())
        }) {
            Ended::Stopped => Ok(()),
            Ended::Done(Err(failure)) => job
                .cells
                .iter()
                .try_for_each(|cell| self.fail(*cell, &failure)),
            Ended::Done(Ok(all)) => {
                let seconds = begun.elapsed().as_secs_f64() / all.len() as f64;
                job.cells
                    .iter()
                    .zip(all)
                    .try_for_each(|(cell, come)| match come {
                        Ok(_) if rated_only && cell.rater.is_none() => Ok(()),
                        Ok(kept) => self.keep(*cell, &kept, seconds),
                        Err(failure) => self.fail(*cell, &failure),
                    })
            }
        }
    }

    /// Answers kept by an earlier run that only await their ratings; none unless all of the job's
    /// are there.
    fn known(&self, job: &Job) -> Vec<Kept> {
        if job.cells.iter().all(|cell| cell.rater.is_none()) {
            return Vec::new();
        }
        let asked = job.cells.iter().filter(|cell| cell.rater.is_none());
        let kept = asked.map(|cell| match self.ledger.entry(self.plan.id(*cell)) {
            Ok(Some(Entry::Answered(kept))) => Some(*kept),
            _ => None,
        });
        kept.collect::<Option<Vec<Kept>>>().unwrap_or_default()
    }

    fn keep(&self, cell: Cell, kept: &Kept, seconds: f64) -> io::Result<()> {
        self.ledger.keep(self.plan.id(cell), kept)?;
        let (place, seed) = (self.plan.place(cell), self.plan.study.seeds[cell.replicate]);
        (self.tell)(&Event::Answered {
            place,
            seed,
            seconds,
        });
        Ok(())
    }

    fn fail(&self, cell: Cell, failure: &Failure) -> io::Result<()> {
        self.ledger.keep_failure(self.plan.id(cell), failure)?;
        (self.tell)(&Event::Failed {
            place: self.plan.place(cell),
            seed: self.plan.study.seeds[cell.replicate],
            why: failure.to_string(),
        });
        Ok(())
    }
}
