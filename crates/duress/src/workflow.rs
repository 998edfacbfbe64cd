//! A run as one library call: from a study to its findings, with everything kept on the way.
//!
//! ```
//! use std::path::Path;
//!
//! use duress::{Registry, RunOptions, Study};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = r#"
//!     name = "small"
//!     seeds = [1]
//!     dataset.sensors = { use = "temporal-sem", variables = 5, edges = 4, windows = 30 }
//!     subject.lagged = { use = "lagged-regression" }
//!     analysis.gauges = ["directed-f1"]
//! "#;
//! let study = Study::parse(Path::new("small.toml"), text, &Registry::standard())?;
//! let folder = tempfile::tempdir()?;
//! let findings = duress::run(&study, &RunOptions::in_folder(folder.path()), &|_| {})?;
//! assert_eq!(findings.estimates[0].gauge, "directed-f1");
//! assert!(findings.estimates[0].quantity.value.value().is_some());
//! # Ok(())
//! # }
//! ```

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use duress_core::problem::Problem;
use duress_findings::{FailedCell, Findings, Layout, Verdict};
use duress_parts::registry::Registry;

use crate::analysis::{self, History, PastLook};
use crate::ledger::{Ledger, Unreadable, UnreadableKind, keep_steps, write_dosed_texts};
use crate::plan::{self, Plan};
use crate::run::{
    self, BatchFolder, BatchLock, Budget, Event, EventLog, Folder, FolderError, Manifest, Options,
    Outcome, RunPaths, kept_axes, write_whole,
};
use crate::study::{Rejected, Study};
use crate::twice;

/// Where and how a study is run.
#[non_exhaustive]
pub struct RunOptions<'a> {
    /// The run's folder: a new one, an empty one, or one in which this study was run before.
    pub folder: PathBuf,
    /// How many threads may work at once, in everything together.
    pub jobs: usize,
    /// Whether cells that failed before are tried again, and items that failed in others.
    pub retry: bool,
    /// The folder in which replies of model endpoints are kept by content, shared between studies;
    /// none where nothing is kept outside the run's folder.
    pub cache: Option<PathBuf>,
    /// The folder through which model endpoints are asked in files: outputs of batches in it are
    /// read, and inputs for what is missing are written. Nobody is asked in any other way then.
    pub batch: Option<PathBuf>,
    /// The parts that the study may name.
    pub registry: Registry,
    /// Raised from elsewhere to stop between cells; what is finished is kept.
    pub stop: Option<&'a AtomicBool>,
}

impl RunOptions<'_> {
    /// All cores, the parts that come with duress, no second try for what failed.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        RunOptions {
            folder: folder.into(),
            jobs: Budget::current().threads(),
            retry: false,
            cache: None,
            batch: None,
            registry: Registry::standard(),
            stop: None,
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// A run that reached its findings. Its folder is held as long as this value lives, so that a
/// report can be written into it; [`seal`](Finished::seal) it when that is done.
pub struct Finished {
    /// What was found; also kept in the folder.
    pub findings: Findings,
    /// Cells with answers that failed when they were asked again: the answers of before stand.
    pub failed_again: Vec<FailedCell>,
    folder: Folder,
}

impl Finished {
    /// The same once a second run is there to compare with; findings are kept with what it shows.
    pub(crate) fn with_noise_floor(self) -> Result<Finished, RunError> {
        keep_findings(self.findings, self.failed_again, self.folder)
    }

    /// The paths of the run's folder.
    pub fn paths(&self) -> &RunPaths {
        self.folder.paths()
    }

    /// Lists every file of the folder with its hash, in `manifest.json`: whatever changes there
    /// afterwards is noticed by [`verify`](crate::verify()).
    pub fn seal(&self) -> Result<(), RunError> {
        let paths = self.folder.paths();
        Manifest::write(paths).map_err(|error| RunError::Disk(paths.manifest(), error))
    }
}

/// Why there are no findings.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError {
    /// The study cannot be run, and everything that is wrong with it.
    Rejected(Rejected),
    /// The folder cannot be used.
    Folder(FolderError),
    /// The disk would not take or give a file.
    Disk(PathBuf, io::Error),
    /// A file of the ledger cannot be read.
    Ledger(Unreadable),
    /// Answers were removed from this folder while the run was at it.
    Removed(PathBuf),
    /// The second of two runs, with fresh seeds, has no findings.
    SecondRun(Box<RunError>),
    /// The findings of a second run that was made before are not what they were.
    SecondRunDamaged(Unreadable),
    /// The run was stopped before every cell was asked; a run in the same folder goes on.
    Stopped(Outcome),
}

