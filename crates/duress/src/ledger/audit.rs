//! Goes through a ledger file by file and says what is not as it was written.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use duress_stats::parallel::map_list;

use super::{
    Ledger, Partial, Unreadable, UnreadableKind, cell, checkpoint, dataset, images, read_failure,
};
use crate::plan::Id;

/// What going through a ledger came to.
#[derive(Debug, Default)]
pub struct Audit {
    /// Files that are whole: cells, checkpoints, datasets, cells that are answered item by item.
    pub whole: usize,
    /// Of these, files of a version that had no checksums: damage to them would not be noticed.
    pub unchecked: usize,
    /// Files that are not what they should be.
    pub unreadable: Vec<Unreadable>,
    /// Files that belong to no ledger; nothing reads them.
    pub strange: Vec<PathBuf>,
}

/// What a file on a shelf is.
enum Shelved {
    Cell(Id),
    Failure(Id),
    Checkpoint(Id),
    Dataset(Id),
    Images(Id),
    Partial(Id),
}

impl Ledger {
    /// Reads every file there is.
    pub fn audit(&self) -> io::Result<Audit> {
        let mut audit = Audit::default();
        let mut known = Vec::new();
        for shelf in super::SHELVES {
            for path in files_below(&self.folder.join(shelf))? {
                match Shelved::told(shelf, &path) {
                    Some(what) => known.push((path, what)),
                    None => audit.strange.push(path),
                }
            }
        }
        for read in map_list(&known, |(path, what)| what.read(path)) {
            match read {
                Ok(None) => {}
                Ok(Some(checked)) => {
                    audit.whole += 1;
                    audit.unchecked += usize::from(!checked);
                }
                Err(unreadable) => audit.unreadable.push(unreadable),
            }
        }
        Ok(audit)
    }
}

impl Shelved {
    fn told(shelf: &str, path: &Path) -> Option<Shelved> {
        let (stem, ending) = path.file_name()?.to_str()?.split_once('.')?;
        let id = Id::parse(stem)?;
        let under = path.parent()?.file_name()?.to_str()?;
        match (shelf, ending) {
            _ if under != &stem[..2] => None,
            ("cells", "parquet") => Some(Shelved::Cell(id)),
            ("cells", "json") => Some(Shelved::Failure(id)),
            ("preparations" | "half-done", "bin") => Some(Shelved::Checkpoint(id)),
            ("datasets", "parquet") => Some(Shelved::Dataset(id)),
            ("images", "bin") => Some(Shelved::Images(id)),
            ("partial", "jsonl") => Some(Shelved::Partial(id)),
            _ => None,
        }
    }

    /// Whether a checksum vouches for the file; `None` when it has gone meanwhile, as a run beside
    /// this may want it.
    fn read(&self, path: &Path) -> Result<Option<bool>, Unreadable> {
        let checked = match *self {
            Shelved::Cell(id) => cell::read(path, id).map(|kept| Some(kept.checked)),
            Shelved::Failure(id) => {
                read_failure(path, id).map(|kept| kept.map(|(_, checked)| checked))
            }
            Shelved::Checkpoint(id) => {
                checkpoint::read(path, id).map(|kept| kept.map(|kept| kept.checked))
            }
            Shelved::Dataset(id) => dataset::read(path, id).map(|kept| Some(kept.checked)),
            Shelved::Images(id) => images::read(path, id).map(|kept| kept.map(|_| true)),
            Shelved::Partial(id) => Partial::check(path, id).map(|()| Some(true)),
        };
        match checked {
            Err(gone) if gone.kind == UnreadableKind::Disk && !path.exists() => Ok(None),
            checked => checked,
        }
    }
}

/// The files of a folder and of the folders in it, in order.
pub(crate) fn files_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            files.extend(files_below(&entry.path())?);
        } else {
            files.push(entry.path());
        }
    }
    files.sort_unstable();
    Ok(files)
}
