//! How far fuzzing has come: slice after slice, kept in `target/fuzz/state.json`.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Instant;

use serde_json::{Map, Value, json};

use crate::mutate;
use crate::readers::{READERS, Reader};
use crate::slice::{self, HANGS};

/// Inputs of each reader in the short form: all together take seconds.
const SHORT: u64 = 256;

/// Inputs of one slice.
const SLICE: u64 = 5_000;

/// Inputs of each reader in the long form, unless somebody says otherwise.
const LONG: u64 = 100_000;

/// What is known of a reader: how far it has come, and what went wrong.
struct Progress {
    reader: &'static Reader,
    done: Value,
}

/// The first inputs of every reader, and nothing kept.
pub(crate) fn short() -> ExitCode {
    let begun = Instant::now();
    let mut all: Vec<Progress> = READERS.iter().map(Progress::new).collect();
    for progress in &mut all {
        progress.go_on(SHORT);
    }
    slice::clear();
    println!("{}in {:.0} s", table(&all), begun.elapsed().as_secs_f64());
    outcome(&all)
}

/// On from where the last one was, until every reader that is named has had so many inputs:
/// `[--inputs N] [--seconds S] [READER…]`.
pub(crate) fn long(args: &[&str]) -> ExitCode {
    let (begun, mut inputs, mut seconds, mut names) = (Instant::now(), LONG, u64::MAX, Vec::new());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let number = |args: &mut std::slice::Iter<'_, &str>| args.next()?.parse::<u64>().ok();
        match *arg {
            "--inputs" => inputs = number(&mut args).unwrap_or(LONG),
            "--seconds" => seconds = number(&mut args).unwrap_or(u64::MAX),
            name => names.push(name),
        }
    }
    let mut kept = read_state();
    let mut all: Vec<Progress> = READERS.iter().map(Progress::new).collect();
    for progress in &mut all {
        if let Some(done) = kept.remove(progress.reader.name) {
            progress.done = done;
        }
    }
    let chosen = |one: &Progress| names.is_empty() || names.contains(&one.reader.name);
    // By turns, so that whoever stops it has something of everything.
    let mut open = true;
    while open && begun.elapsed().as_secs() < seconds {
        open = false;
        for at in 0..all.len() {
            let progress = &mut all[at];
            let (next, more) = (progress.next(), begun.elapsed().as_secs() < seconds);
            if chosen(progress) && next < inputs && more {
                progress.go_on((next + SLICE).min(inputs));
                open = true;
                write_state(&all);
            }
        }
    }
    slice::clear();
    println!("{}", table(&all));
    outcome(&all)
}

impl Progress {
    fn new(reader: &'static Reader) -> Progress {
        Progress {
            reader,
            done: json!({
                "next": 0, "accepted": 0, "refused": 0, "panics": [], "above": [],
                "hangs": [], "deaths": [], "most_mib": 0, "seconds": 0.0,
            }),
        }
    }

    fn next(&self) -> u64 {
        self.done["next"].as_u64().unwrap_or(0)
    }

    /// Goes on until so many inputs are done; a slice that dies is taken up behind its last input.
    fn go_on(&mut self, to: u64) {
        while self.next() < to {
            let begun = Instant::now();
            let from = self.next();
            let (next, found) = self.slice(from, to);
            self.add(&found, begun.elapsed().as_secs_f64());
            self.done["next"] = next.into();
        }
    }

    fn slice(&self, from: u64, to: u64) -> (u64, Value) {
        let me = std::env::current_exe().expect("this program");
        let mut command = Command::new(me);
        command.args(["slice", self.reader.name]);
        command.args([from.to_string(), to.to_string()]);
        command.env("DURESS_FUZZ", std::process::id().to_string());
        let ended = command.output().expect("this program starts");
        if let (true, Ok(found)) = (
            ended.status.success(),
            serde_json::from_slice(&ended.stdout),
        ) {
            return (to, found);
        }
        let marker = fs::read(slice::marker(self.reader.name)).unwrap_or_default();
        let at = marker
            .first_chunk::<8>()
            .map_or(from, |at| u64::from_le_bytes(*at));
        let words = String::from_utf8_lossy(&ended.stderr).into_owned();
        let last: String = words.chars().take(500).collect();
        let kind = match ended.status.code() {
            Some(code) if code == i32::from(HANGS) => "hangs",
            _ => "deaths",
        };
        (at + 1, json!({ kind: [[at, last]] }))
    }

