//! The log of events, `3-events.jsonl`: one JSON object a line, with its time, its number and a
//! check.
//!
//! A line's check is over what it says, which includes its number: a changed byte, a line that is
//! gone and two that are swapped are noticed. A last line without an end is no damage: it is what a
//! killed run leaves. Lines of earlier versions have no check; they stand before all that have one.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::event::Event;
use crate::ledger::{Unreadable, write_whole};
use crate::plan::Id;

/// The file events go to, one JSON object a line.
pub struct EventLog {
    open: Mutex<Open>,
}

/// A log that is written, and how many lines with a check it has.
struct Open {
    file: File,
    lines: u64,
}

impl EventLog {
    /// Opens the log for more. A line that a killed run left half written is taken away first.
    pub fn open(path: &Path) -> io::Result<EventLog> {
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).open(path)?;
        let read = ReadLog::read(path)?;
        file.set_len(read.ended as u64)?;
        let open = Mutex::new(Open {
            file,
            lines: read.next,
        });
        Ok(EventLog { open })
    }

    /// Writes one event, with the time.
    pub fn write(&self, event: &Event) -> io::Result<()> {
        let seconds = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0.0, |time| time.as_secs_f64());
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let stamped = Stamped {
            at: (seconds * 1e3).round() / 1e3,
            line: open.lines,
            event,
        };
        let line = with_check(serde_json::to_vec(&stamped)?);
        open.file.write_all(&line)?;
        open.lines += 1;
        Ok(())
    }

    /// The hashes of the studies that were run here, oldest first, each once.
    pub fn studies(events: &[Event]) -> Vec<String> {
        let mut hashes: Vec<String> = Vec::new();
        for event in events {
            if let Event::Started { study, .. } = event
                && !hashes.contains(study)
            {
                hashes.push(study.clone());
            }
        }
        hashes
    }

    /// What is in the log, as far as this version knows it; none where there is no log.
    pub fn events(path: &Path) -> Result<Vec<Event>, Unreadable> {
        let read = read_if_there(path)?;
        match read.damage() {
            Some(why) => Err(Unreadable::damaged(path, why)),
            None => Ok(read.events()),
        }
    }

    /// Whether checks vouch for every line.
    pub(crate) fn check(path: &Path) -> Result<bool, Unreadable> {
        let read = read_if_there(path)?;
        match read.damage() {
            Some(why) => Err(Unreadable::damaged(path, why)),
            None => Ok(read.unchecked == 0),
        }
    }

    /// Writes the log anew without the lines that are damaged; the file as it was is `aside`.
    pub(crate) fn mend(path: &Path, aside: &Path) -> io::Result<()> {
        std::fs::copy(path, aside)?;
        let mut text = Vec::new();
        let mut number = 0;
        for line in ReadLog::read(path)?.whole {
            // The number is part of what is checked.
            text.extend(match line {
                Line::Unchecked(bytes) => [&bytes[..], b"\n"].concat(),
                Line::Checked(mut numbered) => {
                    numbered.line = number;
                    number += 1;
                    with_check(serde_json::to_vec(&numbered)?)
                }
            });
        }
        write_whole(path, &text)
    }
}

/// What a log has.
#[derive(Default)]
struct ReadLog {
    /// The lines that are as they were written, in order.
    whole: Vec<Line>,
    /// How many of these have no check.
    unchecked: usize,
    /// The places of those that are not, the first being 1.
    damaged: Vec<usize>,
    /// The number that the next line has.
    next: u64,
    /// Where the last line that has an end ends.
    ended: usize,
}

/// A line that is as it was written.
enum Line {
    Checked(Numbered),
    Unchecked(Vec<u8>),
}

impl ReadLog {
    fn read(path: &Path) -> io::Result<ReadLog> {
        let bytes = std::fs::read(path)?;
        let ended = bytes.iter().rposition(|byte| *byte == b'\n');
        let mut read = ReadLog {
            ended: ended.map_or(0, |at| at + 1),
            ..ReadLog::default()
        };
        let lines = bytes[..read.ended].split_inclusive(|byte| *byte == b'\n');
        for (at, line) in lines.enumerate() {
            read.add(at + 1, &line[..line.len() - 1]);
        }
        Ok(read)
    }

    fn add(&mut self, place: usize, line: &[u8]) {
        match checked(line) {
            Some(numbered) => {
                // A line is gone, or stands elsewhere; the next one is expected after this.
                if numbered.line != self.next {
                    self.damaged.push(place);
                }
                self.next = numbered.line + 1;
                self.whole.push(Line::Checked(numbered));
            }
            // Before there were checks, a killed run could leave half a line in the middle.
            None if self.next == 0 && self.damaged.is_empty() => {
                self.unchecked += 1;
                self.whole.push(Line::Unchecked(line.into()));
            }
            None => self.damaged.push(place),
        }
    }

    fn damage(&self) -> Option<String> {
        let first = self.damaged.first()?;
        let lines = self.damaged.len();
        Some(format!(
            "line {first} is not as it was written, or one before it is gone ({lines} such places)"
        ))
    }

