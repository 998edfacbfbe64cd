//! `cargo xtask simulate`: studies with a known truth, through the library call.

use crate::step::{Done, Steps, cargo};

/// Runs the example of the same name with these arguments; it fails where a row does.
pub(crate) fn simulate(args: &[String]) -> Done {
    let mut words = vec!["run", "--quiet", "--release", "--package", "duress"];
    words.extend(["--example", "simulate", "--"]);
    words.extend(args.iter().map(String::as_str));
    Steps::default().run("simulate", &mut cargo(&words))?;
    Ok(())
}
