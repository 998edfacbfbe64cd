//! Stage 4 of 6: answers are kept, cell by cell, on disk.
//!
//! Every file is named by the identity of what it holds and appears whole or not at all, so a
//! killed run loses no finished cell, two processes cannot spoil each other's work, and two ledgers
//! are merged by copying files.
//!
//! ```text
//! 4-ledger/cells/3f/3fa1….parquet         the answers of a cell        (or .json: why there are none)
//! 4-ledger/preparations/9c/9c04….bin      a checkpoint                 (or .json: why there is none)
//! 4-ledger/datasets/77/77d2….parquet      ids, sealed truth, columns
//! 4-ledger/images/3f/3fa1….bin            the images that a cell's answers are about, where they are kept
//! 4-ledger/partial/3f/3fa1….jsonl         a cell that is answered item by item, so far
//! 4-ledger/unfinished/4711-3.unfinished   what a process that lives is writing
//! 4-ledger/damaged/3fa1….parquet          what a run found damaged, and asked again
//! ```

mod audit;
mod cell;
mod checkpoint;
mod checksum;
mod columns;
mod dataset;
mod dosed_texts;
mod explanation;
pub mod export;
pub mod export_images;
pub mod export_maps;
pub mod export_weights;
mod images;
mod partial;
mod steps;
pub(crate) mod unfinished;
mod version;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use duress_core::subject::Failure;
use serde::{Deserialize, Serialize};

use crate::plan::Id;
use unfinished::Unplaced;

pub use audit::Audit;
pub(crate) use audit::files_below;
pub use cell::{Kept, KeptItem};
pub use checkpoint::KeptCheckpoint;
pub use dataset::KeptDataset;
pub(crate) use dosed_texts::write_dosed_texts;
pub use images::KeptImages;
pub use partial::Partial;
pub(crate) use steps::{LoggedStep, StepOutcome, keep_steps, logged_steps, pressed_datasets};
pub use unfinished::write_whole;
pub use version::{Unreadable, UnreadableKind};

/// The answers of a run, on disk.
#[derive(Clone)]
pub struct Ledger {
    folder: PathBuf,
}

/// What is kept of a cell.
pub enum LedgerEntry {
    /// Its answers.
    Answered(Box<Kept>),
    /// Why there are none.
    Failed(Failure),
}

pub(crate) const SHELVES: [&str; 6] = [
    "cells",
    "preparations",
    "half-done",
    "datasets",
    "images",
    "partial",
];

/// Where files go that are not what they should be.
pub(crate) const DAMAGED: &str = "damaged";

impl Ledger {
    /// Opens a ledger for writing, and makes its folders.
    pub fn create(folder: &Path) -> io::Result<Ledger> {
        for shelf in SHELVES {
            fs::create_dir_all(folder.join(shelf))?;
        }
        let aside = folder.join("unfinished");
        fs::create_dir_all(&aside)?;
        unfinished::clear(&aside, "")?;
        Ok(Ledger::open(folder))
    }

    /// Opens a ledger for reading.
    pub fn open(folder: &Path) -> Ledger {
        Ledger {
            folder: folder.into(),
        }
    }

    /// The cells that are kept: answered, and failed.
    pub fn cells(&self) -> io::Result<(HashSet<Id>, HashSet<Id>)> {
        let answered = self.ids_on_shelf("cells", "parquet")?;
        let mut failed = self.ids_on_shelf("cells", "json")?;
        failed.retain(|id| !answered.contains(id));
        Ok((answered, failed))
    }

    /// Why cells failed when they were asked again; the answers of before stand.
    pub fn failures_beside_answers(&self) -> Result<HashMap<Id, Failure>, Unreadable> {
        let disk = |error| Unreadable::disk(&self.folder, &error);
        let answered = self.ids_on_shelf("cells", "parquet").map_err(disk)?;
        let failed = self.ids_on_shelf("cells", "json").map_err(disk)?;
        let mut failures = HashMap::new();
        for id in failed.intersection(&answered) {
            let failure = read_failure(&self.path("cells", *id, "json"), *id)?;
            failures.extend(failure.map(|(failure, _)| (*id, failure)));
        }
        Ok(failures)
    }

    /// Keeps the answers of a cell.
    pub fn keep(&self, id: Id, kept: &Kept) -> io::Result<()> {
        self.write_answers(id, kept)?.place()
    }

