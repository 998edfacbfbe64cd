//! The real command and how it ended, for every test of this crate.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The command, with nobody at the terminal.
pub(crate) fn duress(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_duress"));
    command
        .args(args)
        .stdin(Stdio::null())
        .env_remove("COLUMNS")
        .env_remove("RUST_BACKTRACE");
    command
}

/// The command in a folder.
pub(crate) fn duress_in(folder: &Path, args: &[&str]) -> Command {
    let mut command = duress(args);
    command.current_dir(folder);
    command
}

/// How a command ended and what it said.
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) complaint: String,
}

pub(crate) fn said(output: Output) -> Said {
    Said {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        complaint: String::from_utf8(output.stderr).unwrap(),
    }
}

/// How the command ended in a folder, and all it said.
pub(crate) fn ended(folder: &Path, args: &[&str]) -> (i32, String) {
    let said = said(duress_in(folder, args).output().unwrap());
    (said.code.unwrap(), said.out + &said.complaint)
}

/// How the command ended in a folder at a terminal so wide, what it said, and what it complained
/// about.
pub(crate) fn ended_at_width(folder: &Path, width: u32, args: &[&str]) -> (i32, String, String) {
    let mut command = duress_in(folder, args);
    let said = said(command.env("COLUMNS", width.to_string()).output().unwrap());
    (said.code.unwrap(), said.out, said.complaint)
}
