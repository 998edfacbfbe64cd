//! The plan of an earlier run, read back from its folder.

use std::fs;
use std::path::Path;

use duress_core::problem::Problem;

use super::folder::FolderError;
use super::paths::RunPaths;
use crate::plan::Axes;

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
    serde_json::from_slice(&bytes).map_err(|error| {
        let wrong = Problem::new(format!("not a plan of this duress: {error}")).in_file(&file);
        FolderError::Problem(wrong.hint("run the study again: kept answers are taken up"))
    })
}
