//! `cargo xtask test`: everything CI asks for, cheapest first, and where its time went.

use std::path::PathBuf;

use crate::step::{Done, Steps, cargo};
use crate::{browser, quoted, real_server, same_bits, simulate, studies};

/// Minutes that all steps together may take, from nothing on two idle cores: 25, three for each of
/// the six capabilities that have moved in since, two for scrambled order, four for ways to train and four for explanations. A
/// submission that waits longer is not read while it is fresh.
const BUDGET: f64 = 53.0;

/// An allowance for how much runs of the same tree differ. It was set, not measured: a cold run on an
/// idle machine that says so can take it back.
const NOISE: f64 = 1.1;

/// The share of the processors that others may have before the machine no longer counts as idle.
const OTHERS: f64 = 0.05;

pub(crate) fn test() -> Done {
    let mut steps = Steps::default();
    let done = all(&mut steps);
    print!("\n{}", steps.table());
    done.and_then(|()| within_budget(&steps))
}

fn all(steps: &mut Steps) -> Done {
    steps.run("format", &mut cargo(&["fmt", "--all", "--check"]))?;
    let lints = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ];
    steps.run("lints", &mut cargo(&lints))?;
    let mut docs = cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
    steps.run("docs", docs.env("RUSTDOCFLAGS", "-D warnings"))?;
    // Built first, so that the table tells compiling from testing. Not --all-targets: that would
    // run the benches too, at full length.
    let tests = [
        "test",
        "--workspace",
        "--lib",
        "--bins",
        "--tests",
        "--no-fail-fast",
    ];
    steps.run(
        "build of the tests",
        &mut cargo(&[&tests[..], &["--no-run"]].concat()),
    )?;
    steps.run("unit and integration tests", &mut cargo(&tests))?;
    let examples = ["test", "--workspace", "--doc"];
    steps.run("examples in the docs", &mut cargo(&examples))?;
    let quickstart = with_the_command(steps)?;
    real_server::real_server(steps)?;
    simulate::quick(steps)?;
    browser::browser(steps, &quickstart)
}

/// The steps that run the command itself, alone: `cargo xtask studies`.
pub(crate) fn studies_alone() -> Done {
    let mut steps = Steps::default();
    let done = with_the_command(&mut steps);
    print!("\n{}", steps.table());
    done.map(|_| ())
}

/// Builds the command and runs the shipped studies with it; returns the quickstart's run.
fn with_the_command(steps: &mut Steps) -> Result<PathBuf, String> {
    simulate::release_build(steps)?;
    let quickstart = studies::studies(steps)?;
    quoted::quoted()?;
    same_bits::same_bits(steps)?;
    Ok(quickstart)
}

fn within_budget(steps: &Steps) -> Done {
    let minutes = steps.total() / 60.0;
    if minutes <= BUDGET {
        return Ok(());
    }
    if minutes <= NOISE * BUDGET {
        println!(
            "{minutes:.1} minutes, more than the {BUDGET} they may take, but within what is allowed for noise; the longest: {}",
            steps.longest(4)
        );
        return Ok(());
    }
    if let Some(share) = steps.share_of_others().filter(|share| *share > OTHERS) {
        println!(
            "{minutes:.1} minutes, more than the {BUDGET} of an idle machine; others kept {:.0} % of this one busy, so that is not held against the change",
            100.0 * share
        );
        return Ok(());
    }
    Err(format!(
        "all steps passed, but took {minutes:.1} minutes, more than the {BUDGET} they may take; the longest: {}",
        steps.longest(4)
    ))
}
