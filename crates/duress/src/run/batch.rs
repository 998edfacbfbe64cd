//! Batches: a folder through which model endpoints are asked in files instead of over a connection.
//!
//! Replies that came back are looked up in the outputs that lie there; what has none is written as
//! inputs, a file for each model and service, when the run is over. A request is named by its cell and
//! its item, so it is found again whatever else has changed. One that stands in an input without an
//! output is waited for, and not written twice: it may be paid for already.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use duress_core::batch::{Batch, BatchKey, BatchReply, BatchRequest};
use duress_core::data::Items;
use duress_core::problem::Problem;
use duress_tables::logs::batch::{BatchContent, BatchRow, read_rows};
use serde_json::{Value, json};

use super::event::{BatchState, Event};
use crate::ledger::{Partial, write_whole};
use crate::plan::Id;

/// The most requests in a file, and the most bytes: what OpenAI takes, with room to spare.
const MOST_REQUESTS: usize = 50_000;
const MOST_BYTES: usize = 150 << 20;

/// The folder, with what came back in it and what is to go out.
pub struct BatchFolder {
    folder: PathBuf,
    /// What came of each request.
    come: HashMap<String, CameBack>,
    /// Requests that nothing came of: the input in which they stand, and whether its output is there.
    open: HashMap<String, (String, BatchState)>,
    out: Mutex<Outgoing>,
}

/// What came of a request, and where that stands.
struct CameBack {
    status: u16,
    body: Value,
    file: PathBuf,
    line: usize,
}

impl CameBack {
    fn is_reply(&self) -> bool {
        self.status < 400
    }
}

/// What this run asks for that has not come.
#[derive(Default)]
struct Outgoing {
    /// Lines of inputs by server, model and service, in the order of their cells and items.
    lines: BTreeMap<BatchService, BTreeMap<(Id, BatchKey), String>>,
    /// How many nothing came of, by input.
    open: BTreeMap<(String, BatchState), usize>,
}

/// Whom a file of requests is for: a service takes those to one model.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct BatchService {
    server: String,
    model: String,
    path: String,
}

impl BatchFolder {
    /// Reads what lies in a folder; one that is not there is empty.
    pub fn open(folder: &Path) -> Result<BatchFolder, Vec<Problem>> {
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
        let told: HashSet<String> = ids(&outputs).map(String::from).collect();
        let come = replies(outputs, &mut problems);
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut opened = BatchFolder {
            folder: folder.into(),
            come,
            open: HashMap::new(),
            out: Mutex::default(),
        };
        inputs
            .iter()
            .for_each(|(file, rows)| opened.note_input(file, rows, &told));
        Ok(opened)
    }

    /// Notes which requests of an input nothing came of. One that was written again is waited for.
    fn note_input(&mut self, file: &Path, rows: &[BatchRow], told: &HashSet<String>) {
        let without = || rows.iter().filter(|row| !told.contains(&row.id));
        let state = match without().count() == rows.len() {
            true => BatchState::Waiting,
            false => BatchState::Incomplete,
        };
        for row in without() {
            let open = self.open.entry(row.id.clone());
            let open = open.or_insert_with(|| (file_name(file), state));
            if state == BatchState::Waiting {
                *open = (file_name(file), state);
            }
        }
    }

    /// Writes what is to go out, and tells which files there are now.
    pub fn finish(&self, tell: &dyn Fn(&Event)) -> io::Result<()> {
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
                fs::create_dir_all(&self.folder)?;
                write_whole(&file, content.as_bytes())?;
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

/// The files of lines of JSON in a folder, in order.
fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut files: Vec<PathBuf> = paths.collect::<io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "jsonl"));
    files.sort();
    Ok(files)
}

