//! The project's own chores: `cargo xtask test`, `cargo xtask bench`, `cargo xtask peers`.

mod bench;
mod browser;
mod peers;
mod processor;
mod quickstart;
mod step;
mod studies;
mod test;

use std::process::ExitCode;

const HELP: &str =
    "cargo xtask test            format, lints, unit, integration, docs, end-to-end: what CI runs
cargo xtask bench           the benches of this workspace, each with its bar
cargo xtask peers [NAME…]   regenerate reference values and run the peers side by side (heavy; needs Python)";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.first().map(String::as_str) {
        Some("test") if args.len() == 1 => test::test(),
        Some("bench") if args.len() == 1 => bench::bench(),
        Some("peers") => peers::peers(&args[1..]),
        _ => {
            eprintln!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("xtask: {what}");
            ExitCode::FAILURE
        }
    }
}
