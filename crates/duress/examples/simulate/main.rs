//! Simulation of studies with a known truth, through the library call: how often intervals hold it,
//! and how often claims, break points and cliffs are false. `cargo xtask simulate` runs it.
//!
//! `simulate [--quick] [--studies N] [--slice I/K] [--out FILE]`. Rows that are in the file already
//! are not run again, so that a run that was stopped goes on where it was; slices write to files of
//! their own.

mod model;
mod row;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::process::ExitCode;

use row::{Asked, Row, Tally};

fn main() -> ExitCode {
    match simulate() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(failed) => {
            println!("{failed} rows fail");
            ExitCode::FAILURE
        }
        Err(why) => {
            eprintln!("simulate: {why}");
            ExitCode::from(2)
        }
    }
}

/// What was asked for on the command line.
struct Wanted {
    quick: bool,
    studies: Option<usize>,
    slice: (usize, usize),
    out: Option<String>,
}

fn wanted() -> Result<Wanted, String> {
    let mut wanted = Wanted {
        quick: false,
        studies: None,
        slice: (0, 1),
        out: None,
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        let number = |text: &str| text.parse::<usize>().map_err(|why| why.to_string());
        match arg.as_str() {
            "--quick" => wanted.quick = true,
            "--studies" => wanted.studies = Some(number(&value()?)?),
            "--out" => wanted.out = Some(value()?),
            "--slice" => {
                let text = value()?;
                let (at, of) = text.split_once('/').ok_or("--slice I/K")?;
                wanted.slice = (number(at)?, number(of)?);
            }
            other => return Err(format!("unknown argument {other}")),
        }
    }
    Ok(wanted)
}

fn simulate() -> Result<usize, String> {
    let wanted = wanted()?;
    let known = match &wanted.out {
        Some(file) => fs::read_to_string(file).unwrap_or_default(),
        None => String::new(),
    };
    let folder = tempfile::tempdir().map_err(|why| why.to_string())?;
    model::write_marks(folder.path()).map_err(|why| why.to_string())?;
    let rows = rows(wanted.quick);
    let mine = rows.iter().enumerate();
    let mine = mine.filter(|(at, _)| at % wanted.slice.1 == wanted.slice.0);
    let mut failed = 0;
    println!("| row | studies | accuracy held | difference held | upheld or shown | refuted | |");
    println!("|---|---|---|---|---|---|---|");
    for (_, row) in mine {
        let name = row.name();
        let before = known
            .lines()
            .find(|line| line.starts_with(&format!("| {name} |")));
        let line = match before {
            Some(line) => line.to_string(),
            None => {
                let studies = wanted
                    .studies
                    .unwrap_or(if wanted.quick { 200 } else { 4000 });
                let tally = row.run(0, studies, folder.path())?;
                let line = line(row, &tally);
                keep(wanted.out.as_deref(), &line)?;
                line
            }
        };
        println!("{line}");
        failed += usize::from(line.contains("FAILS"));
    }
    Ok(failed)
}

fn keep(file: Option<&str>, line: &str) -> Result<(), String> {
    let Some(file) = file else { return Ok(()) };
    let opened = OpenOptions::new().create(true).append(true).open(file);
    let mut opened = opened.map_err(|why| why.to_string())?;
    writeln!(opened, "{line}").map_err(|why| why.to_string())
}

fn line(row: &Row, tally: &Tally) -> String {
    let percent = |count: u64| format!("{:.1}", 100.0 * count as f64 / tally.studies as f64);
    let some = |holds: bool, count: u64| if holds { percent(count) } else { "–".into() };
    let failed = row.failures(tally);
    let said = match failed.is_empty() {
        true => String::new(),
        false => format!("FAILS: {}", failed.join(", ")),
    };
    format!(
        "| {} | {} | {} | {} | {} | {} | {said} |",
        row.name(),
        tally.studies,
        some(row.holds_accuracy(), tally.held[0]),
        some(row.holds_difference(), tally.held[1]),
        some(row.judges(), tally.wrong[0]),
        some(row.judges() && row.asked != Asked::Boundary, tally.wrong[1]),
    )
}

/// The rows; the quick form has one of each kind.
fn rows(quick: bool) -> Vec<Row> {
    let plain = Row {
        asked: Asked::Null,
        spread: 0,
        seeds: 3,
        nested: false,
        absent: false,
        accuracy: 0.8,
    };
    let mut rows = Vec::new();
    let (seeds, accuracies): (&[usize], &[f64]) = match quick {
        true => (&[3], &[0.8]),
        false => (&[1, 3, 5, 10], &[0.5, 0.8, 0.97]),
    };
    for spread in 0..4 {
        for (nested, absent) in [(false, false), (true, false), (false, true)] {
            for &seeds in seeds {
                for &accuracy in accuracies {
                    rows.push(Row {
                        spread,
                        seeds,
                        nested,
                        absent,
                        accuracy,
                        ..plain
                    });
                }
            }
        }
    }
    let gauges = ["auroc-macro", "f1", "mcc", "aurc", "ece"];
    let gauges = gauges.map(Asked::NullOf);
    let others = [
        Asked::Family,
        Asked::Boundary,
        Asked::BreakPoint,
        Asked::Linear,
    ];
    for asked in gauges.into_iter().chain(others) {
        for spread in 0..2 {
            rows.push(Row {
                asked,
                spread,
                ..plain
            });
        }
    }
    rows
}
