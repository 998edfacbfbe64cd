//! The report page in a real browser, opened from disk.

use std::path::Path;

use crate::step::{Done, command, root, step};

/// Installs what the browser test needs, where it is missing, and runs it on the page of a run.
pub(crate) fn browser(run: &Path) -> Done {
    if !root().join("e2e/package.json").exists() {
        return Ok(());
    }
    let page = run.join("6-report/index.html");
    step("browser test", command("bash", &["e2e/run.sh"]).arg(page))
}
