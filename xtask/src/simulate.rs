//! `cargo xtask simulate`: studies with a known truth, through the library call and, two in a
//! hundred, through the command.

use crate::step::{Done, Steps, cargo, command, target};

/// Everything, with these arguments; it fails where a row does.
pub(crate) fn simulate(args: &[String]) -> Done {
    let mut steps = Steps::default();
    let release = ["build", "--release", "--workspace", "--bin", "duress"];
    let release = [&release[..], &["--example", "simulate"]].concat();
    steps.run("build of the simulation", &mut cargo(&release))?;
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    run(&mut steps, "release", &args)
}

fn run(steps: &mut Steps, profile: &str, args: &[&str]) -> Done {
    let folder = target().join(profile);
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let own = ["--binary".to_string(), path("duress")];
    let own = own.iter().map(String::as_str);
    let all: Vec<&str> = own.chain(args.iter().copied()).collect();
    let mut simulation = command(&path("examples/simulate"), &all);
    steps.run("simulated studies", &mut simulation)?;
    Ok(())
}
