//! The command itself, as people and scripts meet it.

#![expect(
    clippy::unwrap_used,
    reason = "what a test makes up is known to be right"
)]

mod bad_input;
mod ending;
mod gate;
mod terminal;
mod threads;
mod toy;

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The command, with nobody at the terminal.
fn duress(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_duress"));
    command
        .args(args)
        .stdin(Stdio::null())
        .env_remove("COLUMNS")
        .env_remove("RUST_BACKTRACE");
    command
}

/// How a command ended and what it said.
struct Said {
    code: Option<i32>,
    out: String,
    complaint: String,
}

fn said(output: Output) -> Said {
    Said {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        complaint: String::from_utf8(output.stderr).unwrap(),
    }
}

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
