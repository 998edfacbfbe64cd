//! One slice: a stretch of inputs of one reader, in a process of its own.

use std::fs;
use std::io::{Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::mutate;
use crate::readers::{Place, READERS, Reader};

/// How long one input may take, on a machine that has other things to do as well.
const PATIENCE: Duration = Duration::from_secs(20);

/// What an input of a few kilobytes may take.
pub(crate) const BOUND: u64 = 1 << 30;

/// Inputs between two looks at the memory.
const BATCH: u64 = 64;

/// The exit code of a slice that hangs.
pub(crate) const HANGS: u8 = 86;

/// Where the input at which a slice is stands, for who finds it dead.
pub(crate) fn marker(reader: &str) -> PathBuf {
    scratch().join(format!("{reader}.at"))
}

/// Files are written and read all the time: in memory, where there is such a place.
fn scratch() -> PathBuf {
    let shared = Path::new("/dev/shm");
    let folder = match shared.is_dir() {
        true => shared.to_path_buf(),
        false => std::env::temp_dir(),
    };
    let folder = folder.join(format!("duress-fuzz-{}", parent()));
    fs::create_dir_all(&folder).expect("a folder of our own");
    folder
}

/// The number that the process which started all slices, and its slices, have in common.
fn parent() -> String {
    std::env::var("DURESS_FUZZ").unwrap_or_else(|_| std::process::id().to_string())
}

/// Removes what slices wrote.
pub(crate) fn clear() {
    let _ = fs::remove_dir_all(scratch());
}

static SINCE: Mutex<Option<Instant>> = Mutex::new(None);
static PANIC: Mutex<String> = Mutex::new(String::new());

pub(crate) fn run(name: &str, from: &str, to: &str) -> ExitCode {
    let reader = READERS.iter().find(|reader| reader.name == name);
    let (Some(reader), Ok(from), Ok(to)) = (reader, from.parse(), to.parse()) else {
        return ExitCode::from(2);
    };
    // The panics of foreign readers that are caught and told as damage are none of ours.
    std::panic::set_hook(Box::new(|info| {
        if !duress::run::is_reading_a_file() {
            *PANIC.lock().expect("nobody panics here") = info.to_string();
        }
    }));
    std::thread::spawn(watch);
    println!("{}", read_all(reader, from, to));
    ExitCode::SUCCESS
}

/// Ends the process when one input takes too long: its number is in the marker.
fn watch() {
    loop {
        std::thread::sleep(Duration::from_millis(200));
        let since = *SINCE.lock().expect("nobody panics here");
        if since.is_some_and(|since| since.elapsed() > PATIENCE) {
            std::process::exit(HANGS.into());
        }
    }
}

fn read_all(reader: &Reader, from: u64, to: u64) -> serde_json::Value {
    let seeds = reader.seeds();
    let place = Place::new(&scratch(), reader);
    let marker = fs::File::create(marker(reader.name)).expect("a file of our own");
    let (mut accepted, mut refused) = (0, 0);
    let (mut panics, mut above, mut most) = (Vec::new(), Vec::new(), 0);
    let one = |number: u64| {
        let mut marker = &marker;
        let noted = marker.rewind();
        let noted = noted.and_then(|()| marker.write_all(&number.to_le_bytes()));
        noted.expect("a file of our own");
        *SINCE.lock().expect("nobody panics here") = Some(Instant::now());
        let bytes = mutate::input(reader.name, number, &seeds);
        catch_unwind(AssertUnwindSafe(|| (reader.read)(&place, &bytes, number)))
    };
    let mut batch = from;
    while batch < to {
        let end = (batch + BATCH).min(to);
        let before = reset_peak();
        for number in batch..end {
            match one(number) {
                Ok(Ok(())) => accepted += 1,
                Ok(Err(_)) => refused += 1,
                Err(_) => {
                    let said = PANIC.lock().expect("nobody panics here").clone();
                    panics.push(json!([number, said]));
                }
            }
        }
        let taken = peak().saturating_sub(before);
        most = most.max(taken);
        if taken > BOUND {
            above.extend((batch..end).filter(|number| {
                let before = reset_peak();
                let _ = one(*number);
                peak().saturating_sub(before) > BOUND
            }));
        }
        batch = end;
    }
    json!({
        "accepted": accepted, "refused": refused, "panics": panics, "above": above,
        "most_mib": most >> 20,
    })
}

/// Forgets the most memory that was taken so far, and says what is taken now; 0 where nobody knows.
fn reset_peak() -> u64 {
    let _ = fs::write("/proc/self/clear_refs", "5");
    peak()
}

/// The most memory that was taken since.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}
