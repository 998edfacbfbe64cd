//! Reading a file of findings: of this version, and of every older one.

use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use crate::{Findings, VERSION, v1};

/// Why a text is no findings that this version can read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableFindings(String);

impl fmt::Display for UnreadableFindings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnreadableFindings {}

/// What every version says of itself.
#[derive(Deserialize)]
struct VersionHead {
    version: u32,
    made: Maker,
}

#[derive(Deserialize)]
struct Maker {
    duress: String,
}

/// Reads the text of a `5-findings.json`; what an older version wrote is converted.
///
/// ```
/// let newer = r#"{"version": 7, "made": {"duress": "9.0.0"}}"#;
/// let why = duress_findings::from_json(newer).unwrap_err();
/// assert!(why.to_string().starts_with("findings of version 7, written by duress 9.0.0"));
/// ```
pub fn from_json(text: &str) -> Result<Findings, UnreadableFindings> {
    let head: VersionHead = serde_json::from_str(text)
        .map_err(|why| UnreadableFindings(format!("these are no findings: {why}")))?;
    let wrong = |why: serde_json::Error| UnreadableFindings(unknown(&head, &why));
    match head.version {
        1 => {
            let old: Value = serde_json::from_str(text).map_err(wrong)?;
            serde_json::from_value(v1::convert(old)).map_err(wrong)
        }
        VERSION => serde_json::from_str(text).map_err(wrong),
        newer => Err(UnreadableFindings(format!(
            "findings of version {newer}, written by duress {}: duress {} reads versions 1 to {VERSION}",
            head.made.duress,
            env!("CARGO_PKG_VERSION")
        ))),
    }
}

/// Lists of words may get longer without a new version, so an unknown word may be a newer one.
fn unknown(head: &VersionHead, why: &serde_json::Error) -> String {
    let theirs = &head.made.duress;
    let ours = env!("CARGO_PKG_VERSION");
    let hint = if theirs == ours {
        String::new()
    } else {
        format!(" (written by duress {theirs}, read by {ours}: if that is newer, it may know more)")
    };
    format!("findings of version {}: {why}{hint}", head.version)
}
