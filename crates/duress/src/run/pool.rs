//! The threads that do the work. What they find does not depend on how many there are or who is
//! first.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::{Duration, Instant};

use duress_core::cost::Cost;
use duress_core::question::Question;
use duress_core::subject::{AtOnce, Failure, FailureKind, Fitted};
use duress_stats::parallel::Budget;

use super::Options;
use super::ask::{self, Asking};
use super::batch::BatchFolder;
use super::damage::move_away;
use super::event::Event;
use super::finishing::{self, CellToKeep};
use super::fit_watch::{LedgerKeeper, ProgressBoard, ProgressTeller};
use super::guard::{Ended, OnStop, guarded, guarded_and_watched};
use super::intake::{IntakeTerms, Unanswered};
use super::queue::{Batch, Next, Queue, Task, Turn};
use super::turn::{TurnsOf, at_once};
use super::work::{AskedCell, Job, JobGroup, JobNeeds};
use crate::ledger::{Kept, Ledger, LedgerEntry, UnreadableKind};
use crate::plan::{Cell, Id, Plan};

struct Pool<'a> {
    plan: &'a Arc<Plan>,
    ledger: &'a Ledger,
    tell: &'a (dyn Fn(&Event) + Sync),
    stop: &'a AtomicBool,
    /// Raised once the run is being stopped, for threads that may outlive it.
    stopping: Arc<AtomicBool>,
    queue: Arc<Queue>,
    cache: Option<PathBuf>,
    batch: Option<Arc<BatchFolder>>,
    /// Where cells go that are written.
    written: SyncSender<CellToKeep>,
}

