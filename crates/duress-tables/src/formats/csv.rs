//! Comma-separated values, as RFC 4180 has them: a header, quotes where needed, either kind of line
//! ending. A header without commas says whether semicolons or tabs stand in their place.
//!
//! Written here rather than taken from a crate because a stray quote must be a message with its
//! line, not a cell that swallows the rest of the file. The file is read block by block and never
//! held as a whole; a block is cut where records end, and every core reads a part of it. What is
//! read, and which mistake is named, does not depend on where the cuts are.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::ops::Range;
use std::path::Path;

use duress_core::problem::Problem;
use duress_stats::parallel::{Budget, map_list};

use super::decimals::Decimals;
use super::filling::{FilledCell, Filling};
use crate::table::{Choose, Head, RowPlace, Table};

/// What is read from the disk at once.
const BUFFER: usize = 1 << 18;

/// What is read before the cores share it, for each of them.
const BLOCK: usize = 1 << 20;

/// No table has a record this long; a file without line ends, or with a quote that is never closed,
/// does.
const LONGEST_RECORD: usize = 1 << 26;

/// Reads the columns that `choose` wants.
pub fn read(input: File, file: &Path, choose: &mut Choose<'_>) -> Result<Table, Problem> {
    let cores = Budget::current().threads();
    let size = input.metadata().map_or(0, |about| about.len()) as usize;
    read_from(
        BufReader::with_capacity(BUFFER, input),
        size,
        file,
        choose,
        (cores, BLOCK),
    )
}

fn read_from(
    input: impl BufRead,
    size: usize,
    file: &Path,
    choose: &mut Choose<'_>,
    (cores, block): (usize, usize),
) -> Result<Table, Problem> {
    let mut records = CsvRecords::new(input);
    let heads = header(&mut records)?;
    let wants = choose(&heads)?;
    let empty = || Filling::new(&heads, &wants);
    let separator = records.separator;
    let mut all = CsvPart::new(empty(), separator);
    all.filling.expect(size / heads.len().max(1));
    all.lines = records.lines_read;
    let mut input = records.input;
    let mut bytes = Vec::new();
    let mut more = true;
    while more {
        let whole;
        (whole, more) = refill(&mut input, &mut bytes, cores * block, all.lines)?;
        let cuts = cuts(&bytes[..whole], cores);
        let read = |cut: &Range<usize>| {
            let mut part = CsvPart::new(empty(), separator);
            part.read(&bytes[cut.clone()]).map(|()| part)
        };
        for part in map_list(&cuts, read) {
            all.append(part)?;
        }
        bytes.drain(..whole);
    }
    all.decimals.check()?;
    all.filling.finish(file, RowPlace::Lines(all.jumps))
}

/// Reads on until there are `wanted` bytes with the end of a record among them; says where the last
/// one ends, and whether there is more.
fn refill(
    input: &mut impl Read,
    bytes: &mut Vec<u8>,
    mut wanted: usize,
    lines: usize,
) -> Result<(usize, bool), Problem> {
    let stopped = |error: std::io::Error| {
        Problem::new(format!("reading stopped: {error}")).on_line(lines + 1)
    };
    loop {
        let missing = wanted.saturating_sub(bytes.len()) as u64;
        if (input.take(missing).read_to_end(bytes).map_err(stopped)? as u64) < missing {
            return Ok((bytes.len(), false));
        }
        match last_end(bytes, bytes.contains(&b'"')) {
            0 if bytes.len() >= LONGEST_RECORD => return Err(too_long().on_line(lines + 1)),
            0 => wanted = 2 * bytes.len(),
            end => return Ok((end, true)),
        }
    }
}

fn too_long() -> Problem {
    Problem::new("the row is longer than 64 MiB")
        .expected("a row per line; perhaps a quote is not closed")
}

/// Where the last record ends; 0 when none does. A record ends with a line, outside of quotes.
fn last_end(bytes: &[u8], quoted: bool) -> usize {
    let mut odd = quoted && bytes.iter().filter(|byte| **byte == b'"').count() % 2 == 1;
    let ends = |byte: &u8| {
        odd ^= *byte == b'"';
        *byte == b'\n' && !odd
    };
    bytes.iter().rposition(ends).map_or(0, |at| at + 1)
}

