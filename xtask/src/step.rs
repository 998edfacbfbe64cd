//! One step of a chore: a command with a name, timed, that has to succeed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// What went wrong, in a sentence.
pub(crate) type Done = Result<(), String>;

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// A command in the root of the workspace.
pub(crate) fn command(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root()).args(args);
    command
}

/// Runs a command and says how long it took.
pub(crate) fn step(name: &str, command: &mut Command) -> Done {
    println!("── {name}");
    let begun = Instant::now();
    let status = command
        .status()
        .map_err(|error| format!("{name}: {error}"))?;
    println!("── {name}: {:.1} s", begun.elapsed().as_secs_f64());
    if status.success() {
        Ok(())
    } else {
        Err(format!("{name} failed ({status})"))
    }
}

/// Cargo, the one that runs this.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    command(&cargo, args)
}