    fn add(&mut self, found: &Value, seconds: f64) {
        for key in ["accepted", "refused"] {
            let sum = self.done[key].as_u64().unwrap_or(0) + found[key].as_u64().unwrap_or(0);
            self.done[key] = sum.into();
        }
        for key in ["panics", "above", "hangs", "deaths"] {
            if let (Some(all), Some(more)) = (self.done[key].as_array_mut(), found[key].as_array())
            {
                all.extend(more.iter().cloned());
            }
        }
        let most = |value: &Value| value["most_mib"].as_u64().unwrap_or(0);
        self.done["most_mib"] = most(&self.done).max(most(found)).into();
        let before = self.done["seconds"].as_f64().unwrap_or(0.0);
        self.done["seconds"] = (before + seconds).into();
        self.keep_failures(found);
    }

    /// Writes the inputs that failed where they can be looked at, and taken into the corpus.
    fn keep_failures(&self, found: &Value) {
        let folder = target().join("failures");
        let seeds = std::cell::LazyCell::new(|| self.reader.seeds());
        for key in ["panics", "above", "hangs", "deaths"] {
            for one in found[key].as_array().into_iter().flatten() {
                let Some(number) = one.as_u64().or(one[0].as_u64()) else {
                    continue;
                };
                let bytes = mutate::input(self.reader.name, number, &seeds);
                fs::create_dir_all(&folder).expect("a folder of our own");
                let file = folder.join(format!("{}-{number}-{key}", self.reader.name));
                fs::write(file, bytes).expect("a file of our own");
            }
        }
    }

    fn failures(&self) -> usize {
        let keys = ["panics", "above", "hangs", "deaths"].iter();
        keys.map(|key| self.done[*key].as_array().map_or(0, Vec::len))
            .sum()
    }
}

fn target() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/fuzz")
}

fn read_state() -> Map<String, Value> {
    let bytes = fs::read(target().join("state.json")).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn write_state(all: &[Progress]) {
    let state: Map<String, Value> = all
        .iter()
        .map(|one| (one.reader.name.to_string(), one.done.clone()))
        .collect();
    fs::create_dir_all(target()).expect("a folder of our own");
    let text = serde_json::to_vec_pretty(&state).expect("a state is JSON");
    duress::run::write_whole(&target().join("state.json"), &text).expect("a file of our own");
}

fn table(all: &[Progress]) -> String {
    let mut text = String::from(
        "reader               inputs  accepted  panics  hangs  deaths  above 1 GiB  most MiB  ms each\n",
    );
    for Progress { reader, done } in all {
        let count = |key: &str| done[key].as_array().map_or(0, Vec::len);
        let whole = |key: &str| done[key].as_u64().unwrap_or(0);
        let each = 1e3 * done["seconds"].as_f64().unwrap_or(0.0) / whole("next").max(1) as f64;
        text += &format!(
            "{:<20} {:>6} {:>9} {:>7} {:>6} {:>7} {:>12} {:>9} {:>8.3}\n",
            reader.name,
            whole("next"),
            whole("accepted"),
            count("panics"),
            count("hangs"),
            count("deaths"),
            count("above"),
            whole("most_mib"),
            each,
        );
    }
    text
}

fn outcome(all: &[Progress]) -> ExitCode {
    let mut failed = false;
    for progress in all.iter().filter(|one| one.failures() > 0) {
        failed = true;
        for key in ["panics", "above", "hangs", "deaths"] {
            for one in progress.done[key].as_array().into_iter().flatten() {
                println!("{} {key}: {one}", progress.reader.name);
            }
        }
    }
    match failed {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}