/// As many parts as there are cores, each of whole records.
fn cuts(bytes: &[u8], cores: usize) -> Vec<Range<usize>> {
    let quoted = bytes.contains(&b'"');
    let ends = (1..cores).map(|part| last_end(&bytes[..bytes.len() * part / cores], quoted));
    let mut start = 0;
    let cut = |end: usize| {
        let range = start..end.max(start);
        start = range.end;
        range
    };
    ends.chain([bytes.len()])
        .map(cut)
        .filter(|range| !range.is_empty())
        .collect()
}

/// What stands between the cells of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Separator {
    Comma,
    Semicolon,
    Tab,
}

impl Separator {
    /// The one that the header of a file has: what it has of others is in the names of columns.
    fn of_header(raw: &[u8]) -> Separator {
        let mut quoted = false;
        let outside = |byte: &&u8| {
            quoted ^= **byte == b'"';
            !quoted
        };
        let plain: Vec<u8> = raw.iter().filter(outside).copied().collect();
        let others = [Separator::Comma, Separator::Semicolon, Separator::Tab];
        let found = others
            .into_iter()
            .find(|separator| plain.contains(&separator.byte()));
        found.unwrap_or(Separator::Comma)
    }

    fn byte(self) -> u8 {
        match self {
            Separator::Comma => b',',
            Separator::Semicolon => b';',
            Separator::Tab => b'\t',
        }
    }

    fn char(self) -> char {
        self.byte().into()
    }
}

/// What was read of a stretch of the file.
struct CsvPart {
    filling: Filling,
    separator: Separator,
    decimals: Decimals,
    rows: usize,
    /// How many lines it has.
    lines: usize,
    /// The rows that do not follow the one before, each with its line.
    jumps: Vec<(usize, usize)>,
    /// The line on which a row would follow the last.
    next: usize,
}

impl CsvPart {
    fn new(filling: Filling, separator: Separator) -> CsvPart {
        CsvPart {
            filling,
            separator,
            decimals: Decimals::default(),
            rows: 0,
            lines: 0,
            jumps: Vec::new(),
            next: 0,
        }
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        match std::str::from_utf8(bytes) {
            Ok(text) if !bytes.contains(&b'"') => self.read_plain(text),
            _ => self.read_quoted(bytes),
        }
    }

    /// Reads text without quotes, which nearly all tables of numbers are.
    fn read_plain(&mut self, text: &str) -> Result<(), Problem> {
        let returns = text.contains('\r');
        for line in text.split_terminator('\n') {
            self.lines += 1;
            let line = line.strip_suffix('\r').unwrap_or(line);
            if returns && line.contains('\r') {
                return Err(lone_return().on_line(self.lines));
            }
            if !line.is_empty() {
                self.add(self.lines, line.split(self.separator.char()))?;
            }
        }
        Ok(())
    }

    fn read_quoted(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let mut records = CsvRecords::new(bytes);
        // Only the first line of the file may begin with a byte-order mark, and that one is the
        // header.
        records.begun = true;
        records.separator = self.separator;
        while let Some(line) = records.advance()? {
            self.add(line, records.fields())?;
        }
        self.lines = records.lines_read;
        Ok(())
    }

    fn add<'a>(
        &mut self,
        line: usize,
        fields: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<(), Problem> {
        if line != self.next {
            self.jumps.push((self.rows, line));
        }
        self.next = line + 1;
        self.rows += 1;
        let filled = match self.separator {
            Separator::Comma | Separator::Tab => fill(fields, &mut self.filling),
            // Files have semicolons where people write numbers with commas.
            Separator::Semicolon => {
                let pointed = fields.map(|text| self.decimals.with_point(text, line));
                let pointed: Vec<Cow<'_, str>> = pointed.collect();
                fill(pointed.iter().map(|text| &**text), &mut self.filling)
            }
        };
        filled.map_err(|problem| problem.on_line(line))
    }

