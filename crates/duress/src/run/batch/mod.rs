//! Batches: a folder through which model endpoints are asked in files instead of over a connection.
//!
//! Replies that came back are looked up in the outputs that lie there; what has none is written as
//! inputs, a file for each model and service, when the run is over. A request is named by its cell and
//! its item, so it is found again whatever else has changed, and by how often it was written: a row of
//! an output says which of the times it is about. One that stands in an input without an output is
//! waited for, and not written twice: it may be paid for already.

mod cell;
mod lock;
mod request_id;
mod rows;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use duress_core::batch::BatchKey;
use duress_core::problem::Problem;
use duress_tables::logs::batch::{BatchContent, BatchRow, read_rows};

use super::event::{BatchState, Event};
use crate::ledger::write_whole;
use crate::plan::Id;

pub(super) use cell::CellBatch;
pub use lock::BatchLock;
use request_id::RequestId;
use rows::{CameBack, RequestFate, fates, file_name, files_in, ids, unknown_row};

/// The most requests in a file, and the most bytes: what OpenAI takes, with room to spare.
const MOST_REQUESTS: usize = 50_000;
const MOST_BYTES: usize = 150 << 20;

/// The folder, with what came back in it and what is to go out.
pub struct BatchFolder {
    folder: PathBuf,
    /// Whether what failed is asked again.
    retry: bool,
    /// What came of requests, by their ids.
    come: HashMap<String, RequestFate>,
    /// The last time that each request was written, by its name.
    last_written: HashMap<String, Writing>,
    out: Mutex<Outgoing>,
}

/// One of the times that a request was written.
#[derive(Clone)]
struct Writing {
    /// Which of them, from 1.
    attempt: u32,
    /// The input in which it stands.
    input: String,
    /// Whether an output of that input is there.
    has_output: bool,
}

/// What this run asks for that has not come.
#[derive(Default)]
struct Outgoing {
    /// Lines of inputs by server, model and service, in the order of their cells and items.
    lines: BTreeMap<BatchService, BTreeMap<(Id, BatchKey), String>>,
    /// How many wait, and how many are written again, by the input in which they stand.
    open: BTreeMap<(String, BatchState), usize>,
}

impl Outgoing {
    fn count_open(&mut self, input: &str, state: BatchState) {
        *self.open.entry((input.into(), state)).or_default() += 1;
    }
}

/// Whom a file of requests is for: a service takes those to one model.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct BatchService {
    server: String,
    model: String,
    path: String,
}

impl BatchFolder {
    /// Reads what lies in a folder. With `retry`, what failed is asked again.
    pub fn open(lock: &BatchLock, retry: bool) -> Result<BatchFolder, Vec<Problem>> {
        let folder = lock.folder.as_path();
        let files = files_in(folder).map_err(|error| {
            vec![Problem::new(format!("it cannot be read: {error}")).in_file(folder)]
        })?;
        let mut inputs = Vec::new();
        let mut outputs = Vec::new();
        let mut problems = Vec::new();
        for file in files {
            match read_rows(&file) {
                Err(problem) => problems.push(problem),
                Ok(rows) if rows.iter().any(|row| row.content == BatchContent::Asked) => {
                    inputs.push((file, rows));
                }
                Ok(rows) => outputs.push((file, rows)),
            }
        }
        let asked: HashSet<&str> = ids(&inputs).collect();
        let unknown = outputs
            .iter()
            .filter_map(|output| unknown_row(output, &asked));
        problems.extend(unknown.collect::<Vec<_>>());
        let come = fates(outputs, &mut problems);
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut opened = BatchFolder {
            folder: folder.into(),
            retry,
            come,
            last_written: HashMap::new(),
            out: Mutex::default(),
        };
        inputs
            .iter()
            .for_each(|(file, rows)| opened.note_input(file, rows));
        Ok(opened)
    }

    /// Notes what was written into an input, where it is the last time that it was.
    fn note_input(&mut self, file: &Path, rows: &[BatchRow]) {
        let has_output = rows.iter().any(|row| self.come.contains_key(&row.id));
        let input = file_name(file);
        for row in rows {
            let RequestId { name, attempt } = RequestId::parse(&row.id);
            let new = Writing {
                attempt,
                input: input.clone(),
                has_output,
            };
            let known = self.last_written.get(&name);
            if known.is_none_or(|known| known.attempt < attempt) {
                self.last_written.insert(name, new);
            }
        }
    }

    /// The reply to a request, whichever of the times it was written it is to.
    fn reply(&self, name: &str, last: u32) -> Option<&CameBack> {
        (1..=last).find_map(|attempt| {
            let name = name.into();
            let id = RequestId { name, attempt };
            match self.come.get(&id.to_string())? {
                RequestFate::Came(came) if came.is_reply() => Some(came),
                RequestFate::Came(_) | RequestFate::Expired => None,
            }
        })
    }

    /// Writes what is to go out, and tells which files there are now; an `Err` names the file that
    /// could not be written.
    pub fn finish(&self, tell: &dyn Fn(&Event)) -> Result<(), (PathBuf, io::Error)> {
        let out = std::mem::take(&mut *self.outgoing());
        let told = |file: String, state: BatchState, requests: usize| {
            tell(&Event::Batch {
                file,
                state,
                requests,
            });
        };
        for ((file, state), requests) in &out.open {
            told(self.shown(file), *state, *requests);
        }
        for (service, lines) in &out.lines {
            for (content, requests) in files_of(lines.values()) {
                let file = self.free_name(&service.model);
                let written = fs::create_dir_all(&self.folder)
                    .and_then(|()| write_whole(&file, content.as_bytes()));
                written.map_err(|error| (file.clone(), error))?;
                told(file.display().to_string(), BatchState::Written, requests);
            }
        }
        Ok(())
    }

    fn shown(&self, file: &str) -> String {
        self.folder.join(file).display().to_string()
    }

    /// A name that no file has yet.
    fn free_name(&self, model: &str) -> PathBuf {
        let plain = |c: char| match c.is_ascii_alphanumeric() || "-._".contains(c) {
            true => c,
            false => '_',
        };
        let model: String = model.chars().take(80).map(plain).collect();
        let mut names = (1..).map(|nth| self.folder.join(format!("{model}-{nth}-input.jsonl")));
        let free = names.find(|file| !file.exists());
        free.unwrap_or_else(|| unreachable!("numbers do not end"))
    }

    fn outgoing(&self) -> MutexGuard<'_, Outgoing> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lines in as few files as a service takes, with how many there are in each.
fn files_of<'a>(lines: impl Iterator<Item = &'a String>) -> Vec<(String, usize)> {
    let mut files: Vec<(String, usize)> = Vec::new();
    for line in lines {
        let room = |(content, requests): &(String, usize)| {
            *requests < MOST_REQUESTS && content.len() + line.len() < MOST_BYTES
        };
        if !files.last().is_some_and(room) {
            files.push(Default::default());
        }
        if let Some((content, requests)) = files.last_mut() {
            content.push_str(line);
            content.push('\n');
            *requests += 1;
        }
    }
    files
}
