//! One file per command.

pub(crate) mod check;
pub(crate) mod explain;
pub(crate) mod list;
pub(crate) mod plan;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod schema;

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