    /// Adds what was read further down, or its mistake with the line counted from the top.
    fn append(&mut self, below: Result<CsvPart, Problem>) -> Result<(), Problem> {
        let below = below.map_err(|problem| match problem.line {
            Some(line) => problem.on_line(self.lines + line),
            None => problem,
        })?;
        self.filling.append(below.filling);
        self.decimals.append(below.decimals, self.lines);
        let jumps = below
            .jumps
            .iter()
            .map(|(row, line)| (self.rows + row, self.lines + line));
        self.jumps
            .extend(jumps.filter(|jump| *jump != (self.rows, self.next)));
        if below.rows > 0 {
            self.next = self.lines + below.next;
        }
        self.rows += below.rows;
        self.lines += below.lines;
        Ok(())
    }
}

fn header<R: BufRead>(records: &mut CsvRecords<R>) -> Result<Vec<Head>, Problem> {
    let Some(line) = records.advance()? else {
        return Err(
            Problem::new("the file is empty").expected("a header with the names of the columns")
        );
    };
    let heads: Vec<Head> = records
        .fields()
        .map(|name| Head {
            name: name.trim().into(),
            listed: false,
        })
        .collect();
    let mut seen = HashSet::new();
    if let Some(head) = heads
        .iter()
        .find(|head| !head.name.is_empty() && !seen.insert(&head.name))
    {
        return Err(
            Problem::new(format!("the column `{}` is there twice", head.name)).on_line(line),
        );
    }
    Ok(heads)
}

fn fill<'a>(
    mut fields: impl Iterator<Item = &'a str> + Clone,
    filling: &mut Filling,
) -> Result<(), Problem> {
    let wanted = filling.columns();
    let all = fields.clone();
    let other_length = || {
        let found = all.clone().count();
        let problem = Problem::new(format!("the row has {}", counted(found)));
        (found != wanted)
            .then(|| problem.expected(format!("{}, as in the header", counted(wanted))))
    };
    let mut filled = 0;
    for (column, text) in (0..wanted).zip(&mut fields) {
        // Where a row is too long or too short its cells are in the wrong columns, and not what is
        // wrong.
        filling
            .push(column, FilledCell::Text(text))
            .map_err(|problem| other_length().unwrap_or(problem))?;
        filled += 1;
    }
    let fits = filled == wanted && fields.next().is_none();
    if fits {
        Ok(())
    } else {
        other_length().map_or(Ok(()), Err)
    }
}

fn counted(fields: usize) -> String {
    format!("{fields} field{}", if fields == 1 { "" } else { "s" })
}

/// The records of a file, one at a time in buffers that are used again.
struct CsvRecords<R> {
    input: R,
    /// The record as it stands in the file, without its line end.
    raw: Vec<u8>,
    /// The record without quotes.
    text: String,
    /// Where its fields are in `text`.
    fields: Vec<Range<usize>>,
    lines_read: usize,
    /// Whether the beginning of the file is behind.
    begun: bool,
    separator: Separator,
}

impl<R: BufRead> CsvRecords<R> {
    fn new(input: R) -> CsvRecords<R> {
        CsvRecords {
            input,
            raw: Vec::new(),
            text: String::new(),
            fields: Vec::new(),
            lines_read: 0,
            begun: false,
            separator: Separator::Comma,
        }
    }

    fn fields(&self) -> impl Iterator<Item = &str> + Clone {
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
        let read = self
            .input
            .by_ref()
            .take(left)
            .read_until(b'\n', &mut self.raw);
        let line = self.lines_read + 1;
        match read {
            _ if self.raw.len() >= LONGEST_RECORD => Err(too_long().on_line(line)),
            Ok(0) => Ok(false),
            Ok(_) => {
                self.lines_read = line;
                Ok(true)
            }
            Err(error) => Err(Problem::new(format!("reading stopped: {error}")).on_line(line)),
        }
    }

    fn quotes_are_odd(&self, from: usize) -> bool {
        self.raw[from..]
            .iter()
            .filter(|byte| **byte == b'"')
            .count()
            % 2
            == 1
    }

    fn strip(&mut self) {
        // Excel and others write a byte-order mark, which is not part of the first column's name.
        if !self.begun && self.raw.starts_with(b"\xef\xbb\xbf") {
            self.raw.drain(..3);
        }
        self.raw.pop_if(|byte| *byte == b'\n');
        self.raw.pop_if(|byte| *byte == b'\r');
        if !self.begun && !self.raw.is_empty() {
            self.separator = Separator::of_header(&self.raw);
            self.begun = true;
        }
    }

