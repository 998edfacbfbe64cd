//! `cargo xtask simulate`: studies with a known truth, through the library call and, two in a
//! hundred, through the command.

use crate::step::{Done, Steps, cargo, command, target};

/// Everything, with these arguments; it fails where a row does.
pub(crate) fn simulate(args: &[String]) -> Done {
    let mut steps = Steps::default();
    release_build(&mut steps)?;
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    run(&mut steps, &args)
}

/// The form for CI: one block of each kind, held to a level that chance alone does not reach.
pub(crate) fn quick(steps: &mut Steps) -> Done {
    run(steps, &["--quick"])
}

/// Builds the command and the simulation at once: one after the other, features of dependencies
/// would differ, and these would be compiled twice.
pub(crate) fn release_build(steps: &mut Steps) -> Done {
    let release = ["build", "--release", "--workspace", "--bin", "duress"];
    let release = [&release[..], &["--example", "simulate"]].concat();
    steps.run("release build", &mut cargo(&release))?;
    Ok(())
}

fn run(steps: &mut Steps, args: &[&str]) -> Done {
    let folder = target().join("release");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let simulation = path("examples/simulate");
    let duress = path("duress");
    let args = [&["--binary", &duress], args].concat();
    steps.run("simulated studies", &mut command(&simulation, &args))?;
    Ok(())
}
