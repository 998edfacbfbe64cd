//! The README's first command, from an empty folder, as a new user would.

use std::path::PathBuf;
use std::process::Command;

use crate::processor::seconds_of_children;
use crate::step::{Done, root, step};

/// The six names a run leaves behind.
const NAMES: [&str; 6] = [
    "1-study.toml",
    "2-plan.json",
    "3-events.jsonl",
    "4-ledger",
    "5-findings.json",
    "6-report/index.html",
];

/// Seconds the quickstart may keep processors busy. Not by the clock: that would say how busy the
/// machine is.
const LIMIT: f64 = 120.0;

/// Runs the quickstart into a fresh folder and returns that folder.
pub(crate) fn quickstart() -> Result<PathBuf, String> {
    let out = target().join("xtask-quickstart");
    if out.exists() {
        std::fs::remove_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    }
    let study = root().join("studies/quickstart/study.toml");
    let duress = target().join("release/duress");
    step(
        "check the quickstart",
        Command::new(&duress).arg("check").arg(&study),
    )?;
    let before = seconds_of_children();
    step(
        "run the quickstart",
        Command::new(&duress)
            .arg("run")
            .arg(&study)
            .arg("--out")
            .arg(&out),
    )?;
    let took = seconds_of_children()
        .zip(before)
        .map(|(after, before)| after - before);
    if let Some(took) = took.filter(|took| *took > LIMIT) {
        return Err(format!(
            "the quickstart took {took:.0} s of processor time, more than {LIMIT} s"
        ));
    }
    everything_is_there(&out)?;
    redrawn_is_the_same(&duress, &out)?;
    Ok(out)
}

fn everything_is_there(out: &std::path::Path) -> Done {
    match NAMES.iter().find(|name| !out.join(name).exists()) {
        Some(name) => Err(format!("the quickstart left no {name}")),
        None => Ok(()),
    }
}

/// A report from the ledger alone has the same findings, byte for byte.
fn redrawn_is_the_same(duress: &std::path::Path, out: &std::path::Path) -> Done {
    let file = out.join("5-findings.json");
    let read = || std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()));
    let before = read()?;
    step(
        "redraw the quickstart",
        Command::new(duress).arg("report").arg(out),
    )?;
    if read()? == before {
        Ok(())
    } else {
        Err("a redrawn report has other findings".into())
    }
}

/// Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
