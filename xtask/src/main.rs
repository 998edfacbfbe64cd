//! The project's own chores: `cargo xtask test`, `bench`, `data`, `fuzz`, `goldens`, `measure`, `simulate`, `peers`.

mod bench;
mod browser;
mod data;
mod findings;
mod fuzz;
mod goldens;
mod measure;
mod peers;
mod quoted;
mod real_server;
mod sachs;
mod same_bits;
mod shipped;
mod simulate;
mod stand_in_series;
mod step;
mod studies;
mod test;

use std::process::ExitCode;

const HELP: &str =
    "cargo xtask test            format, lints, unit, integration, docs, end-to-end: what CI runs
cargo xtask studies         of these, the shipped studies alone
cargo xtask real-server     of these, language models through a real server alone
cargo xtask bench           the benches of this workspace, each with its bar
cargo xtask goldens make DIR [--duress PATH] [--full]
                            findings of every shipped study (--full: the long causal ones too)
cargo xtask goldens compare OLD NEW
                            whether two such folders hold the same findings, byte for byte;
                            those of an older version are converted first
cargo xtask goldens convert OLD.json NEW.json
                            a file of findings of an older version, in today's
cargo xtask data            whether docs/data.md has every data file with its right hash
cargo xtask fuzz [--inputs N] [--seconds S] [READER…]
                            mutated files for every reader, on from where the last time ended
cargo xtask measure [ROOT]  how dense the code is: tokens a line, names used twice, short names, docs
cargo xtask simulate [--quick] [--out FILE] [--only TEXT] [--studies N] [--develop]
                            whether intervals hold the truth and claims are rarely false; rows in FILE are not run again
cargo xtask peers [NAME…]   regenerate reference values and run the peers side by side (heavy; needs Python)";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.first().map(String::as_str) {
        Some("test") if args.len() == 1 => test::test(),
        Some("studies") if args.len() == 1 => test::studies_alone(),
        Some("bench") if args.len() == 1 => bench::bench(),
        Some("data") if args.len() == 1 => data::data(),
        Some("fuzz") => fuzz::fuzz(&args[1..]),
        Some("real-server") if args.len() == 1 => real_server::alone(),
        Some("goldens") => goldens::goldens(&args[1..]),
        Some("measure") if args.len() <= 2 => measure::measure(args.get(1)),
        Some("simulate") => simulate::simulate(&args[1..]),
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
