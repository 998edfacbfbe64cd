//! The plan of a run as its folder keeps it, under a checksum: what is edited there would change
//! which answers are read as whose.

use std::fs;
use std::io;
use std::path::Path;

use duress_core::problem::Problem;
use serde_json::Value;

use super::folder::FolderError;
use super::paths::RunPaths;
use crate::ledger::write_whole;
use crate::plan::{Axes, Id};

/// The key that holds the checksum of the others; plans of earlier versions have none.
const CHECKSUM: &str = "checksum";

/// Writes the axes of a plan into a run's folder.
pub(super) fn keep_axes(path: &Path, axes: &Axes) -> io::Result<()> {
    let mut json = serde_json::to_value(axes)?;
    json[CHECKSUM] = checksum(&json).to_string().into();
    write_whole(path, &serde_json::to_vec_pretty(&json)?)
}

/// The axes kept in a run's folder.
pub fn kept_axes(path: &Path) -> Result<Axes, FolderError> {
    let file = RunPaths::new(path).plan();
    let bytes = fs::read(&file).map_err(|error| {
        let wrong = Problem::new(format!(
            "not a run folder: `2-plan.json` cannot be read: {error}"
        ));
        let wrong = wrong.in_file(path).expected("the folder of a run");
        FolderError::Problem(
            wrong.hint("`duress run STUDY` makes one, runs/NAME unless `--out` says otherwise"),
        )
    })?;
    read_axes(&bytes).map_err(|why| {
        let wrong = Problem::new(why).in_file(&file);
        FolderError::Problem(wrong.hint("run the study again: kept answers are taken up"))
    })
}

fn read_axes(bytes: &[u8]) -> Result<Axes, String> {
    let not_ours = |error: serde_json::Error| format!("not a plan of this duress: {error}");
    let mut json: Value = serde_json::from_slice(bytes).map_err(not_ours)?;
    let said = json.as_object_mut().and_then(|json| json.remove(CHECKSUM));
    let there = said.is_some();
    let expected = checksum(&json).to_string();
    let axes: Axes = serde_json::from_value(json).map_err(not_ours)?;
    if said.is_some_and(|said| said != expected) || (axes.have_checksum() && !there) {
        return Err("its checksum does not fit: it was edited, or it is damaged".into());
    }
    Ok(axes)
}

/// Over what is said, whatever the order of keys and the blanks between them.
fn checksum(json: &Value) -> Id {
    Id::of("plan 1", json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_changed_is_noticed_and_blanks_are_not() {
        let kept = serde_json::json!({"seeds": [1, 2], "nested": {"b": 1.5, "a": "x"}});
        let same: Value =
            serde_json::from_str(r#"{"nested":{"a":"x","b":1.5},"seeds":[1,2]}"#).unwrap();
        let other: Value =
            serde_json::from_str(r#"{"nested":{"a":"x","b":1.5},"seeds":[1,3]}"#).unwrap();
        assert_eq!(checksum(&kept), checksum(&same));
        assert_ne!(checksum(&kept), checksum(&other));
    }
}
