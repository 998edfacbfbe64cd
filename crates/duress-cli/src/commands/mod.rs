//! One file per command.

pub(crate) mod agree;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod explain;
pub(crate) mod gauge;
pub(crate) mod init;
pub(crate) mod inject;
pub(crate) mod list;
pub(crate) mod plan;
pub(crate) mod report;
pub(crate) mod review;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod verify;

use std::path::Path;

use duress::plan::Plan;
use duress::study::Study;
use duress_parts::registry::Registry;

use crate::complain;
use crate::exit::Exit;

/// The plan of a study file, or every complaint about it.
fn planned(study: &Path) -> Result<Plan, Exit> {
    let registry = Registry::standard();
    let study = Study::read(study, &registry).map_err(|rejected| complain::rejected(&rejected))?;
    duress::plan::make(study, &registry).map_err(|rejected| complain::rejected(&rejected))
}

/// The plan of a run that was made, from what its folder keeps; no data is read.
fn reopened(run: &Path) -> Result<Plan, Exit> {
    duress::reopen(run, &Registry::standard()).map_err(|error| complain::run(&error))
}

/// The width to print to: COLUMNS where it is set, else 80.
fn width() -> usize {
    std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok())
        .unwrap_or(80)
}
