//! The files of a batch folder: what was asked in inputs, and what outputs say came of it.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use duress_core::problem::Problem;
use duress_tables::logs::batch::{BatchContent, BatchRow};
use serde_json::Value;

/// What came of a request one of the times it was written.
pub(super) enum RequestFate {
    /// A reply, or an error.
    Came(CameBack),
    /// Nobody was asked in time.
    Expired,
}

/// A row of an output, and where that stands.
pub(super) struct CameBack {
    pub(super) status: u16,
    pub(super) body: Value,
    file: PathBuf,
    line: usize,
}

impl CameBack {
    pub(super) fn is_reply(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// The files of lines of JSON in a folder, in order.
pub(super) fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
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

pub(super) fn file_name(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// A file with its rows.
pub(super) type FileRows = (PathBuf, Vec<BatchRow>);

pub(super) fn ids(files: &[FileRows]) -> impl Iterator<Item = &str> {
    let rows = files.iter().flat_map(|(_, rows)| rows);
    rows.map(|row| row.id.as_str())
}

/// The first line of an output that nobody here asked for.
pub(super) fn unknown_row((file, rows): &FileRows, asked: &HashSet<&str>) -> Option<Problem> {
    let unknown = rows.iter().find(|row| !asked.contains(row.id.as_str()))?;
    let wrong = Problem::new(format!("`custom_id` {:?} is in no input here", unknown.id));
    let expected = "outputs of the inputs that `run --batch` wrote into the same folder";
    Some(wrong.expected(expected).in_file(file).on_line(unknown.line))
}

/// What came of each request. A reply counts more than an error, and an error more than that nobody
/// was asked; two replies that differ are a problem, since one of them would be left out.
pub(super) fn fates(
    outputs: Vec<FileRows>,
    problems: &mut Vec<Problem>,
) -> HashMap<String, RequestFate> {
    let mut come: HashMap<String, RequestFate> = HashMap::new();
    for (file, rows) in outputs {
        for row in rows {
            let new = match row.content {
                BatchContent::Asked => continue,
                BatchContent::NotAsked => {
                    come.entry(row.id).or_insert(RequestFate::Expired);
                    continue;
                }
                BatchContent::Came(status, body) => CameBack {
                    status,
                    body,
                    file: file.clone(),
                    line: row.line,
                },
            };
            match come.get(&row.id) {
                Some(RequestFate::Came(before)) if before.is_reply() => {
                    if new.is_reply() && before.body != new.body {
                        problems.push(answered_twice(&row.id, before, &new));
                    }
                }
                Some(RequestFate::Came(_)) if !new.is_reply() => {}
                _ => {
                    come.insert(row.id, RequestFate::Came(new));
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
