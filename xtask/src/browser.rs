//! The report page in a real browser, opened from disk.

use std::path::Path;

use crate::step::{Done, Steps, command};

/// Installs what the browser test needs, where it is missing; made-up and hostile findings first,
/// then a real run.
pub(crate) fn browser(steps: &mut Steps, run: &Path) -> Done {
    steps.run(
        "browser test of made-up reports",
        &mut command("bash", &["e2e/run.sh"]),
    )?;
    let mut real = command("bash", &["e2e/run.sh"]);
    steps.run(
        "browser test of the quickstart",
        real.arg(run.join("6-report")),
    )?;
    Ok(())
}
