//! Versions of the ledger's files: what is written today, and what can be read forever.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// What is written today. Raising it means adding a reader, never removing one.
pub(super) const CURRENT: u32 = 2;

/// The metadata key that holds the version.
pub(super) const KEY: &str = "duress.ledger";

/// A file of the ledger that cannot be read.
#[derive(Debug)]
pub struct Unreadable {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

impl Unreadable {
    pub(super) fn new(path: &Path, why: impl fmt::Display) -> Unreadable {
        Unreadable {
            path: path.into(),
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
pub(super) fn of(metadata: &HashMap<String, String>) -> Result<u32, String> {
    let text = metadata
        .get(KEY)
        .ok_or("this is not a file of a duress ledger")?;
    match text.parse() {
        Ok(version) if (1..=CURRENT).contains(&version) => Ok(version),
        _ => Err(format!(
            "ledger version {text}; this duress reads up to {CURRENT}"
        )),
    }
}