fn file_name(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

type FileRows = (PathBuf, Vec<BatchRow>);

fn ids(files: &[FileRows]) -> impl Iterator<Item = &str> {
    let rows = files.iter().flat_map(|(_, rows)| rows);
    rows.map(|row| row.id.as_str())
}

/// The first line of an output that nobody here asked for.
fn unknown_row((file, rows): &FileRows, asked: &HashSet<&str>) -> Option<Problem> {
    let unknown = rows.iter().find(|row| !asked.contains(row.id.as_str()))?;
    let wrong = Problem::new(format!("`custom_id` {:?} is in no input here", unknown.id));
    let expected = "outputs of the inputs that `run --batch` wrote into the same folder";
    Some(wrong.expected(expected).in_file(file).on_line(unknown.line))
}

/// What came of each request. A reply counts more than an error; two replies that differ are a
/// problem, since one of them would be left out.
fn replies(outputs: Vec<FileRows>, problems: &mut Vec<Problem>) -> HashMap<String, CameBack> {
    let mut come: HashMap<String, CameBack> = HashMap::new();
    for (file, rows) in outputs {
        for row in rows {
            let BatchContent::Came(status, body) = row.content else {
                continue;
            };
            let new = CameBack {
                status,
                body,
                file: file.clone(),
                line: row.line,
            };
            match come.get(&row.id).filter(|before| before.is_reply()) {
                Some(before) if new.is_reply() && before.body != new.body => {
                    problems.push(answered_twice(&row.id, before, &new));
                }
                Some(_) => {}
                None => {
                    come.insert(row.id, new);
                }
            }
        }
    }
    come
}

fn answered_twice(id: &str, before: &CameBack, new: &CameBack) -> Problem {
    let place = format!("{} on line {}", file_name(&before.file), before.line);
    Problem::new(format!("`custom_id` {id:?} has another reply in {place}"))
        .expected("one reply to each request: take one of them out")
        .in_file(&new.file)
        .on_line(new.line)
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

/// The same folder for the items of one cell.
pub(super) struct CellBatch<'a> {
    pub(super) folder: &'a BatchFolder,
    pub(super) partial: &'a Partial,
    pub(super) asked: &'a Items,
}

impl CellBatch<'_> {
    /// What a request is called, the same in every run: of letters, digits and dashes, and no longer
    /// than any service takes.
    fn name(&self, key: BatchKey) -> String {
        let cell = self.partial.cell().to_string();
        let item = blake3::hash(self.item(key).as_bytes()).to_hex();
        let repair = if key.repair { "-repair" } else { "" };
        format!("{:.16}-{item:.16}-{}{repair}", cell, key.about.repeat)
    }

    fn item(&self, key: BatchKey) -> &str {
        self.asked.ids().get(key.about.item)
    }

    /// Whether an earlier run was told that this failed: it is asked again then.
    fn is_told_failed(&self, key: BatchKey) -> bool {
        let item = self.item(key);
        let partial = self.partial;
        let repeat = partial.known_repeat(item, key.about.repeat);
        partial.known(item).is_some() || repeat.is_some()
    }
}

impl Batch for CellBatch<'_> {
    fn find(&self, key: BatchKey) -> BatchReply {
        let name = self.name(key);
        let come = self.folder.come.get(&name);
        if let Some(reply) = come.filter(|come| come.is_reply()) {
            return BatchReply::Came(reply.status, reply.body.to_string());
        }
        if let Some((input, state)) = self.folder.open.get(&name) {
            let mut out = self.folder.outgoing();
            *out.open.entry((input.clone(), *state)).or_default() += 1;
            if *state == BatchState::Waiting {
                let input = self.folder.shown(input);
                return BatchReply::Waiting(format!("it is in {input}, whose output is not there"));
            }
        }
        match come.filter(|_| !self.is_told_failed(key)) {
            Some(error) => BatchReply::Came(error.status, error.body.to_string()),
            None => BatchReply::Missing,
        }
    }

    fn write(&self, request: BatchRequest) -> String {
        let line = json!({
            "custom_id": self.name(request.key),
            "method": "POST",
            "url": format!("/v1/{}", request.path),
            "body": serde_json::from_str::<Value>(&request.body).unwrap_or_default(),
        });
        let service = BatchService {
            server: request.server,
            model: request.model,
            path: request.path,
        };
        let mut out = self.folder.outgoing();
        let lines = out.lines.entry(service).or_default();
        lines.insert((self.partial.cell(), request.key), line.to_string());
        let folder = self.folder.folder.display();
        format!("it is written into {folder}, to be sent from there")
    }
}