    fn split(&mut self) -> Result<(), Problem> {
        let Ok(raw) = std::str::from_utf8(&self.raw) else {
            return Err(
                Problem::new("the line is not UTF-8").expected("a text file saved as UTF-8")
            );
        };
        self.text.clear();
        self.fields.clear();
        if raw.contains('"') {
            return unquote(raw, self.separator.char(), &mut self.text, &mut self.fields);
        }
        if raw.contains('\r') {
            return Err(lone_return());
        }
        self.text.push_str(raw);
        let mut start = 0;
        for (at, _) in self
            .raw
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == self.separator.byte())
        {
            self.fields.push(start..at);
            start = at + 1;
        }
        self.fields.push(start..self.raw.len());
        Ok(())
    }
}

/// Splits a record in which there are quotes.
fn unquote(
    raw: &str,
    separator: char,
    text: &mut String,
    fields: &mut Vec<Range<usize>>,
) -> Result<(), Problem> {
    let mut rest = raw;
    loop {
        let start = text.len();
        rest = match rest.strip_prefix('"') {
            Some(quoted) => take_quoted(quoted, text)?,
            None => {
                let (plain, after) = rest.split_at(rest.find(separator).unwrap_or(rest.len()));
                if plain.contains('"') {
                    return Err(stray(plain));
                }
                if plain.contains('\r') {
                    return Err(lone_return());
                }
                text.push_str(plain);
                after
            }
        };
        fields.push(start..text.len());
        match rest.strip_prefix(separator) {
            Some(more) => rest = more,
            None if rest.is_empty() => return Ok(()),
            None => return Err(stray(rest)),
        }
    }
}