/// Runs what is missing of a study and returns what was found.
pub fn run(
    study: &Study,
    options: &RunOptions<'_>,
    tell: &(dyn Fn(&Event) + Sync),
) -> Result<Findings, RunError> {
    let finished = run_and_hold(study, options, tell)?;
    finished.seal()?;
    Ok(finished.findings)
}

/// The same, with the folder still held and not yet sealed.
pub fn run_and_hold(
    study: &Study,
    options: &RunOptions<'_>,
    tell: &(dyn Fn(&Event) + Sync),
) -> Result<Finished, RunError> {
    let since_sealed = SinceSealed::of(&RunPaths::new(&options.folder));
    match since_sealed.second_run {
        Some(bad) => Err(RunError::SecondRunDamaged(bad)),
        None => hold_for_second_run(study, options, tell),
    }
}

/// The same where a second run will be made, whatever became of the last one.
pub(crate) fn hold_for_second_run(
    study: &Study,
    options: &RunOptions<'_>,
    tell: &(dyn Fn(&Event) + Sync),
) -> Result<Finished, RunError> {
    Budget::new(options.jobs).enter(|| run_within_budget(study, options, tell))
}

fn run_within_budget(
    study: &Study,
    options: &RunOptions<'_>,
    tell: &(dyn Fn(&Event) + Sync),
) -> Result<Finished, RunError> {
    let mut plan = plan::make(study.clone(), &options.registry).map_err(RunError::Rejected)?;
    let unready = plan.unready_errors();
    if !unready.is_empty() {
        return Err(rejected(&plan, unready));
    }
    take_up_identities(&mut plan, options);
    let plan = Arc::new(plan);
    let since_sealed = SinceSealed::of(&RunPaths::new(&options.folder));
    let folder = Folder::take(&options.folder, &plan).map_err(RunError::Folder)?;
    since_sealed.tell_of_log(&folder, tell)?;
    mend_events(&folder, tell).map_err(|error| disk_error(folder.paths(), error))?;
    let history = history(folder.paths(), &plan)?;
    answer_all(&plan, &folder, options, tell)?;
    keep_item_lists(&plan, &folder).map_err(|error| disk_error(folder.paths(), error))?;
    let found = analysis::analyse(&plan, &ledger_of(&folder), &history);
    let findings = match found {
        Err(bad) if bad.kind == UnreadableKind::Damaged => {
            ask_damaged_again(&plan, &folder, options, tell)?;
            analysis::analyse(&plan, &ledger_of(&folder), &history)
        }
        found => found,
    };
    let findings = findings.map_err(RunError::Ledger)?;
    keep_look(&plan, &findings, &folder).map_err(|error| disk_error(folder.paths(), error))?;
    let failed_again = match options.retry {
        true => failed_again(&plan, &ledger_of(&folder)).map_err(RunError::Ledger)?,
        false => Vec::new(),
    };
    keep_findings(findings, failed_again, folder)
}

/// The cells that had answers, were asked again about what failed, and failed as a whole.
fn failed_again(plan: &Plan, ledger: &Ledger) -> Result<Vec<FailedCell>, Unreadable> {
    let failures = ledger.failures_beside_answers()?;
    let failed = |cell| Some(plan.failed_cell(cell, failures.get(&plan.id(cell))?));
    Ok(plan.cells().filter_map(failed).collect())
}

/// Goes on under the identities that the folder knows subjects by. A folder that cannot be reopened,
/// or is new, knows none.
fn take_up_identities(plan: &mut Plan, options: &RunOptions<'_>) {
    let known = kept_axes(&options.folder).is_ok_and(|axes| axes.know_identities(plan));
    if !known && let Ok(before) = reopen(&options.folder, &options.registry) {
        plan.take_up_identities(&before);
    }
}

/// Files that list items, which only a run can write: a report sees findings, and no data.
fn keep_item_lists(plan: &Plan, folder: &Folder) -> io::Result<()> {
    keep_steps(plan, &folder.paths().ledger())?;
    match plan.study.report.layouts.contains(&Layout::Sensitivity) {
        true => write_dosed_texts(plan, &ledger_of(folder), &folder.paths().report()),
        false => Ok(()),
    }
}

/// What somebody changed since the folder was sealed that no checksum of its own tells.
struct SinceSealed {
    /// The log of events: cut, or gone, it forgets looks.
    log: Option<Unreadable>,
    /// The findings of the second of two runs: without them there is no floor.
    second_run: Option<Unreadable>,
}

