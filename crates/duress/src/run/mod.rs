//! Stage 3 of 6: the cells of a plan are run, and their answers go to the ledger.

mod ask;
mod batch;
mod damage;
mod event;
mod explain;
mod finishing;
mod fit_watch;
mod folder;
mod guard;
mod intake;
mod kept_axes;
mod log;
mod manifest;
mod paths;
mod pool;
mod queue;
mod rehearse;
mod timing;
mod turn;
mod work;
mod worst_items;

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use duress_core::subject::FailureKind;

use crate::ledger::{Ledger, LedgerEntry};
use crate::plan::{Id, Plan};

pub use crate::ledger::write_whole;
pub use batch::{BatchFolder, BatchLock};
pub use damage::set_aside_damaged;
pub use duress_stats::parallel::Budget;
pub use event::{BatchState, Event};
pub use folder::{Folder, FolderError};
pub use guard::{SUBJECT_THREAD, is_reading_a_file};
pub use kept_axes::kept_axes;
pub use log::EventLog;
pub(crate) use manifest::{Manifest, present};
pub use paths::RunPaths;
pub use rehearse::examine;
pub use timing::{Timed, time_one};

/// How a plan is run.
pub struct Options {
    /// How many threads may be busy at once, with whatever subjects do inside.
    pub jobs: usize,
    /// Whether cells that failed before are tried again, and items that failed in cells that have
    /// answers about others.
    pub retry: bool,
    /// The folder in which replies are kept by content, for subjects that ask others.
    pub cache: Option<PathBuf>,
    /// The folder through which such subjects ask in files, and in no other way; whoever runs finishes
    /// it.
    pub batch: Option<Arc<BatchFolder>>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Cells with answers, from this run or an earlier one.
    pub answered: usize,
    /// Cells without.
    pub failed: usize,
    /// Cells that were not reached, because the run was stopped.
    pub missing: usize,
}

/// Runs what is missing. Every event is told to `tell`; `stop` is looked at between cells and while
/// a subject is waited for.
pub fn run(
    plan: &Arc<Plan>,
    ledger: &Ledger,
    options: &Options,
    tell: &(dyn Fn(&Event) + Sync),
    stop: &AtomicBool,
) -> io::Result<Outcome> {
    let done = finished_cells(plan, ledger, options.retry)?;
    let done = |id| done.contains(&id);
    let groups = work::groups(plan, &done);
    let ratings = work::ratings(plan, &done);
    let kept: usize = plan.cells().filter(|cell| done(plan.id(*cell))).count();
    let cells = plan.count().cells;
    tell(&Event::Started {
        study: plan.study.hash.clone(),
        cells,
        kept,
    });
    keep_datasets(plan, ledger)?;
    // What is rated is there before it is rated: raters have threads, turns and time of their own.
    for groups in [groups, ratings] {
        if !groups.is_empty() && !stop.load(Ordering::Relaxed) {
            pool::run(plan, ledger, options, groups, tell, stop)?;
        }
    }
    let outcome = count(plan, ledger)?;
    tell(&Event::Ended {
        answered: outcome.answered,
        failed: outcome.failed,
        missing: outcome.missing,
    });
    Ok(outcome)
}

/// The cells that need not be asked. What was not asked is asked now, what failed where that is
/// wanted, and so are ratings of what is: they are about other answers then.
fn finished_cells(plan: &Plan, ledger: &Ledger, retry: bool) -> io::Result<HashSet<Id>> {
    let (mut done, failed) = ledger.cells()?;
    match retry {
        false => done.extend(failed.into_iter().filter(|id| !was_not_asked(ledger, *id))),
        true => {
            for open in ledger.open_cells()? {
                done.remove(&open);
            }
        }
    }
    for cell in plan.cells() {
        if let Some(rated) = plan.rated(cell)
            && !done.contains(&plan.id(rated))
        {
            done.remove(&plan.id(cell));
        }
    }
    Ok(done)
}

fn was_not_asked(ledger: &Ledger, cell: Id) -> bool {
    let entry = ledger.entry(cell);
    matches!(entry, Ok(Some(LedgerEntry::Failed(failure))) if failure.kind == FailureKind::NotAsked)
}

/// How far a plan has come.
pub fn count(plan: &Plan, ledger: &Ledger) -> io::Result<Outcome> {
    let (answered, failed) = ledger.cells()?;
    let mut outcome = Outcome {
        answered: 0,
        failed: 0,
        missing: 0,
    };
    for cell in plan.cells() {
        let id = plan.id(cell);
        if answered.contains(&id) {
            outcome.answered += 1;
        } else if failed.contains(&id) {
            outcome.failed += 1;
        } else {
            outcome.missing += 1;
        }
    }
    Ok(outcome)
}

/// The truth goes into the ledger before the first answer, so that whatever is answered can be
/// read: here, or elsewhere and then copied here.
fn keep_datasets(plan: &Plan, ledger: &Ledger) -> io::Result<()> {
    let tested = plan.subjects.iter().flat_map(|subject| &subject.test_on);
    for &position in tested {
        for &at in &plan.dataset_of[position] {
            let loaded = &plan.loaded[at];
            if !ledger.has_dataset(loaded.fingerprint) {
                ledger.keep_dataset(loaded.fingerprint, loaded.dataset().test())?;
            }
        }
    }
    Ok(())
}
