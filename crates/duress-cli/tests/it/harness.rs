//! The real command and how it ended, for every test of this crate.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

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

impl Said {
    /// That it ended with this code, and complained in each of these words.
    #[track_caller]
    pub(crate) fn assert_complains(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{}", self.complaint);
        for part in words {
            assert!(
                self.complaint.contains(part),
                "{part:?} is not in {}",
                self.complaint
            );
        }
    }
}

pub(crate) fn said(output: Output) -> Said {
    Said {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        complaint: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Every file below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => found.extend(files(&path)),
            path => found.push(path),
        }
    }
    found
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

/// A folder that is gone after the test, and the command in it, at a wide terminal.
pub(crate) struct TestFolder(TempDir);

impl TestFolder {
    pub(crate) fn new() -> TestFolder {
        TestFolder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file, and the folders it is in.
    pub(crate) fn write(&self, file: &str, content: impl AsRef<[u8]>) {
        let file = self.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path().join(file)).unwrap()
    }

    /// How the command ended, what it said, and what it complained about.
    pub(crate) fn duress(&self, args: &[&str]) -> (i32, String, String) {
        ended_at_width(self.path(), 200, args)
    }

    /// What the command said, which must have ended well.
    pub(crate) fn done(&self, args: &[&str]) -> String {
        let (code, said, complaint) = self.duress(args);
        assert_eq!(code, 0, "{args:?}: {said} {complaint}");
        said
    }

    /// Runs a study into the folder `run`: what was said, and what was found.
    pub(crate) fn run(&self, study: &str) -> (String, Value) {
        self.write("study.toml", study);
        let said = self.done(&["run", "study.toml", "--out", "run"]);
        (said, self.findings("run"))
    }

    /// How the check of a study ended, what was said, and what was complained about.
    pub(crate) fn check(&self, study: &str) -> (i32, String, String) {
        self.write("study.toml", study);
        self.duress(&["check", "study.toml", "--timing", "0"])
    }

    /// What a run found.
    pub(crate) fn findings(&self, run: &str) -> Value {
        serde_json::from_str(&self.read(&format!("{run}/5-findings.json"))).unwrap()
    }
}
