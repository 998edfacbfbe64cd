//! The report page in a real browser, opened from disk.

use std::path::Path;

use crate::step::{Done, command, step};

/// Installs what the browser test needs, where it is missing; made-up and hostile findings first,
/// then a real run.
pub(crate) fn browser(run: &Path) -> Done {
    step(
        "browser test of made-up reports",
        &mut command("bash", &["e2e/run.sh"]),
    )?;
    step(
        "browser test of the quickstart",
        command("bash", &["e2e/run.sh"]).arg(run.join("6-report")),
    )
}