    /// Keeps why a cell has no answers.
    pub fn keep_failure(&self, id: Id, failure: &Failure) -> io::Result<()> {
        self.write_failure(id, failure)?.place()
    }

    /// Writes the answers of a cell; they are kept once they are placed.
    pub(crate) fn write_answers(&self, id: Id, kept: &Kept) -> io::Result<WrittenCell> {
        if let Some(images) = &kept.images {
            self.publish("images", id, "bin", |file| {
                checkpoint::write(file, id, &images.to_bytes())
            })?;
        }
        let unplaced =
            self.write_aside("cells", id, "parquet", |file| cell::write(file, id, kept))?;
        // An earlier failure of the same cell is no longer true. Its pieces are one now, and are
        // needed no more unless some of them may be asked again.
        let mut stale = vec![self.path("cells", id, "json")];
        if !kept.answers.any_failed() {
            stale.push(self.path("partial", id, "jsonl"));
        }
        Ok(WrittenCell { unplaced, stale })
    }

    /// The same for the reason why there are none.
    pub(crate) fn write_failure(&self, id: Id, failure: &Failure) -> io::Result<WrittenCell> {
        let unplaced = self.write_aside("cells", id, "json", |mut file| {
            serde_json::to_writer(&mut file, &KeptFailure::new(id, failure))?;
            file.flush()
        })?;
        let stale = Vec::new();
        Ok(WrittenCell { unplaced, stale })
    }

    /// What is kept of a cell; `None` when nothing is.
    pub fn entry(&self, id: Id) -> Result<Option<LedgerEntry>, Unreadable> {
        let path = self.path("cells", id, "parquet");
        if path.exists() {
            return cell::read(&path, id).map(|kept| Some(LedgerEntry::Answered(Box::new(kept))));
        }
        let failed = read_failure(&self.path("cells", id, "json"), id)?;
        Ok(failed.map(|(failure, _)| LedgerEntry::Failed(failure)))
    }

    /// A cell that is answered item by item: what is there, and a way to add to it.
    pub fn partial(&self, id: Id) -> io::Result<Partial> {
        let path = self.path("partial", id, "jsonl");
        fs::create_dir_all(path.parent().unwrap_or(&self.folder))?;
        Partial::open(&path, id)
    }

    /// The cells of which some items may be asked again.
    pub fn open_cells(&self) -> io::Result<HashSet<Id>> {
        self.ids_on_shelf("partial", "jsonl")
    }

    /// The images that a cell's answers are about; `None` where they were not kept.
    pub fn images(&self, id: Id) -> Result<Option<KeptImages>, Unreadable> {
        images::read(&self.path("images", id, "bin"), id)
    }

    /// Keeps a checkpoint; what was half done before is needed no more.
    pub fn keep_checkpoint(&self, id: Id, bytes: &[u8]) -> io::Result<()> {
        self.publish("preparations", id, "bin", |file| {
            checkpoint::write(file, id, bytes)
        })?;
        remove_if_there(&self.path("half-done", id, "bin"))
    }

    /// Keeps a preparation that is half done, in place of what was kept of it before.
    pub fn keep_half_done(&self, id: Id, bytes: &[u8]) -> io::Result<()> {
        self.publish("half-done", id, "bin", |file| {
            checkpoint::write(file, id, bytes)
        })
    }

    /// A preparation that is half done; `None` when nothing of it is kept.
    pub fn half_done(&self, id: Id) -> Result<Option<KeptCheckpoint>, Unreadable> {
        checkpoint::read(&self.path("half-done", id, "bin"), id)
    }

    /// A kept checkpoint; `None` when there is none.
    pub fn checkpoint(&self, id: Id) -> Result<Option<KeptCheckpoint>, Unreadable> {
        checkpoint::read(&self.path("preparations", id, "bin"), id)
    }

    /// Keeps the items' ids, the sealed truth and the columns of what a dataset is tested on.
    pub fn keep_dataset(
        &self,
        fingerprint: Id,
        split: &duress_core::data::Split,
    ) -> io::Result<()> {
        self.publish("datasets", fingerprint, "parquet", |file| {
            dataset::write(file, fingerprint, split)
        })
    }

    /// Whether a dataset is kept; it may be damaged.
    pub fn has_dataset(&self, fingerprint: Id) -> bool {
        self.path("datasets", fingerprint, "parquet").exists()
    }