impl SinceSealed {
    /// Of a folder whose manifest was not taken away yet. One that cannot be read is for `verify`.
    fn of(paths: &RunPaths) -> SinceSealed {
        let manifest = Manifest::read(paths).ok().flatten();
        let change = |path: PathBuf| manifest.as_ref()?.change_of(&path, paths);
        SinceSealed {
            log: change(paths.events()),
            second_run: change(RunPaths::new(paths.twice()).findings()),
        }
    }

    /// Writes into the log that it is not whole, so that a caveat says so from now on. Where lines of
    /// it are damaged, that is for others to tell.
    fn tell_of_log(&self, folder: &Folder, tell: &(dyn Fn(&Event) + Sync)) -> Result<(), RunError> {
        let Some(bad) = &self.log else {
            return Ok(());
        };
        let damaged = |bad: Unreadable| bad.kind == UnreadableKind::Damaged;
        if EventLog::check(&bad.path).is_err_and(damaged) {
            return Ok(());
        }
        let event = Event::LogMended {
            file: bad.path.display().to_string(),
            why: bad.why.clone(),
        };
        let written = folder.events().and_then(|log| log.write(&event));
        written.map_err(|error| disk_error(folder.paths(), error))?;
        tell(&event);
        Ok(())
    }
}

/// Records that claims were judged, which is what the level of a later look is reckoned from.
fn keep_look(plan: &Plan, findings: &Findings, folder: &Folder) -> io::Result<()> {
    let judged = findings.claims.iter().filter(|claim| claim.nulls.is_some());
    let claims: Vec<(String, Verdict)> = judged
        .map(|claim| (claim.name.clone(), claim.verdict))
        .collect();
    if claims.is_empty() {
        return Ok(());
    }
    let seeds = plan.study.seeds.as_slice().to_vec();
    folder.events()?.write(&Event::Judged { seeds, claims })
}

fn rejected(plan: &Plan, problems: Vec<Problem>) -> RunError {
    RunError::Rejected(Rejected::new(&plan.study.path, &plan.study.text, problems))
}

/// Asks for every cell that has no answer.
fn answer_all(
    plan: &Arc<Plan>,
    folder: &Folder,
    options: &RunOptions<'_>,
    tell: &(dyn Fn(&Event) + Sync),
) -> Result<(), RunError> {
    let rejected = |problems| rejected(plan, problems);
    let lock = options.batch.as_deref().map(BatchLock::take).transpose();
    let lock = lock.map_err(|problem| rejected(vec![problem]))?;
    let open = |lock: &BatchLock| BatchFolder::open(lock, options.retry);
    let batch = lock.as_ref().map(open).transpose().map_err(rejected)?;
    let outcome = answer(plan, folder, options, batch.map(Arc::new), tell)?;
    match outcome.missing {
        0 => Ok(()),
        _ if options.is_stopped() => Err(RunError::Stopped(outcome)),
        _ => Err(RunError::Removed(folder.paths().ledger())),
    }
}

/// Reads all that is kept only once something was found damaged: it is read for the findings
/// anyway, and a resumed run need not wait for it twice.
fn ask_damaged_again(
    plan: &Arc<Plan>,
    folder: &Folder,
    options: &RunOptions<'_>,
    tell: &(dyn Fn(&Event) + Sync),
) -> Result<(), RunError> {
    run::set_aside_damaged(plan, &ledger_of(folder), tell)
        .map_err(|error| disk_error(folder.paths(), error))?;
    answer_all(plan, folder, options, tell)
}

/// What is damaged in the log of events is left out from now on: it is all that knows which studies
/// were run here before.
fn mend_events(folder: &Folder, tell: &(dyn Fn(&Event) + Sync)) -> io::Result<()> {
    let path = folder.paths().events();
    match EventLog::check(&path) {
        Err(bad) if bad.kind == UnreadableKind::Damaged => {
            let aside = ledger_of(folder).place_aside("3-events.jsonl")?;
            EventLog::mend(&path, &aside)?;
            let event = Event::LogMended {
                file: path.display().to_string(),
                why: bad.why,
            };
            folder.events()?.write(&event)?;
            tell(&event);
            Ok(())
        }
        _ => Ok(()),
    }
}

fn ledger_of(folder: &Folder) -> Ledger {
    Ledger::open(&folder.paths().ledger())
}

/// Why the disk would not have something: what is not there any more, somebody removed.
fn disk_error(paths: &RunPaths, error: io::Error) -> RunError {
    match error.kind() {
        io::ErrorKind::NotFound => RunError::Removed(paths.ledger()),
        _ => RunError::Disk(paths.root().into(), error),
    }
}

