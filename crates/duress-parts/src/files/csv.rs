//! Comma-separated values, as RFC 4180 has them: a header, quotes where needed, either kind of line ending.
//!
//! Written here rather than taken from a crate because a stray quote must be a message with its line, not a cell that swallows the
//! rest of the file. The file is read record by record and never held as a whole.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::ops::Range;
use std::path::Path;

use duress_core::problem::Problem;

use super::table::{Cell, Choose, Filling, Head, Place, Table};

/// What is read from the disk at once.
const BUFFER: usize = 1 << 18;

/// No table has a record this long; a file without line ends, or with a quote that is never closed, does.
const LONGEST_RECORD: usize = 1 << 26;

/// Reads the columns that `choose` wants.
pub fn read(input: File, file: &Path, choose: &mut Choose<'_>) -> Result<Table, Problem> {
    read_from(BufReader::with_capacity(BUFFER, input), file, choose)
}

fn read_from(input: impl BufRead, file: &Path, choose: &mut Choose<'_>) -> Result<Table, Problem> {
    let mut records = Records::new(input);
    let heads = header(&mut records)?;
    let wants = choose(&heads)?;
    let mut columns: Vec<Option<Filling>> =
        heads.iter().zip(wants).map(|(head, want)| Filling::new(&head.name, want)).collect();
    let (mut rows, mut jumps, mut expected_line) = (0, Vec::new(), 0);
    while let Some(line) = records.advance()? {
        if line != expected_line {
            jumps.push((rows, line));
        }
        expected_line = line + 1;
        fill(&records, &mut columns).map_err(|problem| problem.on_line(line))?;
        rows += 1;
    }
    let columns = columns.into_iter().flatten().map(|column| column.finish(1)).collect::<Result<_, _>>()?;
    Table::new(file, Place::Lines(jumps), columns)
}

fn header<R: BufRead>(records: &mut Records<R>) -> Result<Vec<Head>, Problem> {
    let Some(line) = records.advance()? else {
        return Err(Problem::new("the file is empty").expected("a header with the names of the columns"));
    };
    let heads: Vec<Head> =
        records.fields().map(|name| Head { name: name.trim().into(), listed: false }).collect();
    let twice =
        heads.iter().enumerate().find(|(i, head)| !head.name.is_empty() && heads[..*i].contains(head));
    if let Some((_, head)) = twice {
        return Err(Problem::new(format!("the column `{}` is there twice", head.name)).on_line(line));
    }
    match heads.as_slice() {
        [Head { name, .. }] if name.contains([';', '\t']) => {
            Err(Problem::new("the header has one column, with semicolons or tabs in its name")
                .expected("columns separated by commas")
                .on_line(line))
        }
        _ => Ok(heads),
    }
}

fn fill<R: BufRead>(records: &Records<R>, columns: &mut [Option<Filling>]) -> Result<(), Problem> {
    if records.fields.len() != columns.len() {
        return Err(Problem::new(format!("the row has {}", counted(records.fields.len())))
            .expected(format!("{}, as in the header", counted(columns.len()))));
    }
    for (column, text) in columns.iter_mut().zip(records.fields()) {
        if let Some(column) = column {
            column.push(Cell::Text(text))?;
        }
    }
    Ok(())
}

fn counted(fields: usize) -> String {
    format!("{fields} field{}", if fields == 1 { "" } else { "s" })
}

/// The records of a file, one at a time in buffers that are used again.
struct Records<R> {
    input: R,
    /// The record as it stands in the file, without its line end.
    raw: Vec<u8>,
    /// The record without quotes.
    text: String,
    /// Where its fields are in `text`.
    fields: Vec<Range<usize>>,
    lines_read: usize,
}

impl<R: BufRead> Records<R> {
    fn new(input: R) -> Records<R> {
        Records { input, raw: Vec::new(), text: String::new(), fields: Vec::new(), lines_read: 0 }
    }

