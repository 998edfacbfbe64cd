//! Tells the program which commit it is built from, where that can be known.
//!
//! `DURESS_COMMIT` decides, where it is set. Otherwise git is asked, for release builds only: the
//! others would be built anew after every commit. Nobody needs git to build or to run.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=DURESS_COMMIT");
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("DURESS_COMMIT").is_some() {
        return;
    }
    if std::env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    for watched in ["../../.git/HEAD", "../../.git/logs/HEAD", ".."] {
        if std::path::Path::new(watched).exists() {
            println!("cargo::rerun-if-changed={watched}");
        }
    }
    if let Some(commit) = git(&["rev-parse", "HEAD"]) {
        let changed = git(&["status", "--porcelain", "--untracked-files=no"]);
        let mark = if changed.is_some_and(|files| files.is_empty()) {
            ""
        } else {
            "+"
        };
        println!("cargo::rustc-env=DURESS_COMMIT={commit}{mark}");
    }
}

/// What git says, if it is there and this is a working copy.
fn git(args: &[&str]) -> Option<String> {
    let said = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(said.stdout).ok()?;
    said.status.success().then(|| text.trim().to_string())
}