/// Findings anew from the answers that a run's folder keeps; nothing is asked and no data is read.
pub fn find_again(run: &Path, registry: &Registry) -> Result<Finished, RunError> {
    let plan = reopen(run, registry)?;
    let folder = Folder::hold(run).map_err(RunError::Folder)?;
    let since_sealed = SinceSealed::of(folder.paths());
    since_sealed.tell_of_log(&folder, &|_| {})?;
    if let Some(bad) = since_sealed.second_run {
        return Err(RunError::SecondRunDamaged(bad));
    }
    let history = history(folder.paths(), &plan)?;
    let found = analysis::analyse(&plan, &ledger_of(&folder), &history);
    keep_findings(found.map_err(RunError::Ledger)?, Vec::new(), folder)
}

/// The plan of a run that was made, from what its folder keeps.
pub fn reopen(run: &Path, registry: &Registry) -> Result<Plan, RunError> {
    let axes = kept_axes(run).map_err(RunError::Folder)?;
    let study = Study::read(&RunPaths::new(run).study(), registry).map_err(RunError::Rejected)?;
    plan::reopen(study, registry, &axes).map_err(RunError::Rejected)
}

fn answer(
    plan: &Arc<Plan>,
    folder: &Folder,
    options: &RunOptions<'_>,
    batch: Option<Arc<BatchFolder>>,
    tell: &(dyn Fn(&Event) + Sync),
) -> Result<Outcome, RunError> {
    let disk = |error| disk_error(folder.paths(), error);
    let ledger = folder.ledger().map_err(disk)?;
    let log = folder.events().map_err(disk)?;
    // Events are for reading afterwards; a disk that cannot take them will not take answers either,
    // and says so there.
    let tell = |event: &Event| {
        if !matches!(event, Event::Preparing { .. }) {
            let _ = log.write(event);
        }
        tell(event);
    };
    let never = AtomicBool::new(false);
    let asking = Options {
        jobs: options.jobs,
        retry: options.retry,
        cache: options.cache.clone(),
        batch,
    };
    let stop = options.stop.unwrap_or(&never);
    let outcome = run::run(plan, &ledger, &asking, &tell, stop).map_err(disk)?;
    if let Some(batch) = &asking.batch {
        let unwritten = |(file, error)| RunError::Disk(file, error);
        batch.finish(&tell).map_err(unwritten)?;
    }
    Ok(outcome)
}

/// Findings with what a second run beside them shows, where there is one.
fn keep_findings(
    mut findings: Findings,
    failed_again: Vec<FailedCell>,
    folder: Folder,
) -> Result<Finished, RunError> {
    findings.noise_floor = twice::noise_floor(folder.paths(), &findings);
    let json = serde_json::to_vec_pretty(&findings)
        .unwrap_or_else(|why| panic!("findings are JSON: {why}"));
    let file = folder.paths().findings();
    let disk = |error| RunError::Disk(file.clone(), error);
    Manifest::remove(folder.paths()).map_err(disk)?;
    write_whole(&file, &json).map_err(disk)?;
    Ok(Finished {
        findings,
        failed_again,
        folder,
    })
}

/// Other studies that were run in the folder before, and looks that were taken at claims.
fn history(paths: &RunPaths, plan: &Plan) -> Result<History, RunError> {
    let events = EventLog::events(&paths.events()).map_err(RunError::Ledger)?;
    let mut studies = EventLog::studies(&events);
    studies.retain(|hash| *hash != plan.study.hash);
    let damaged = |event: &Event| matches!(event, Event::LogMended { .. });
    let is_damaged = events.iter().any(damaged);
    let looks = events.into_iter().filter_map(|event| match event {
        Event::Judged { seeds, claims } => Some(PastLook { seeds, claims }),
        _ => None,
    });
    Ok(History {
        studies,
        looks: looks.collect(),
        is_damaged,
    })
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Rejected(rejected) => write!(f, "{rejected}"),
            RunError::Folder(error) => write!(f, "{error}"),
            RunError::Disk(path, error) => write!(f, "{}: {error}", path.display()),
            RunError::Ledger(unreadable) => write!(f, "{unreadable}"),
            RunError::Removed(ledger) => write!(
                f,
                "{}: answers that were kept are gone: somebody removed them while the run was at it",
                ledger.display()
            ),
            RunError::SecondRun(error) => {
                write!(f, "in the second run, with fresh seeds: {error}")
            }
            RunError::SecondRunDamaged(bad) => {
                write!(f, "{bad}; `duress run --twice` makes it anew")
            }
            RunError::Stopped(outcome) => {
                write!(f, "stopped with {} cells missing", outcome.missing)
            }
        }
    }
}

impl std::error::Error for RunError {}
