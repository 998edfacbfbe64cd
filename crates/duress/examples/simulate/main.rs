//! Simulation of studies with a known truth, through the library call: how often intervals hold it,
//! and how often claims, break points, cliffs and comparisons are false. `cargo xtask simulate` runs
//! it.
//!
//! `simulate [--quick] [--out FILE] [--only TEXT] [--studies N] [--develop] [--binary COMMAND]`.
//! Blocks whose rows are in the file already are not run again, so that a run that was stopped goes
//! on where it was. `--develop` takes studies that no judgement is made of: methods are chosen by
//! those. Two in a hundred studies go through the command too, where it is given.

mod binary;
mod block;
mod comparison;
mod graph;
mod line;
mod model;
mod recorded;
mod rival;
mod truth;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use binary::Binary;
use block::{Block, Design, Kind};
use graph::Ceiling;
use line::{HEAD, Line};

/// The level of the exact test that a row is held to its bar by.
const LEVEL: f64 = 0.001;
/// The same where a false alarm stops everybody: all rows together less than one in a million.
const QUICK_LEVEL: f64 = 1e-8;

/// Studies for which a method is developed begin here within a block.
const DEVELOP: usize = 50_000;

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
#[derive(Default)]
struct Wanted {
    quick: bool,
    develop: bool,
    studies: Option<usize>,
    only: Option<String>,
    out: Option<PathBuf>,
    binary: Option<PathBuf>,
}

fn wanted() -> Result<Wanted, String> {
    let mut wanted = Wanted::default();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--quick" => wanted.quick = true,
            "--develop" => wanted.develop = true,
            "--out" => wanted.out = Some(value()?.into()),
            "--only" => wanted.only = Some(value()?),
            "--binary" => wanted.binary = Some(value()?.into()),
            "--studies" => {
                let number = value()?.parse::<usize>();
                wanted.studies = Some(number.map_err(|why| why.to_string())?);
            }
            other => return Err(format!("unknown argument {other}")),
        }
    }
    Ok(wanted)
}

/// How many rows fail.
fn simulate() -> Result<usize, String> {
    let wanted = wanted()?;
    let known = known(wanted.out.as_deref())?;
    let folder = in_memory().map_err(|why| why.to_string())?;
    model::write_marks(folder.path()).map_err(|why| why.to_string())?;
    let binary = wanted.binary.clone().map(|command| Binary {
        command,
        folder: folder.path().into(),
    });
    let (done, missing) = divide(&wanted, known);
    let lines = Mutex::new(done);
    let (next, begun) = (AtomicUsize::new(0), Instant::now());
    let one = || -> Result<(), String> {
        while let Some(block) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
            let first = block.first() + if wanted.develop { DEVELOP } else { 0 };
            let found = block.run(first, folder.path(), binary.as_ref())?;
            let mut lines = lines.lock().unwrap_or_else(|broken| broken.into_inner());
            keep(wanted.out.as_deref(), &found)?;
            eprintln!("{:7.1} s  {}", begun.elapsed().as_secs_f64(), block.name());
            lines.extend(found);
        }
        Ok(())
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        let joined = all.into_iter().map(|one| one.join());
        joined
            .map(|ended| ended.unwrap_or_else(|_| Err("a thread panicked".into())))
            .collect::<Result<Vec<()>, String>>()
    })?;
    let lines = lines
        .into_inner()
        .unwrap_or_else(|broken| broken.into_inner());
    Ok(tell(&lines, if wanted.quick { QUICK_LEVEL } else { LEVEL }))
}

/// A folder in memory where the system has one: a disk would be waited for at every cell.
fn in_memory() -> std::io::Result<tempfile::TempDir> {
    let memory = Path::new("/dev/shm");
    match memory.is_dir() {
        true => tempfile::tempdir_in(memory),
        false => tempfile::tempdir(),
    }
}

/// The lines that are in the file.
fn known(file: Option<&Path>) -> Result<Vec<Line>, String> {
    let text = match file {
        Some(file) if file.exists() => fs::read_to_string(file).map_err(|why| why.to_string())?,
        _ => String::new(),
    };
    Ok(text.lines().filter_map(Line::parse).collect())
}

/// The lines of what is wanted that are known, and the blocks that are not.
fn divide(wanted: &Wanted, known: Vec<Line>) -> (Vec<Line>, Vec<Block>) {
    let mut blocks = if wanted.quick { quick() } else { full() };
    if let Some(text) = &wanted.only {
        blocks.retain(|block| block.name().contains(text.as_str()));
    }
    for block in &mut blocks {
        block.studies = wanted.studies.unwrap_or(block.studies);
    }
    let is_of = |block: &Block, line: &Line| {
        block
            .looks
            .iter()
            .any(|&seeds| block.row(seeds) == line.row)
    };
    let done = known
        .into_iter()
        .filter(|line| blocks.iter().any(|block| is_of(block, line)))
        .collect::<Vec<Line>>();
    blocks.retain(|block| !done.iter().any(|line| is_of(block, line)));
    (done, blocks)
}

