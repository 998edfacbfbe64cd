//! `duress run`: ask what is missing, find, report.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use duress::run::{Budget, Event, Outcome, RunPaths};
use duress::{Registry, RunError, RunOptions, Study};
use duress_core::problem::Problem;

use super::report;
use crate::args::RunArgs;
use crate::complain;
use crate::exit::Exit;
use crate::progress::Progress;
use crate::say::say;

pub(crate) fn run(args: &RunArgs) -> Exit {
    let budget = args.jobs.map_or_else(Budget::current, Budget::new);
    budget.enter(|| story(args))
}

fn story(args: &RunArgs) -> Exit {
    if let Some(set) = args.instructions
        && let Err(why) = set.choose_for_process()
    {
        return complain::problem(&Problem::new(format!("--instructions: {why}")));
    }
    let registry = Registry::standard();
    let study = match Study::read(&args.study, &registry) {
        Ok(study) => study,
        Err(rejected) => return complain::rejected(&rejected),
    };
    if args.gate.is_some() && study.claims.is_empty() {
        return complain::problem(&report::no_claim().in_file(&args.study));
    }
    let folder = match &args.out {
        Some(out) => out.clone(),
        None => PathBuf::from("runs").join(study.name.as_str()),
    };
    let mut options = RunOptions::in_folder(folder);
    options.retry = args.retry;
    options.cache = args.cache.clone();
    options.batch = args.batch.clone();
    options.registry = registry;
    options.stop = Some(stopped());
    let progress = Progress::new();
    let tell = |event: &Event| progress.hear(event);
    let finished = match args.twice {
        true => duress::run_twice(&study, &options, &tell),
        false => duress::run_and_hold(&study, &options, &tell),
    };
    match finished {
        Ok(finished) => report::show(&finished, args.gate),
        Err(RunError::Stopped(outcome)) => stopped_at(&outcome, &options.folder),
        Err(RunError::SecondRun(error)) => match *error {
            RunError::Stopped(outcome) => {
                stopped_at(&outcome, &RunPaths::new(&options.folder).twice())
            }
            error => {
                say("In the second run, with fresh seeds:\n");
                complain::run(&error)
            }
        },
        Err(error) => complain::run(&error),
    }
}

fn stopped_at(outcome: &Outcome, folder: &Path) -> Exit {
    let done = outcome.answered + outcome.failed;
    say(format!(
        "Stopped: {done} of {} cells are done and kept in {}. Run again to go on.\n",
        done + outcome.missing,
        folder.display()
    ));
    Exit::Interrupted
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