    /// A kept dataset.
    pub fn dataset(&self, fingerprint: Id) -> Result<KeptDataset, Unreadable> {
        dataset::read(&self.path("datasets", fingerprint, "parquet"), fingerprint)
    }

    /// Moves a file of the ledger out of the way, where it can be looked at and is not read.
    pub fn set_aside(&self, file: &Path) -> io::Result<()> {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        fs::rename(file, self.place_aside(&name)?)
    }

    /// Where a file of this name is put that is not what it should be.
    pub(crate) fn place_aside(&self, name: &str) -> io::Result<PathBuf> {
        let damaged = self.folder.join(DAMAGED);
        fs::create_dir_all(&damaged)?;
        Ok(damaged.join(name))
    }

    /// The identities of the files with an ending on a shelf.
    fn ids_on_shelf(&self, shelf: &str, wanted: &str) -> io::Result<HashSet<Id>> {
        let mut ids = HashSet::new();
        let folders = match fs::read_dir(self.folder.join(shelf)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(ids),
            folders => folders?,
        };
        for folder in folders {
            let folder = folder?;
            // File managers leave files of their own beside the folders.
            if !folder.file_type()?.is_dir() {
                continue;
            }
            for file in fs::read_dir(folder.path())? {
                let name = file?.file_name();
                let parts = name.to_str().and_then(|name| name.split_once('.'));
                let id = parts.filter(|(_, ending)| *ending == wanted);
                ids.extend(id.and_then(|(stem, _)| Id::parse(stem)));
            }
        }
        Ok(ids)
    }

    /// The files in which the answers of a cell, or the reason for none, would be.
    pub(crate) fn files_of_cell(&self, id: Id) -> [PathBuf; 2] {
        ["parquet", "json"].map(|ending| self.path("cells", id, ending))
    }

    fn path(&self, shelf: &str, id: Id, ending: &str) -> PathBuf {
        let name = id.to_string();
        self.folder
            .join(shelf)
            .join(&name[..2])
            .join(format!("{name}.{ending}"))
    }

    fn publish(
        &self,
        shelf: &str,
        id: Id,
        ending: &str,
        write: impl FnOnce(io::BufWriter<fs::File>) -> io::Result<()>,
    ) -> io::Result<()> {
        self.write_aside(shelf, id, ending, write)?.place()
    }

    fn write_aside(
        &self,
        shelf: &str,
        id: Id,
        ending: &str,
        write: impl FnOnce(io::BufWriter<fs::File>) -> io::Result<()>,
    ) -> io::Result<Unplaced> {
        let aside = self.folder.join("unfinished");
        unfinished::write_aside(&aside, &self.path(shelf, id, ending), write)
    }
}

/// What becomes of a cell, written and not yet in its place.
pub(crate) struct WrittenCell {
    unplaced: Unplaced,
    /// What is no longer true once it is.
    stale: Vec<PathBuf>,
}

impl WrittenCell {
    /// Puts it in its place, once the disk has it.
    pub(crate) fn place(self) -> io::Result<()> {
        self.unplaced.place()?;
        self.stale.iter().try_for_each(|path| remove_if_there(path))
    }
}

pub(crate) fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Why a cell has no answers, as a file.
#[derive(Serialize, Deserialize)]
struct KeptFailure {
    #[serde(flatten)]
    failure: Failure,
    /// Version 1 had none.
    #[serde(default)]
    checksum: Option<Id>,
}

impl KeptFailure {
    fn new(cell: Id, failure: &Failure) -> KeptFailure {
        let said = serde_json::to_vec(failure)
            .unwrap_or_else(|why| panic!("a failure is always JSON: {why}"));
        KeptFailure {
            failure: failure.clone(),
            checksum: Some(checksum::of_bytes(cell, "failure 2", &said)),
        }
    }
}

/// A failure, and whether a checksum vouches for it.
fn read_failure(path: &Path, cell: Id) -> Result<Option<(Failure, bool)>, Unreadable> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Unreadable::disk(path, &error)),
        Ok(bytes) => bytes,
    };
    let kept: KeptFailure =
        serde_json::from_slice(&bytes).map_err(|error| Unreadable::damaged(path, error))?;
    let expected = KeptFailure::new(cell, &kept.failure).checksum;
    if kept.checksum.is_some() && kept.checksum != expected {
        return Err(Unreadable::damaged(path, version::WRONG_CHECKSUM));
    }
    Ok(Some((kept.failure, kept.checksum.is_some())))
}