    fn events(&self) -> Vec<Event> {
        let event = |line: &Line| match line {
            Line::Checked(numbered) => {
                serde_json::from_value(Value::Object(numbered.event.clone())).ok()
            }
            Line::Unchecked(bytes) => serde_json::from_slice(bytes).ok(),
        };
        self.whole.iter().filter_map(event).collect()
    }
}

fn read_if_there(path: &Path) -> Result<ReadLog, Unreadable> {
    match ReadLog::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(ReadLog::default()),
        read => read.map_err(|error| Unreadable::disk(path, &error)),
    }
}

/// What stands before a line's check, and what is behind it.
const BEFORE: &[u8] = b",\"check\":\"";
const BEHIND: &[u8] = b"\"}";

/// A line with its check and its end.
fn with_check(mut object: Vec<u8>) -> Vec<u8> {
    object.pop();
    let check = check_of(&object);
    [&object, BEFORE, check.as_bytes(), BEHIND, b"\n"].concat()
}

/// What a line says; `None` when its check does not vouch for it.
fn checked(line: &[u8]) -> Option<Numbered> {
    let line = line.strip_suffix(BEHIND)?;
    let (line, said) = line.split_at_checked(line.len().checked_sub(CHECK)?)?;
    let object = line.strip_suffix(BEFORE)?;
    if check_of(object).as_bytes() != said {
        return None;
    }
    serde_json::from_slice(&[object, b"}"].concat()).ok()
}

/// Digits of a check: what is damaged by chance is not taken for whole.
const CHECK: usize = 16;

fn check_of(object: &[u8]) -> String {
    let mut hex = Id::joined("event 1", &[object]).to_string();
    hex.truncate(CHECK);
    hex
}

#[derive(Serialize)]
struct Stamped<'a> {
    /// Seconds since 1970.
    at: f64,
    /// Which line with a check this is, the first being 0.
    line: u64,
    #[serde(flatten)]
    event: &'a Event,
}

/// The same, read; the event may be one that only a later duress knows.
#[derive(Serialize, Deserialize)]
struct Numbered {
    at: f64,
    line: u64,
    #[serde(flatten)]
    event: Map<String, Value>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;

    fn studies(path: &Path) -> Result<Vec<String>, Unreadable> {
        EventLog::events(path).map(|events| EventLog::studies(&events))
    }

    fn started(study: &str) -> Event {
        Event::Started {
            study: study.into(),
            cells: 1,
            kept: 0,
        }
    }

    fn written(folder: &Path, studies: &[&str]) -> PathBuf {
        let path = folder.join("events");
        let log = EventLog::open(&path).unwrap();
        for study in studies {
            log.write(&started(study)).unwrap();
        }
        path
    }

    #[test]
    fn a_half_written_line_is_no_damage_and_is_gone_once_the_log_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), &["one", "two"]);
        let whole = fs::read(&path).unwrap();
        for cut in whole.len() / 2 + 5..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            assert_eq!(studies(&path).unwrap(), ["one"], "{cut}");
            written(folder.path(), &["three"]);
            assert_eq!(studies(&path).unwrap(), ["one", "three"]);
        }
    }

    #[test]
    fn no_changed_byte_and_no_line_that_is_gone_or_swapped_is_taken_for_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), &["one", "two", "three"]);
        let whole = fs::read(&path).unwrap();
        // The end of the last line apart: without it, a kill may have cut it short.
        for at in 0..whole.len() - 1 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(&path, bytes).unwrap();
            studies(&path).unwrap_err();
            EventLog::check(&path).unwrap_err();
        }
        let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
        for order in [&[1, 2][..], &[0, 2], &[1, 0, 2], &[0, 2, 1], &[0, 1, 1, 2]] {
            let text: Vec<&[u8]> = order.iter().map(|at| lines[*at]).collect();
            fs::write(&path, text.concat()).unwrap();
            studies(&path).unwrap_err();
        }
    }

    #[test]
    fn a_damaged_log_is_mended_by_leaving_out_what_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), &["one", "two", "three"]);
        let damaged = String::from_utf8(fs::read(&path).unwrap())
            .unwrap()
            .replace("two", "too");
        fs::write(&path, &damaged).unwrap();
        let aside = folder.path().join("aside");
        EventLog::mend(&path, &aside).unwrap();
        assert_eq!(fs::read(&aside).unwrap(), damaged.as_bytes());
        assert_eq!(studies(&path).unwrap(), ["one", "three"]);
        written(folder.path(), &["four"]);
        assert_eq!(studies(&path).unwrap(), ["one", "three", "four"]);
    }

    #[test]
    fn lines_of_the_time_before_checks_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events");
        let old = |study: &str| {
            let event = serde_json::to_value(started(study)).unwrap();
            format!("{event}\n")
        };
        let half = "{\"event\":\"sta\n";
        fs::write(&path, [old("one"), half.into(), old("two")].concat()).unwrap();
        assert_eq!(studies(&path).unwrap(), ["one", "two"]);
        assert!(!EventLog::check(&path).unwrap());
        written(folder.path(), &["three"]);
        assert_eq!(studies(&path).unwrap(), ["one", "two", "three"]);
        let text = fs::read_to_string(&path).unwrap() + &old("four");
        fs::write(&path, text).unwrap();
        studies(&path).unwrap_err();
    }
}