/// Writes the lines of a block at once, so that it is there whole or not at all.
fn keep(file: Option<&Path>, lines: &[Line]) -> Result<(), String> {
    let Some(file) = file else { return Ok(()) };
    let head = if file.exists() { "" } else { HEAD };
    let opened = OpenOptions::new().create(true).append(true).open(file);
    let mut opened = opened.map_err(|why| why.to_string())?;
    let mut text = String::new();
    if !head.is_empty() {
        text += &format!("{head}\n");
    }
    for line in lines {
        text += &format!("{line}\n");
    }
    opened
        .write_all(text.as_bytes())
        .map_err(|why| why.to_string())
}

/// Prints what misses its bar, and the range of each measure; returns how many rows fail.
fn tell(lines: &[Line], level: f64) -> usize {
    let mut failed = 0;
    for line in lines.iter().filter(|line| line.misses(level)) {
        let exception = line.is_exception();
        failed += usize::from(!exception);
        let said = if exception { "exception" } else { "FAILS" };
        println!("{said}: {line}: {:.1} %", 100.0 * line.share());
    }
    println!("\n| kind | measure | rows | studies | lowest | highest |\n|---|---|---|---|---|---|");
    let mut kinds: Vec<(&str, &str)> = Vec::new();
    for line in lines {
        let key = (line.row.kind.as_str(), line.measure.as_str());
        if !kinds.contains(&key) {
            kinds.push(key);
        }
    }
    for (kind, measure) in kinds {
        let own = || {
            let own = lines.iter();
            own.filter(|line| line.row.kind == kind && line.measure == measure)
        };
        let studies: u64 = own().map(|line| line.of).sum();
        let lowest = own().map(Line::share).fold(f64::INFINITY, f64::min);
        let highest = own().map(Line::share).fold(0.0, f64::max);
        println!(
            "| {kind} | {measure} | {} | {studies} | {:.1} % | {:.1} % |",
            own().count(),
            100.0 * lowest,
            100.0 * highest
        );
    }
    failed
}

const PLAIN: Block = Block {
    kind: Kind::Accuracy,
    spread: 0,
    design: Design::Crossed,
    accuracy: 0.8,
    looks: Vec::new(),
    studies: 4000,
};

/// Everything; the longest first, so that no thread waits for the last.
fn full() -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut add = |kind: Kind, spreads: &[usize], looks: &[usize], studies: usize| {
        for &spread in spreads {
            blocks.push(Block {
                kind,
                spread,
                looks: looks.to_vec(),
                studies,
                ..PLAIN
            });
        }
    };
    for seeds in [3, 5, 10] {
        add(Kind::Power, &[0, 1, 2, 3], &[seeds], 2000);
    }
    add(Kind::Family(0), &[0, 1], &[3], 40_000);
    add(Kind::Family(5), &[0, 1], &[3], 40_000);
    add(Kind::Noise, &[0, 1], &[3, 5], 4000);
    add(Kind::Linear, &[0, 1], &[3, 5], 4000);
    add(Kind::Compare, &[0, 1], &[3], 4000);
    add(Kind::Equivalence, &[0, 1, 2, 3], &[3, 10], 4000);
    add(Kind::Gauges, &[0, 1], &[3, 10], 1000);
    add(Kind::ManyItems, &[0], &[3, 10], 1000);
    add(Kind::Graphs(Ceiling::Free), &[3], &[3, 5, 10], 4000);
    add(Kind::Graphs(Ceiling::Mostly), &[3], &[3, 5, 10], 4000);
    for spread in 0..5 {
        for design in [Design::Crossed, Design::Nested, Design::Absent] {
            for accuracy in [0.5, 0.8, 0.97] {
                blocks.push(Block {
                    spread,
                    design,
                    accuracy,
                    looks: vec![1, 3, 5, 10],
                    ..PLAIN
                });
            }
        }
    }
    blocks
}

/// One block of each kind that the old defaults failed, for CI.
fn quick() -> Vec<Block> {
    let mut blocks = Vec::new();
    for (spread, looks) in [(0, vec![3, 10]), (1, vec![3, 10]), (2, vec![5])] {
        blocks.push(Block {
            spread,
            looks,
            studies: 1000,
            ..PLAIN
        });
    }
    let others = [
        (Kind::Family(0), 1, 4000),
        (Kind::Equivalence, 1, 1000),
        (Kind::Noise, 0, 400),
        (Kind::Linear, 0, 400),
        (Kind::Compare, 0, 300),
        (Kind::Graphs(Ceiling::Mostly), 3, 1000),
    ];
    for (kind, spread, studies) in others {
        blocks.push(Block {
            kind,
            spread,
            looks: vec![3],
            studies,
            ..PLAIN
        });
    }
    blocks
}
