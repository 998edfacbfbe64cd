//! The manifest, `manifest.json`: the hash of every file of a run's folder when the run was done
//! with it.
//!
//! It is taken away before the folder changes and written when all else is, so where there is one it
//! is true: a file that differs was changed since, and one that is not listed came from elsewhere.
//! Where there is none, a run is at it or did not reach its end, and files that have checksums of
//! their own still speak for themselves.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use duress_stats::parallel::map_list;
use serde::{Deserialize, Serialize};

use super::paths::RunPaths;
use crate::ledger::{Unreadable, files_below, remove_if_there, unfinished, write_whole};
use crate::plan::Id;

/// The files of a folder by their path within it, each with the hash of its bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    version: u32,
    files: BTreeMap<String, Id>,
    checksum: Id,
}

impl Manifest {
    /// Of these files.
    fn new(files: BTreeMap<String, Id>) -> Manifest {
        Manifest {
            version: 1,
            checksum: Id::of("manifest 1", &files),
            files,
        }
    }

    /// Lists a folder as it is, and writes that into it.
    pub(crate) fn write(paths: &RunPaths) -> io::Result<()> {
        let present = present(paths)?;
        let hashes = map_list(&present, |(_, path)| Id::of_file(path));
        let mut files = BTreeMap::new();
        for ((name, _), hash) in present.into_iter().zip(hashes) {
            files.insert(name, hash?);
        }
        write_whole(&paths.manifest(), &Manifest::new(files).bytes())
    }

    /// Takes it away: the folder is about to change.
    pub(crate) fn remove(paths: &RunPaths) -> io::Result<()> {
        remove_if_there(&paths.manifest())
    }

    /// The manifest of a folder, if there is one.
    pub(crate) fn read(paths: &RunPaths) -> Result<Option<Manifest>, Unreadable> {
        let path = paths.manifest();
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            bytes => bytes.map_err(|error| Unreadable::disk(&path, &error))?,
        };
        let read: Manifest =
            serde_json::from_slice(&bytes).map_err(|why| Unreadable::damaged(&path, why))?;
        // Not a byte of it is free.
        match Manifest::new(read.files.clone()).bytes() == bytes {
            true => Ok(Some(read)),
            false => Err(Unreadable::damaged(&path, "it is not as it was written")),
        }
    }

    /// Whether a file of this name was there.
    pub(crate) fn lists(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    /// The listed files that are not as they were, or gone.
    pub(crate) fn changed(&self, paths: &RunPaths) -> Vec<Unreadable> {
        let listed: Vec<&String> = self.files.keys().collect();
        let compared = map_list(&listed, |name| {
            self.change_of(&paths.root().join(name), paths)
        });
        compared.into_iter().flatten().collect()
    }

    /// How a file is not as it was, if it was listed.
    pub(crate) fn change_of(&self, path: &Path, paths: &RunPaths) -> Option<Unreadable> {
        let expected = self.files.get(&name_within(paths.root(), path))?;
        match Id::of_file(path) {
            Ok(hash) if hash == *expected => None,
            Ok(_) => {
                let why = "its bytes are not those that the run left";
                Some(Unreadable::damaged(path, why))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let why = "the run left it, and it is gone";
                Some(Unreadable::damaged(path, why))
            }
            Err(error) => Some(Unreadable::disk(path, &error)),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec_pretty(self).unwrap_or_else(|why| panic!("hashes are JSON: {why}"))
    }
}

/// The files of a run's folder with their paths within it; not the manifest itself, the lock, and
/// what is being written.
pub(crate) fn present(paths: &RunPaths) -> io::Result<Vec<(String, PathBuf)>> {
    let unfinished = paths.ledger().join("unfinished");
    let passing = |path: &PathBuf| {
        *path == paths.manifest()
            || *path == paths.lock()
            || path.starts_with(&unfinished)
            || path.to_string_lossy().ends_with(unfinished::ENDING)
    };
    let files = files_below(paths.root())?;
    let named = |path: PathBuf| (name_within(paths.root(), &path), path);
    Ok(files
        .into_iter()
        .filter(|path| !passing(path))
        .map(named)
        .collect())
}

fn name_within(root: &Path, path: &Path) -> String {
    let within = path.strip_prefix(root).unwrap_or(path);
    let parts = within.iter().map(|part| part.to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}
