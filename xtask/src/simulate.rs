//! `cargo xtask simulate`: studies with a known truth, through the library call.

use std::process::Command;

/// Runs the example of the same name with these arguments; it fails where a row does.
pub(crate) fn simulate(args: &[String]) -> Result<(), String> {
    let mut command = Command::new(env!("CARGO"));
    command.args([
        "run",
        "--quiet",
        "--release",
        "-p",
        "duress",
        "--example",
        "simulate",
        "--",
    ]);
    let done = command.args(args).status().map_err(|why| why.to_string())?;
    match done.success() {
        true => Ok(()),
        false => Err("a row fails, or could not be run".into()),
    }
}
