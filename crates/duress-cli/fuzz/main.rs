//! Fuzzing of every reader of bytes that come from elsewhere, on stable Rust.
//!
//! Inputs are numbered, and each follows from its number alone ([`mutate`]), so that nothing but a
//! number is kept of those that went well. `cargo test` goes through the first few of each reader;
//! `cargo xtask fuzz` goes on from where it was, in slices, each in a process of its own: one that
//! dies or hangs is a failure of the input it was at, and the next slice begins behind it. What
//! once failed is kept in `corpus/`, whose files are seeds and are read first.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a harness of tests prints, and may panic over what it has made itself"
)]

mod mutate;
mod peer;
mod readers;
mod slice;
mod state;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        [] => state::short(),
        ["long", rest @ ..] => state::long(rest),
        ["slice", reader, from, to] => slice::run(reader, from, to),
        ["mutants", format, count, folder] => peer::write(format, count, folder),
        // Somebody looks for a test by name among all tests.
        _ => ExitCode::SUCCESS,
    }
}