/// Does everything there is to do; at most `jobs` threads are busy at once, with whatever subjects
/// do inside.
pub(super) fn run(
    plan: &Arc<Plan>,
    ledger: &Ledger,
    options: &Options,
    groups: Vec<JobGroup>,
    tell: &(dyn Fn(&Event) + Sync),
    stop: &AtomicBool,
) -> io::Result<()> {
    let jobs = options.jobs;
    let budget = Budget::new(jobs);
    let workers = workers(plan, jobs, &groups);
    let queue = Queue::new(batches(plan, groups), limit(plan));
    let (written, cells) = finishing::way();
    thread::scope(|waiting| {
        for _ in 0..finishing::AT_ONCE {
            waiting.spawn(|| finishing::finish(&cells, &queue, tell));
        }
        let pool = Pool {
            plan,
            ledger,
            tell,
            stop,
            stopping: Arc::default(),
            queue: Arc::clone(&queue),
            cache: options.cache.clone(),
            batch: options.batch.clone(),
            written,
        };
        // This thread only waits, so its place is for one of the others.
        budget.lend(|| {
            thread::scope(|scope| {
                for _ in 0..workers {
                    scope.spawn(|| budget.enter(|| pool.work(&budget)));
                }
            });
        });
    });
    match queue.broken() {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// A thread for each that may be busy, and one for each question that waits for an answer from
/// elsewhere meanwhile; never more than there are jobs.
fn workers(plan: &Plan, jobs: usize, groups: &[JobGroup]) -> usize {
    let mut elsewhere: HashMap<Id, usize> = HashMap::new();
    for group in groups {
        if let (AtOnce::Elsewhere(most), Some(turns)) = (
            at_once(plan, group.needs),
            TurnsOf::needing(plan, group.needs),
        ) {
            elsewhere.insert(turns.who, most.get());
        }
    }
    let elsewhere = elsewhere.into_values();
    let most = elsewhere.fold(jobs, usize::saturating_add);
    let all: usize = groups.iter().map(|group| group.jobs.len()).sum();
    most.min(all).max(1)
}

/// What groups begin with: their preparation, or at once their jobs where they need none. A rater
/// that comes ready has its turns from the start.
fn batches(plan: &Plan, groups: Vec<JobGroup>) -> Vec<Batch> {
    let mut begin = VecDeque::new();
    let mut batches = Vec::new();
    for group in groups {
        match group.needs {
            JobNeeds::Subject(_) | JobNeeds::Rater(_) => begin.push_back(Task::Prepare(group)),
            JobNeeds::Nothing => {
                begin.extend(group.jobs.into_iter().map(|job| Task::Ask(job, None)))
            }
            JobNeeds::ReadyRater(_) => batches.push(batch(plan, group.needs, group.jobs, None)),
        }
    }
    batches.push(Batch {
        tasks: begin,
        turns: None,
        computes: true,
    });
    batches
}

/// The jobs of a subject or rater that is ready.
fn batch(plan: &Plan, needs: JobNeeds, jobs: Vec<Job>, fitted: Option<Arc<dyn Fitted>>) -> Batch {
    let asked = |job| Task::Ask(job, fitted.clone());
    Batch {
        tasks: jobs.into_iter().map(asked).collect(),
        turns: TurnsOf::needing(plan, needs),
        computes: !matches!(at_once(plan, needs), AtOnce::Elsewhere(_)),
    }
}

/// How long a subject may take.
fn limit(plan: &Plan) -> Duration {
    Duration::from_secs_f64(plan.study.limit)
}

impl Pool<'_> {
    fn work(&self, budget: &Budget) {
        while let Some(next) = self.queue.next(budget, self.stop) {
            let done = match next {
                Next::Begin(task, turn, _thread) => match task {
                    Task::Prepare(group) => self.prepare(group),
                    Task::Ask(job, fitted) => self.ask(&job, fitted, turn),
                },
                Next::GiveUp(task) => self.give_up(&task),
            };
            self.queue.done(done);
        }
    }

    /// Readies a subject or rater and puts its jobs before all other work, so that few of them are
    /// in memory at a time.
    fn prepare(&self, group: JobGroup) -> io::Result<()> {
        let needs = group.needs;
        let (Some(id), Some((who, replicate))) = (needs.id(self.plan), needs.who(self.plan)) else {
            unreachable!("only what needs a preparation is prepared");
        };
        let plan = Arc::clone(self.plan);
        let checkpoint = self.checkpoint(id)?;
        let begun = Instant::now();
        let on_stop = (self.stop, OnStop::Leave);
        let seed = self.plan.study.seeds[replicate];
        let board = ProgressBoard::default();
        let mut teller = ProgressTeller::new(who.to_string(), seed, board.clone());
        let keeper = LedgerKeeper::new(self.ledger.clone(), id, board);
        let watch = || teller.tell(self.tell);
        let ended = guarded_and_watched(limit(self.plan), on_stop, watch, move || {
            ask::prepare(&plan, needs, checkpoint, &keeper)
        });
        match ended {
            Ended::Stopped => Ok(()),
            Ended::Done(Err(failure)) => {
                let why = match failure.kind {
                    FailureKind::NotAsked => failure,
                    kind => Failure::new(kind, format!("while it was fitted: {}", failure.why)),
                };
                group.jobs.iter().try_for_each(|job| self.fail(job, &why))
            }
            Ended::Done(Ok(None)) => unreachable!("what is prepared is there then"),
            Ended::Done(Ok(Some((fitted, checkpoint)))) => {
                if let Some(bytes) = &checkpoint {
                    self.ledger.keep_checkpoint(id, bytes)?;
                }
                (self.tell)(&Event::Prepared {
                    subject: who.to_string(),
                    seed,
                    seconds: begun.elapsed().as_secs_f64(),
                    restored: checkpoint.is_none(),
                });
                let batch = batch(self.plan, needs, group.jobs, Some(fitted.into()));
                self.queue.push_front(batch);
                Ok(())
            }
        }
    }

    /// The checkpoint that is kept, if it is whole; without one the subject is fitted.
    fn checkpoint(&self, id: Id) -> io::Result<Option<Vec<u8>>> {
        match self.ledger.checkpoint(id) {
            Ok(kept) => Ok(kept.map(|kept| kept.bytes)),
            Err(bad) => {
                if bad.kind == UnreadableKind::Damaged {
                    move_away(self.ledger, &bad.path, bad.why, self.tell)?;
                }
                Ok(None)
            }
        }
    }

    fn ask(&self, job: &Job, fitted: Option<Arc<dyn Fitted>>, turn: Turn) -> io::Result<()> {
        let plan = Arc::clone(self.plan);
        let cells = job.cells();
        let ledger = self.ledger.clone();
        let stop = Arc::clone(&self.stopping);
        let cache = self.cache.clone();
        let batch = self.batch.clone();
        let rated = match self.plan.rated(cells[0]).map(|rated| self.rated(rated)) {
            Some(Err(failure)) => return self.fail(job, &failure),
            Some(Ok(kept)) => Some(kept),
            None => None,
        };
        let ticket = turn.ticket();
        let begun = Instant::now();
        let each = fitted.as_ref().and_then(|fitted| fitted.item_by_item());
        let (limit, on_stop) = match each.is_some_and(|each| each.bounds_its_waiting()) {
            true => (Duration::MAX, OnStop::Drain(&self.stopping)),
            false => (self.limit(job), OnStop::Leave),
        };
        let ended = guarded(limit, (self.stop, on_stop), move || {
            // The turn is over when the answer is there, also when nobody waits for it any more.
            let _turn = turn;
            let asking = Asking {
                plan: &plan,
                ledger: Some(&ledger),
                fitted: fitted.as_deref(),
                terms: IntakeTerms {
                    stop: &stop,
                    cache: cache.as_deref(),
                    batch: batch.as_deref(),
                },
            };
            match rated {
                Some(rated) => Ok(vec![asking.rate(cells[0], &rated)]),
                None => asking.ask(&cells),
            }
        });
        match ended {
            Ended::Stopped => {
                self.stopping.store(true, Ordering::Relaxed);
                Ok(())
            }
            Ended::Done(Err(failure)) => {
                if failure.kind == FailureKind::TimedOut {
                    self.queue.late(ticket);
                }
                self.fail(job, &failure)
            }
            Ended::Done(Ok(all)) => {
                let seconds = begun.elapsed().as_secs_f64() / all.len() as f64;
                job.cells
                    .iter()
                    .zip(all)
                    .try_for_each(|(asked, come)| match come {
                        Ok(kept) => self.keep(asked, kept, seconds),
                        Err(Unanswered::Failed(failure)) => self.fail_cell(asked, &failure),
                        Err(Unanswered::Stopped) => Ok(()),
                    })
            }
        }
    }

    /// Says of a task that it cannot be done, because its subject never came back.
    fn give_up(&self, task: &Task) -> io::Result<()> {
        let Task::Ask(job, _) = task else {
            unreachable!("preparations take no turns");
        };
        let why = format!(
            "it was still busy with an earlier question {} s after that one's time was over",
            self.plan.study.limit
        );
        self.fail(job, &Failure::new(FailureKind::TimedOut, why))
    }

    /// The answers a rater is to rate. What has none has no ratings either, for the same reason.
    fn rated(&self, cell: Cell) -> Result<Box<Kept>, Failure> {
        let none = |why: String| Failure::unable(format!("there are no answers to rate{why}"));
        match self.ledger.entry(self.plan.id(cell)) {
            Ok(Some(LedgerEntry::Answered(kept))) => Ok(kept),
            Ok(Some(LedgerEntry::Failed(failure))) => Err(failure),
            Ok(None) => Err(none(String::new())),
            Err(error) => Err(none(format!(": {error}"))),
        }
    }

    /// How long a job may take: each of its questions has its own time.
    fn limit(&self, job: &Job) -> Duration {
        let mut questions: Vec<Question> = job.cells.iter().map(|one| one.cell.question).collect();
        questions.sort_unstable();
        questions.dedup();
        limit(self.plan) * u32::try_from(questions.len()).unwrap_or(1)
    }

    /// Writes the answers of a cell; they are told under each of its names once they are kept.
    fn keep(&self, asked: &AskedCell, mut kept: Kept, seconds: f64) -> io::Result<()> {
        kept.cost = Some(Cost {
            seconds,
            ..kept.cost.unwrap_or_default()
        });
        let events = asked.names().map(|(cell, shared)| Event::Answered {
            place: self.plan.place(cell),
            seed: self.plan.study.seeds[cell.replicate],
            seconds: if shared { 0.0 } else { seconds },
            shared,
        });
        let written = self.ledger.write_answers(asked.id, &kept)?;
        finishing::send(&self.written, (written, events.collect()))
    }

    fn fail(&self, job: &Job, failure: &Failure) -> io::Result<()> {
        let mut cells = job.cells.iter();
        cells.try_for_each(|asked| self.fail_cell(asked, failure))
    }

    /// Writes why a cell has no answers; it is told under each of its names once it is kept.
    fn fail_cell(&self, asked: &AskedCell, failure: &Failure) -> io::Result<()> {
        let events = asked.names().map(|(cell, shared)| Event::Failed {
            place: self.plan.place(cell),
            seed: self.plan.study.seeds[cell.replicate],
            why: failure.to_string(),
            shared,
        });
        let written = self.ledger.write_failure(asked.id, failure)?;
        finishing::send(&self.written, (written, events.collect()))
    }
}
