//! The command itself, as people and scripts meet it.

#![expect(
    clippy::unwrap_used,
    reason = "what a test makes up is known to be right"
)]

mod bad_input;
mod broken_batch;
mod ending;
mod gate;
#[cfg(unix)]
mod orphans;
mod terminal;
mod threads;
mod toy;
mod whole;

use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::{Said, duress, said};

/// Runs the study of a folder into `run` beside it.
fn run(folder: &Path, more: &[&str]) -> Said {
    said(running(folder, more).output().unwrap())
}

fn running(folder: &Path, more: &[&str]) -> Command {
    let (study, out) = (folder.join("study.toml"), folder.join("run"));
    let mut command = duress(&[
        "run",
        study.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ]);
    command
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn findings(folder: &Path) -> Vec<u8> {
    std::fs::read(folder.join("run/5-findings.json")).unwrap()
}
