//! What nobody reads: columns, arrays and keys of the tables that a study names.
//!
//! One table may be read by several parts, the true classes by a dataset and the answers by a
//! subject, so that only the plan knows what is left.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use duress_core::data::{Source, TableUse};
use duress_core::subject::SubjectPart;
use duress_findings::Doubt;
use duress_tables::formats;

use super::Plan;
use crate::axis::{Axis, DatasetAt};

/// The pieces of each file that no part reads.
#[derive(Default)]
pub(super) struct UnreadPieces {
    /// By the whole path: the same file may be named in two ways.
    by_file: HashMap<PathBuf, Vec<String>>,
    /// The files as parts name them.
    files: BTreeSet<PathBuf>,
}

impl UnreadPieces {
    /// The files that were looked into, as parts name them.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(PathBuf::as_path)
    }

    /// Those of one file.
    pub(super) fn of(&self, file: &Path) -> &[String] {
        self.by_file.get(&whole(file)).map_or(&[], Vec::as_slice)
    }
}

/// The whole path of a file.
pub(super) fn whole(file: &Path) -> PathBuf {
    std::fs::canonicalize(file).unwrap_or_else(|_| file.into())
}

/// What no part reads of the tables that several may. A table that cannot be read is for its reader
/// to complain about.
pub(super) fn unread(
    plan: &Plan,
    sources: &Axis<DatasetAt, Option<Box<dyn Source>>>,
) -> UnreadPieces {
    let sources = sources.iter().flatten();
    let of_datasets = sources.filter_map(|source| source.tables().ok());
    let mut uses: Vec<TableUse> = of_datasets.flatten().collect();
    let mut seen = BTreeSet::new();
    for cell in plan.cells() {
        let SubjectPart::Recorded(recording) = &*plan.subjects[cell.subject].subject else {
            continue;
        };
        let at = plan.circumstances(cell);
        let files = recording.sources(&at).unwrap_or_default();
        if seen.insert((cell.subject, files)) {
            uses.extend(recording.tables(&at).unwrap_or_default());
        }
    }
    let mut found = UnreadPieces::default();
    for one in uses {
        let left = found.by_file.entry(whole(&one.file)).or_insert(one.there);
        left.retain(|name| !one.read.contains(name));
        found.files.insert(one.file);
    }
    found
}

/// What is not read, once for all files in which it is the same.
pub(crate) fn remarks(plan: &Plan) -> Vec<Doubt> {
    let mut files: BTreeMap<&[String], Vec<&str>> = BTreeMap::new();
    for file in plan.files.iter().filter(|file| !file.unread.is_empty()) {
        files.entry(&file.unread).or_default().push(&file.path);
    }
    let said = files.into_iter().map(|(names, files)| Doubt::NotRead {
        file: files[0].into(),
        more: files.len() - 1,
        piece: formats::piece_of(Path::new(files[0])),
        names: names.to_vec(),
    });
    said.collect()
}