    fn fields(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|range| &self.text[range.clone()])
    }

    /// Goes to the next record that is not blank, and says on which line it begins.
    fn advance(&mut self) -> Result<Option<usize>, Problem> {
        loop {
            self.raw.clear();
            if !self.read_line()? {
                return Ok(None);
            }
            let line = self.lines_read;
            let wrong = |problem: Problem| Err(problem.on_line(line));
            let mut open = self.quotes_are_odd(0);
            while open {
                let read = self.raw.len();
                if !self.read_line()? {
                    return wrong(Problem::new("a quote is opened here and never closed"));
                }
                open ^= self.quotes_are_odd(read);
            }
            self.strip();
            if self.raw.is_empty() {
                continue;
            }
            return match self.split() {
                Ok(()) => Ok(Some(line)),
                Err(problem) => wrong(problem),
            };
        }
    }

    /// Adds a line to the record; false at the end of the file.
    fn read_line(&mut self) -> Result<bool, Problem> {
        let left = (LONGEST_RECORD - self.raw.len()) as u64;
        let read = self.input.by_ref().take(left).read_until(b'\n', &mut self.raw);
        self.lines_read += 1;
        match read {
            _ if self.raw.len() >= LONGEST_RECORD => Err(Problem::new("the row is longer than 64 MiB")
                .expected("a row per line; perhaps a quote is not closed")
                .on_line(self.lines_read)),
            Ok(bytes) => Ok(bytes > 0),
            Err(error) => Err(Problem::new(format!("reading stopped: {error}")).on_line(self.lines_read)),
        }
    }

    fn quotes_are_odd(&self, from: usize) -> bool {
        self.raw[from..].iter().filter(|byte| **byte == b'"').count() % 2 == 1
    }

    fn strip(&mut self) {
        // Excel and others write a byte-order mark, which is not part of the first column's name.
        if self.lines_read == 1 && self.raw.starts_with(b"\xef\xbb\xbf") {
            self.raw.drain(..3);
        }
        if self.raw.last() == Some(&b'\n') {
            self.raw.pop();
            if self.raw.last() == Some(&b'\r') {
                self.raw.pop();
            }
        }
    }

    fn split(&mut self) -> Result<(), Problem> {
        let Ok(raw) = std::str::from_utf8(&self.raw) else {
            return Err(Problem::new("the line is not UTF-8").expected("a text file saved as UTF-8"));
        };
        self.text.clear();
        self.fields.clear();
        if raw.contains('"') {
            return unquote(raw, &mut self.text, &mut self.fields);
        }
        self.text.push_str(raw);
        let mut start = 0;
        for (at, _) in self.raw.iter().enumerate().filter(|(_, byte)| **byte == b',') {
            self.fields.push(start..at);
            start = at + 1;
        }
        self.fields.push(start..self.raw.len());
        Ok(())
    }
}

/// Splits a record in which there are quotes.
fn unquote(raw: &str, text: &mut String, fields: &mut Vec<Range<usize>>) -> Result<(), Problem> {
    let mut rest = raw;
    loop {
        let start = text.len();
        rest = match rest.strip_prefix('"') {
            Some(quoted) => take_quoted(quoted, text)?,
            None => {
                let (plain, after) = rest.split_at(rest.find(',').unwrap_or(rest.len()));
                if plain.contains('"') {
                    return Err(stray(plain));
                }
                text.push_str(plain);
                after
            }
        };
        fields.push(start..text.len());
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None if rest.is_empty() => return Ok(()),
            None => return Err(stray(rest)),
        }
    }
}

/// Takes a field whose opening quote is gone, and returns what follows its closing quote.
fn take_quoted<'a>(mut rest: &'a str, text: &mut String) -> Result<&'a str, Problem> {
    loop {
        let Some(end) = rest.find('"') else { return Err(stray(rest)) };
        text.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(after) => {
                text.push('"');
                rest = after;
            }
            None => return Ok(rest),
        }
    }
}

fn stray(near: &str) -> Problem {
    let near: String = near.chars().take(20).collect();
    Problem::new(format!("a quote stands in the middle of a field, near {near:?}"))
        .expected("quotes around the whole field, and doubled inside it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::table::Want;

    fn texts(bytes: &[u8]) -> Result<Table, Problem> {
        read_from(bytes, Path::new("t.csv"), &mut |heads| Ok(vec![Want::Texts; heads.len()]))
    }

    #[test]
    fn cells_are_what_was_written_whatever_the_quotes_and_line_ends() {
        let check = |bytes: &[u8], expected: &[&str]| {
            let table = texts(bytes).unwrap();
            let cells: Vec<&str> =
                (0..table.rows()).flat_map(|row| ["a", "b"].map(|name| table.texts(name).get(row))).collect();
            assert_eq!(cells, expected, "{}", String::from_utf8_lossy(bytes));
        };
        check(b"a,b\n1,2\n3,4\n", &["1", "2", "3", "4"]);
        check(b"\xef\xbb\xbfa, b\r\n1,2\r\n\r\n3,4", &["1", "2", "3", "4"]);
        check(b"a,b\n\"x,\"\"y\"\"\n z\",\n", &["x,\"y\"\n z", ""]);
        check(b"\"a\",\"b\"\n\"\",\"\"\n", &["", ""]);
        check("a,b\n猫,ß\n".as_bytes(), &["猫", "ß"]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let check = |bytes: &[u8], expected: &str| {
            let problem = texts(bytes).unwrap_err().to_string();
            assert!(problem.contains(expected), "{problem}");
        };
        check(b"", "the file is empty");
        check(b"\n\n", "the file is empty");
        check(b"a,b\n1,2\n\n1\n", "line 4: the row has 1 field; expected 2 fields, as in the header");
        check(b"a,b\n\"1\n2\",3\n1,2,3\n", "line 4: the row has 3 fields");
        check(b"a,b\n1,2\n1,\xff\n", "line 3: the line is not UTF-8");
        check(b"a,b\n1,\"2\n1,2\n", "line 2: a quote is opened here and never closed");
        check(b"a,b\n1,2\" x \"3\n", "line 2: a quote stands in the middle of a field, near \"2");
        check(b"a,b\n\"1\"x,2\n", "line 2: a quote stands in the middle of a field, near \"x,2\"");
        check(b"a,a\n", "line 1: the column `a` is there twice");
        check(b"a;b\n", "line 1: the header has one column, with semicolons");
    }
}
