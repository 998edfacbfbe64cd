//! `cargo xtask test`: everything CI asks for, cheapest first.

use crate::step::{Done, cargo, step};
use crate::{browser, quickstart, studies};

pub(crate) fn test() -> Done {
    step("format", &mut cargo(&["fmt", "--all", "--check"]))?;
    step(
        "lints",
        &mut cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]),
    )?;
    step(
        "docs",
        cargo(&["doc", "--workspace", "--no-deps", "--quiet"]).env("RUSTDOCFLAGS", "-D warnings"),
    )?;
    // Not --all-targets: that would run the benches too, at full length.
    step(
        "unit and integration tests",
        &mut cargo(&[
            "test",
            "--workspace",
            "--lib",
            "--bins",
            "--tests",
            "--no-fail-fast",
        ]),
    )?;
    step(
        "examples in the docs",
        &mut cargo(&["test", "--workspace", "--doc"]),
    )?;
    step(
        "release build",
        &mut cargo(&["build", "--release", "--package", "duress-cli"]),
    )?;
    let run = quickstart::quickstart()?;
    studies::studies()?;
    browser::browser(&run)
}
