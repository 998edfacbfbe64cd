//! The log of events, `3-events.jsonl`: one JSON object a line, with its time.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::event::Event;

/// The file events go to, one JSON object a line.
pub struct EventLog {
    file: Mutex<File>,
}

impl EventLog {
    /// Opens the log for more. A line that a killed run left half written is ended first.
    pub fn open(path: &Path) -> io::Result<EventLog> {
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(path)?;
        if file.seek(SeekFrom::End(0))? > 0 {
            file.seek(SeekFrom::End(-1))?;
            let mut last = [0];
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                file.write_all(b"\n")?;
            }
        }
        Ok(EventLog {
            file: Mutex::new(file),
        })
    }

    /// Writes one event, with the time.
    pub fn write(&self, event: &Event) -> io::Result<()> {
        let seconds = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0.0, |time| time.as_secs_f64());
        let mut line = serde_json::to_vec(&Stamped {
            at: (seconds * 1e3).round() / 1e3,
            event,
        })?;
        line.push(b'\n');
        let mut file = self
            .file
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        file.write_all(&line)
    }

    /// The hashes of the studies that were run here, oldest first, each once.
    pub fn studies(path: &Path) -> Vec<String> {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let mut hashes: Vec<String> = Vec::new();
        for line in text.lines() {
            if let Ok(Event::Started { study, .. }) = serde_json::from_str(line)
                && !hashes.contains(&study)
            {
                hashes.push(study);
            }
        }
        hashes
    }
}

#[derive(Serialize)]
struct Stamped<'a> {
    /// Seconds since 1970.
    at: f64,
    #[serde(flatten)]
    event: &'a Event,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_written_line_spoils_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events");
        let started = |study: &str| Event::Started {
            study: study.into(),
            cells: 1,
            kept: 0,
        };
        EventLog::open(&path)
            .unwrap()
            .write(&started("one"))
            .unwrap();
        OpenOptions::new()
            .append(true)
            .open(&path)
            .unwrap()
            .write_all(b"{\"event\":\"sta")
            .unwrap();
        EventLog::open(&path)
            .unwrap()
            .write(&started("two"))
            .unwrap();
        assert_eq!(EventLog::studies(&path), ["one", "two"]);
    }
}
