//! The run's folder: six names for six stages, one process at a time, one study.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use duress_core::problem::Problem;

use super::kept_axes::keep_axes;
use super::log::EventLog;
use super::manifest::Manifest;
use super::paths::RunPaths;
use crate::ledger::{Ledger, unfinished, write_whole};
use crate::plan::Plan;
use crate::study::Study;

/// A run's folder that is held for writing until this value is dropped.
pub struct Folder {
    paths: RunPaths,
    _lock: File,
}

/// Why a folder cannot be used.
#[derive(Debug)]
pub enum FolderError {
    /// The user can mend it.
    Problem(Problem),
    /// The disk would not have it.
    Io(PathBuf, io::Error),
}

impl Folder {
    /// Takes a folder for a plan: a new one, an empty one, or one in which the same study was run.
    pub fn take(path: &Path, plan: &Plan) -> Result<Folder, FolderError> {
        let at = |error| FolderError::Io(path.into(), error);
        let paths = RunPaths::new(path);
        fs::create_dir_all(paths.ledger())
            .map_err(at)
            .and_then(|()| belongs(path, &plan.study))?;
        let folder = Folder::hold(path)?;
        Manifest::remove(&paths).map_err(at)?;
        write_whole(&paths.study(), plan.study.text.as_bytes()).map_err(at)?;
        keep_axes(&paths.plan(), &plan.axes()).map_err(at)?;
        Ok(folder)
    }

    /// Holds the folder of an earlier run: nobody else writes findings or a report into it
    /// meanwhile.
    pub fn hold(path: &Path) -> Result<Folder, FolderError> {
        let at = |error| FolderError::Io(path.into(), error);
        let lock = File::create(RunPaths::new(path).lock()).map_err(at)?;
        match lock.try_lock() {
            Ok(()) => {
                unfinished::clear(path, unfinished::ENDING).map_err(at)?;
                Ok(Folder {
                    paths: RunPaths::new(path),
                    _lock: lock,
                })
            }
            Err(TryLockError::WouldBlock) => {
                let busy = Problem::new("another duress is running in this folder").in_file(path);
                Err(FolderError::Problem(busy.hint(
                    "wait for it; a run of its own goes to another folder with `--out`",
                )))
            }
            Err(TryLockError::Error(error)) => Err(at(error)),
        }
    }

    /// Its paths.
    pub fn paths(&self) -> &RunPaths {
        &self.paths
    }

    /// The ledger, for writing.
    pub fn ledger(&self) -> io::Result<Ledger> {
        Ledger::create(&self.paths.ledger())
    }

    /// The log of events, for writing.
    pub fn events(&self) -> io::Result<EventLog> {
        EventLog::open(&self.paths.events())
    }
}

/// Whether the folder is empty but for what a run killed at its start leaves, or was made by a
/// study of the same name.
fn belongs(path: &Path, study: &Study) -> Result<(), FolderError> {
    let Ok(text) = fs::read_to_string(RunPaths::new(path).study()) else {
        return unused(path);
    };
    let named = Study::name_in(&text).unwrap_or_default();
    if named == study.name.as_str() {
        return Ok(());
    }
    let wrong = Problem::new(format!(
        "this run folder belongs to the study `{named}`, not to `{}`",
        study.name
    ));
    Err(FolderError::Problem(
        wrong.in_file(path).hint("name another folder with `--out`"),
    ))
}

fn unused(path: &Path) -> Result<(), FolderError> {
    let entries = fs::read_dir(path).map_err(|error| FolderError::Io(path.into(), error))?;
    let ours = |name: &std::ffi::OsString| {
        name == "4-ledger" || name.to_string_lossy().ends_with(unfinished::ENDING)
    };
    let strange = entries
        .flatten()
        .map(|entry| entry.file_name())
        .find(|name| !ours(name));
    match strange {
        None => Ok(()),
        Some(name) => {
            // The folder was there with other things in it; take back the one we made.
            let _ = fs::remove_dir(RunPaths::new(path).ledger());
            let wrong = Problem::new(format!(
                "not a run folder: there is `{}` in it",
                name.to_string_lossy()
            ));
            let wrong = wrong
                .in_file(path)
                .expected("an empty or new folder, or one of an earlier run");
            Err(FolderError::Problem(wrong))
        }
    }
}

impl fmt::Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FolderError::Problem(problem) => write!(f, "{problem}"),
            FolderError::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for FolderError {}
