//! Versions of the ledger's files: what is written today, and what can be read forever.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// What is written today. Raising it means adding a reader, never removing one.
pub(super) const CURRENT: u32 = 2;

/// The metadata key that holds the version.
pub(super) const KEY: &str = "duress.ledger";

/// A file of a run that cannot be read.
#[derive(Debug)]
pub struct Unreadable {
    /// The file.
    pub path: PathBuf,
    /// Why, in kind.
    pub kind: UnreadableKind,
    /// Why, in words.
    pub why: String,
}

/// Why a file of a run cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnreadableKind {
    /// It does not say what was written, or what was written is another's.
    Damaged,
    /// A later duress wrote it.
    Newer,
    /// The disk does not give it.
    Disk,
}

/// What is said of a file whose checksum is another.
pub(super) const WRONG_CHECKSUM: &str =
    "its checksum does not fit: it is damaged, or it is another cell's file";

impl Unreadable {
    pub(crate) fn damaged(path: &Path, why: impl fmt::Display) -> Unreadable {
        Unreadable::new(path, UnreadableKind::Damaged, why)
    }

    pub(crate) fn disk(path: &Path, error: &std::io::Error) -> Unreadable {
        Unreadable::new(path, UnreadableKind::Disk, error)
    }

    pub(super) fn new(path: &Path, kind: UnreadableKind, why: impl fmt::Display) -> Unreadable {
        Unreadable {
            path: path.into(),
            kind,
            why: why.to_string(),
        }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.why)
    }
}

impl std::error::Error for Unreadable {}

/// The version a file says it has, if we can read it.
pub(super) fn of(metadata: &HashMap<String, String>) -> Result<u32, (UnreadableKind, String)> {
    let Some(text) = metadata.get(KEY) else {
        let why = "this is not a file of a duress ledger";
        return Err((UnreadableKind::Damaged, why.into()));
    };
    match text.parse::<u32>() {
        Ok(version @ 1..=CURRENT) => Ok(version),
        other => {
            let kind = match other {
                Ok(1..) => UnreadableKind::Newer,
                _ => UnreadableKind::Damaged,
            };
            let why = format!("ledger version {text}; this duress reads up to {CURRENT}");
            Err((kind, why))
        }
    }
}