/// Takes a field whose opening quote is gone, and returns what follows its closing quote.
fn take_quoted<'a>(mut rest: &'a str, text: &mut String) -> Result<&'a str, Problem> {
    loop {
        let Some(end) = rest.find('"') else {
            return Err(stray(rest));
        };
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

/// To some readers it ends a line and to others it is part of a value.
fn lone_return() -> Problem {
    Problem::new("a carriage return stands in the middle of a line")
        .expected("lines that end in a line feed, with or without a carriage return before it")
}

fn stray(near: &str) -> Problem {
    let near: String = near.chars().take(20).collect();
    Problem::new(format!(
        "a quote stands in the middle of a field, near {near:?}"
    ))
    .expected("quotes around the whole field, and doubled inside it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{ROW, Want};

    fn texts(bytes: &[u8]) -> Result<Table, Problem> {
        read_all(bytes, |_| Want::Texts)
    }

    fn read_all(bytes: &[u8], want: fn(usize) -> Want) -> Result<Table, Problem> {
        let read = |cores, block| {
            let mut choose = |heads: &[Head]| Ok((0..heads.len()).map(want).collect());
            read_from(
                bytes,
                bytes.len(),
                Path::new("t.csv"),
                &mut choose,
                (cores, block),
            )
        };
        let whole = read(1, 1 << 20);
        // Whatever the cuts, what is read is the same, and so is the mistake that is named.
        for (cores, block) in [(1, 1), (2, 3), (3, 7), (5, 1 << 20)] {
            match (&whole, read(cores, block)) {
                (Ok(whole), Ok(cut)) => assert_eq!(format!("{whole:?}"), format!("{cut:?}")),
                (Err(whole), Err(cut)) => assert_eq!(whole.to_string(), cut.to_string()),
                (whole, cut) => panic!("{whole:?} and {cut:?}"),
            }
        }
        whole
    }

    #[test]
    fn a_carriage_return_within_a_line_is_refused_wherever_it_stands() {
        for bytes in ["a,b\n1,2\r3,4\n", "a,b\n\"x\",2\r3\n", "a\rb\n1\n"] {
            let why = texts(bytes.as_bytes()).unwrap_err().to_string();
            assert!(why.contains("carriage return"), "{bytes:?}: {why}");
        }
        for bytes in ["a,b\r\n1,2\r\n", "a,b\n1,\"2\r3\"\n", "a,b\n1,\"2\"\r"] {
            assert!(texts(bytes.as_bytes()).is_ok(), "{bytes:?}");
        }
    }

    #[test]
    fn cells_are_what_was_written_whatever_the_quotes_and_line_ends() {
        let check = |bytes: &[u8], expected: &[&str]| {
            let table = texts(bytes).unwrap();
            let cells: Vec<&str> = (0..table.rows())
                .flat_map(|row| ["a", "b"].map(|name| table.texts(name).get(row)))
                .collect();
            assert_eq!(cells, expected, "{}", String::from_utf8_lossy(bytes));
        };
        check(b"a,b\n1,2\n3,4\n", &["1", "2", "3", "4"]);
        check(b"\xef\xbb\xbfa, b\r\n1,2\r\n\r\n3,4", &["1", "2", "3", "4"]);
        check(b"a,b\n\"x,\"\"y\"\"\n z\",\n", &["x,\"y\"\n z", ""]);
        check(b"\"a\",\"b\"\n\"\",\"\"\n", &["", ""]);
        check("a,b\n猫,ß\n".as_bytes(), &["猫", "ß"]);
    }

    #[test]
    fn columns_of_numbers_become_rows_wherever_the_file_is_cut() {
        let table = read_all(b"a,b,c\n1,2,3\n\n4,\"5\",6\r\n7,8,9", |at| {
            Want::InRow([2, 0, 1][at])
        })
        .unwrap();
        assert_eq!(
            table.numbers(ROW),
            (3, &[2.0, 3.0, 1.0, 5.0, 6.0, 4.0, 8.0, 9.0, 7.0][..])
        );
        assert_eq!(table.names(), ["b", "c", "a"]);
        let problem = read_all(b"a,b\n1,2\n3,x\n4,y\n", Want::InRow)
            .unwrap_err()
            .to_string();
        assert!(
            problem.contains("line 3: `b` is \"x\"; expected a number"),
            "{problem}"
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let check = |bytes: &[u8], expected: &str| {
            let problem = texts(bytes).unwrap_err().to_string();
            assert!(problem.contains(expected), "{problem}");
        };
        check(b"", "the file is empty");
        check(b"\n\n", "the file is empty");
        check(
            b"a,b\n1,2\n\n1\n",
            "line 4: the row has 1 field; expected 2 fields, as in the header",
        );
        check(b"a,b\n\"1\n2\",3\n1,2,3\n", "line 4: the row has 3 fields");
        check(b"a,b\n1,2\n1,\xff\n", "line 3: the line is not UTF-8");
        check(
            b"a,b\n1,\"2\n1,2\n",
            "line 2: a quote is opened here and never closed",
        );
        check(
            b"a,b\n1,2\" x \"3\n",
            "line 2: a quote stands in the middle of a field, near \"2",
        );
        check(
            b"a,b\n\"1\"x,2\n",
            "line 2: a quote stands in the middle of a field, near \"x,2\"",
        );
        check(b"a,a\n", "line 1: the column `a` is there twice");
        check(
            b"a;b\n1;2\n1,2\n",
            "line 3: the row has 1 field; expected 2 fields",
        );
    }

    #[test]
    fn a_header_without_commas_says_what_separates_cells() {
        for bytes in [
            "a;b\n1,5;x, y\n\"-2,25\";\"u;v\"\n",
            "a\tb\n1.5\tx, y\n-2.25\tu;v\n",
        ] {
            let want = |at: usize| [Want::Numbers, Want::Texts][at];
            let table = read_all(bytes.as_bytes(), want).unwrap();
            assert_eq!(table.numbers("a"), (1, &[1.5, -2.25][..]), "{bytes:?}");
            assert_eq!(table.texts("b"), ["x, y", "u;v"], "{bytes:?}");
        }
        // A semicolon in the name of a column separates nothing where commas do.
        let table = texts(b"a,\"b;c\"\n1,2\n").unwrap();
        assert_eq!(table.texts("b;c"), ["2"]);
    }

    #[test]
    fn commas_for_decimals_and_for_thousands_are_not_told_apart_by_guessing() {
        let why = texts(b"a;b\n1,234;x\n\n2.5;y\n").unwrap_err().to_string();
        assert!(
            why.contains("line 4: a number with a point, and one with a comma on line 2"),
            "{why}"
        );
    }
}
