//! A cell that is being answered item by item: each answer is on disk the moment it comes.
//!
//! One line of JSON per answer, with a checksum bound to the cell. A line that a crash cut short, or
//! that was damaged, is as if it had not been written: its item is asked again. When the cell is
//! whole it is kept like any other, and this file goes.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use duress_core::answer::ItemAnswer;
use duress_core::cost::Cost;
use serde::{Deserialize, Serialize};

use super::checksum;
use super::version::Unreadable;
use crate::plan::Id;

/// Answers about some items of a cell, and a file that takes more.
pub struct Partial {
    cell: Id,
    file: Mutex<File>,
    known: HashMap<String, ItemAnswer>,
    cost: Cost,
}

#[derive(Serialize, Deserialize)]
struct PartialLine {
    item: String,
    answer: ItemAnswer,
    cost: Cost,
    checksum: String,
}

impl Partial {
    /// Opens the file of a cell and reads what is there.
    pub(super) fn open(path: &Path, cell: Id) -> io::Result<Partial> {
        let mut known = HashMap::new();
        let mut cost = Cost::default();
        let before = match std::fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            bytes => bytes?,
        };
        for line in lines(&before) {
            if let Some(line) = read_line(cell, line) {
                cost = cost + line.cost;
                known.insert(line.item, line.answer);
            }
        }
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        if before.last().is_some_and(|byte| *byte != b'\n') {
            // A crash cut the last line short; what comes next begins a line of its own.
            file.write_all(b"\n")?;
        }
        Ok(Partial {
            cell,
            file: Mutex::new(file),
            known,
            cost,
        })
    }

    /// Whether every line is as it was written; one at the end that a crash cut short is.
    pub(super) fn check(path: &Path, cell: Id) -> Result<(), Unreadable> {
        let bytes = std::fs::read(path).map_err(|error| Unreadable::disk(path, &error))?;
        let ended = bytes.len()
            - bytes
                .rsplit(|byte| *byte == b'\n')
                .next()
                .map_or(0, <[u8]>::len);
        let bad = lines(&bytes[..ended])
            .filter(|line| !line.is_empty() && read_line(cell, line).is_none())
            .count();
        match bad {
            0 => Ok(()),
            bad => {
                let why = format!("{bad} damaged lines in it: their items are asked again");
                Err(Unreadable::damaged(path, why))
            }
        }
    }

    /// The cell.
    pub fn cell(&self) -> Id {
        self.cell
    }

    /// What was said about an item before this process began.
    pub fn known(&self, item: &str) -> Option<&ItemAnswer> {
        self.known.get(item)
    }

    /// What was said about an item one of the several times it is asked.
    pub fn known_repeat(&self, item: &str, repeat: u32) -> Option<&ItemAnswer> {
        self.known(&repeat_key(item, repeat))
    }

    /// Keeps what was said about an item one of the several times it is asked.
    pub fn append_repeat(
        &self,
        item: &str,
        repeat: u32,
        answer: &ItemAnswer,
        cost: Cost,
    ) -> io::Result<()> {
        self.append(&repeat_key(item, repeat), answer, cost)
    }

    /// What those answers cost.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// Keeps the answer about an item. When this returns, the operating system has it.
    pub fn append(&self, item: &str, answer: &ItemAnswer, cost: Cost) -> io::Result<()> {
        self.append_all(std::iter::once((item, answer)), cost)
    }

    /// The same for answers that came together: they are written together, too.
    pub fn append_all<'a>(
        &self,
        answers: impl Iterator<Item = (&'a str, &'a ItemAnswer)>,
        cost_each: Cost,
    ) -> io::Result<()> {
        let mut bytes = Vec::new();
        for (item, answer) in answers {
            let line = PartialLine {
                item: item.into(),
                answer: answer.clone(),
                cost: cost_each,
                checksum: line_checksum(self.cell, item, answer, cost_each),
            };
            serde_json::to_writer(&mut bytes, &line)?;
            bytes.push(b'\n');
        }
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&bytes)
    }
}

/// What one of several answers about an item is kept under: no item is called so.
fn repeat_key(item: &str, repeat: u32) -> String {
    format!("{item}\u{0}{repeat}")
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n')
}

fn read_line(cell: Id, bytes: &[u8]) -> Option<PartialLine> {
    let line: PartialLine = serde_json::from_slice(bytes).ok()?;
    let expected = line_checksum(cell, &line.item, &line.answer, line.cost);
    (line.checksum == expected).then_some(line)
}

fn line_checksum(cell: Id, item: &str, answer: &ItemAnswer, cost: Cost) -> String {
    let said = serde_json::to_vec(&(item, answer, cost))
        .unwrap_or_else(|why| panic!("an answer is always JSON: {why}"));
    checksum::of_bytes(cell, "item 2", &said).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(said: &str) -> ItemAnswer {
        ItemAnswer::Text(said.into())
    }

    #[test]
    fn what_was_appended_is_known_after_a_crash_in_the_middle_of_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cell.jsonl");
        let cell = Id::joined("a cell", &[]);
        let cost = Cost {
            seconds: 0.5,
            requests: 1,
            ..Cost::default()
        };
        let partial = Partial::open(&path, cell).unwrap();
        partial.append("a", &text("one"), cost).unwrap();
        partial.append("b", &text("two"), cost).unwrap();
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 9]).unwrap();
        let again = Partial::open(&path, cell).unwrap();
        assert_eq!(again.known("a"), Some(&text("one")));
        assert_eq!(again.known("b"), None, "half a line is no answer");
        assert_eq!(again.cost().requests, 1);
        again.append("b", &text("three"), cost).unwrap();
        let third = Partial::open(&path, cell).unwrap();
        assert_eq!(third.known("b"), Some(&text("three")));
    }

    #[test]
    fn the_answers_of_another_cell_are_not_taken_for_this_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cell.jsonl");
        let first = Partial::open(&path, Id::joined("a cell", &[])).unwrap();
        first.append("a", &text("one"), Cost::default()).unwrap();
        let other = Partial::open(&path, Id::joined("another", &[])).unwrap();
        assert_eq!(other.known("a"), None);
    }
}
