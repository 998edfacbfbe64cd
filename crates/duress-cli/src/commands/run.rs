//! `duress run`: ask what is missing, find, report.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

use duress::plan::Plan;
use duress::run::{self, Event, EventLog, Folder, Options, Outcome};
use duress_core::problem::Problem;

use super::report;
use crate::args::Run;
use crate::complain;
use crate::exit::Exit;
use crate::progress::Progress;
use crate::say::say;

pub(crate) fn run(args: &Run) -> Exit {
    match story(args) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn story(args: &Run) -> Result<Exit, Exit> {
    if let Some(set) = args.instructions {
        set.choose_for_process()
            .map_err(|why| complain::problem(&Problem::new(format!("--instructions: {why}"))))?;
    }
    let plan = Arc::new(super::planned(&args.study)?);
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("runs").join(plan.study.name.as_str()));
    let earlier = earlier(&out, &plan.study.hash);
    let folder = Folder::take(&out, &plan).map_err(|error| complain::folder(&error))?;
    let outcome = ask(&plan, &folder, args)
        .map_err(|error| complain::disk(&out.display().to_string(), &error))?;
    if outcome.missing > 0 {
        say(format!(
            "Stopped: {} of {} cells are done and kept in {}. Run again to go on.\n",
            outcome.answered + outcome.failed,
            outcome.answered + outcome.failed + outcome.missing,
            out.display()
        ));
        return Ok(Exit::Interrupted);
    }
    report::make(&plan, folder.path(), &earlier, args.gate)
}

/// The hashes of other studies that were run in the folder before.
fn earlier(out: &Path, now: &str) -> Vec<String> {
    let mut hashes = EventLog::studies(&out.join("3-events.jsonl"));
    hashes.retain(|hash| hash != now);
    hashes
}

fn ask(plan: &Arc<Plan>, folder: &Folder, args: &Run) -> std::io::Result<Outcome> {
    let ledger = folder.ledger()?;
    let log = folder.events()?;
    let progress = Progress::new();
    // Events are for reading afterwards; a disk that cannot take them will not take answers either,
    // and says so there.
    let tell = |event: &Event| {
        let _ = log.write(event);
        progress.hear(event);
    };
    let jobs = args
        .jobs
        .unwrap_or_else(|| available_parallelism().map_or(1, usize::from));
    run::run(
        plan,
        &ledger,
        &Options {
            jobs,
            retry: args.retry,
        },
        &tell,
        stopped(),
    )
}

/// A flag that Ctrl-C raises; the second Ctrl-C does not wait.
fn stopped() -> &'static AtomicBool {
    static STOP: AtomicBool = AtomicBool::new(false);
    let handler = || {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Interrupted as i32);
        }
    };
    // Without a handler Ctrl-C ends the process at once, and no finished cell is lost either.
    let _ = ctrlc::set_handler(handler);
    &STOP
}
