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
//! 4-ledger/unfinished/4711-3.unfinished   what a process that lives is writing
//! ```

mod cell;
mod columns;
mod dataset;
pub mod export;
pub(crate) mod unfinished;
mod version;

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use duress_core::subject::Failure;

use crate::plan::Id;

pub use cell::{Kept, KeptItem, NOT_TAKING_PART};
pub use dataset::KeptDataset;
pub use unfinished::write_whole;
pub use version::Unreadable;

/// The answers of a run, on disk.
pub struct Ledger {
    folder: PathBuf,
}

/// What is kept of a cell.
pub enum Entry {
    /// Its answers.
    Answered(Box<Kept>),
    /// Why there are none.
    Failed(Failure),
}

const SHELVES: [&str; 3] = ["cells", "preparations", "datasets"];

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
        let (mut answered, mut failed) = (HashSet::new(), HashSet::new());
        let shelves = match fs::read_dir(self.folder.join("cells")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((answered, failed)),
            shelves => shelves?,
        };
        for shelf in shelves {
            let shelf = shelf?;
            // File managers leave files of their own beside the folders.
            if !shelf.file_type()?.is_dir() {
                continue;
            }
            for file in fs::read_dir(shelf.path())? {
                let name = file?.file_name();
                let Some((stem, ending)) = name.to_str().and_then(|name| name.split_once('.'))
                else {
                    continue;
                };
                match (Id::parse(stem), ending) {
                    (Some(id), "parquet") => answered.insert(id),
                    (Some(id), "json") => failed.insert(id),
                    _ => false,
                };
            }
        }
        failed.retain(|id| !answered.contains(id));
        Ok((answered, failed))
    }

    /// Keeps the answers of a cell.
    pub fn keep(&self, id: Id, kept: &Kept) -> io::Result<()> {
        self.publish("cells", id, "parquet", |file| cell::write(file, kept))?;
        // An earlier failure of the same cell is no longer true.
        remove_if_there(&self.path("cells", id, "json"))
    }

    /// Keeps why a cell has no answers.
    pub fn keep_failure(&self, id: Id, failure: &Failure) -> io::Result<()> {
        self.publish("cells", id, "json", |mut file| {
            serde_json::to_writer(&mut file, failure)?;
            file.flush()
        })
    }

    /// What is kept of a cell; `None` when nothing is.
    pub fn entry(&self, id: Id) -> Result<Option<Entry>, Unreadable> {
        let path = self.path("cells", id, "parquet");
        if path.exists() {
            return cell::read(&path).map(|kept| Some(Entry::Answered(Box::new(kept))));
        }
        Ok(read_json(&self.path("cells", id, "json"))?.map(Entry::Failed))
    }

    /// Keeps a checkpoint.
    pub fn keep_checkpoint(&self, id: Id, checkpoint: &[u8]) -> io::Result<()> {
        self.publish("preparations", id, "bin", |mut file| {
            file.write_all(checkpoint)?;
            file.flush()
        })
    }

    /// A kept checkpoint; `None` when there is none.
    pub fn checkpoint(&self, id: Id) -> Option<Vec<u8>> {
        fs::read(self.path("preparations", id, "bin")).ok()
    }

    /// Keeps the items' ids, the sealed truth and the columns of what a dataset is tested on.
    pub fn keep_dataset(
        &self,
        fingerprint: Id,
        split: &duress_core::data::Split,
    ) -> io::Result<()> {
        if self.path("datasets", fingerprint, "parquet").exists() {
            return Ok(());
        }
        self.publish("datasets", fingerprint, "parquet", |file| {
            dataset::write(file, split)
        })
    }

    /// A kept dataset.
    pub fn dataset(&self, fingerprint: Id) -> Result<KeptDataset, Unreadable> {
        dataset::read(&self.path("datasets", fingerprint, "parquet"))
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
        let aside = self.folder.join("unfinished");
        unfinished::publish(&aside, &self.path(shelf, id, ending), write)
    }
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn read_json(path: &Path) -> Result<Option<Failure>, Unreadable> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Unreadable::new(path, error)),
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| Unreadable::new(path, error)),
    }
}
