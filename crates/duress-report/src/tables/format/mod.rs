//! Tables: one shape, several forms on disk.

use std::fs;
use std::io;
use std::path::Path;

use duress_core::number::NumberFormat;

use crate::digest::Digest;
use duress_findings::{AbsenceReason, Range};

pub(crate) mod csv;
mod html;
mod latex;
mod markdown;
mod xlsx;

pub(crate) use html::{document as html_document, write as html};
pub(crate) use markdown::write as markdown_document;

/// A table to be read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Table {
    /// The name of its files, without the ending.
    pub(crate) file: String,
    /// What it shows.
    pub(crate) title: String,
    /// Its columns.
    pub(crate) columns: Vec<TableColumn>,
    /// Its rows, one cell per column.
    pub(crate) rows: Vec<Vec<TableCell>>,
    /// What its numbers rest on; cells point to them.
    pub(crate) notes: Vec<String>,
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TableColumn {
    /// Its head.
    pub(crate) head: String,
    /// Whether it holds numbers.
    pub(crate) numeric: bool,
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TableCell {
    /// Words.
    Words(String),
    /// A number, and how sure it is.
    Estimate(Number),
    /// No number, and the note with the reason.
    Undefined(usize),
    /// Nothing was asked here.
    Nothing,
}

/// A number in a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Number {
    /// The number.
    pub(crate) value: f64,
    /// How sure it is.
    pub(crate) spread: Spread,
    /// Whether its lead over every other row stands.
    pub(crate) bold: bool,
    /// Whether the sign is always shown.
    pub(crate) signed: bool,
    /// The note it points to.
    pub(crate) note: Option<usize>,
    /// The digits it shares with what it is read beside.
    pub(crate) digits: NumberFormat,
}

impl Number {
    /// A number by itself.
    pub(crate) fn new(value: f64, spread: Spread, signed: bool, note: Option<usize>) -> Number {
        let mut number = Number {
            value,
            spread,
            bold: false,
            signed,
            note,
            digits: NumberFormat::Scientific,
        };
        number.digits = NumberFormat::alike(&number.shown());
        number
    }

    /// A number that is what it is, such as a count.
    pub(crate) fn plain(value: f64, digits: usize) -> Number {
        Number {
            digits: NumberFormat::Fixed(digits),
            ..Number::new(value, Spread::Unsaid, false, None)
        }
    }

    /// All that a reader sees of it.
    fn shown(&self) -> Vec<f64> {
        match self.spread {
            Spread::Unsaid => vec![self.value],
            Spread::Interval(low, high) => vec![self.value, low, high],
            Spread::Deviation(sd) => vec![self.value, sd],
        }
    }

    fn write(&self, value: f64) -> String {
        if self.signed {
            self.digits.signed(value)
        } else {
            self.digits.write(value)
        }
    }

    /// The number as text.
    pub(crate) fn text(&self) -> String {
        self.write(self.value)
    }

    /// How sure it is as text, without brackets.
    pub(crate) fn spread_text(&self) -> Option<String> {
        match self.spread {
            Spread::Unsaid => None,
            Spread::Interval(low, high) => {
                Some(format!("{}, {}", self.write(low), self.write(high)))
            }
            Spread::Deviation(sd) => Some(format!("± {}", self.digits.write(sd))),
        }
    }
}

/// How sure a number is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Spread {
    /// It is not said.
    Unsaid,
    /// From here to there.
    Interval(f64, f64),
    /// The standard deviation over seeds.
    Deviation(f64),
}

impl Spread {
    /// The interval of a quantity, where it has one.
    pub(crate) fn of(interval: &Result<Range, AbsenceReason>) -> Spread {
        interval.as_ref().map_or(Spread::Unsaid, |range| {
            Spread::Interval(range.low, range.high)
        })
    }
}

/// A note's letter: a, b, … z, aa, ab, …
pub(crate) fn letter(note: usize) -> String {
    let last = char::from(b'a' + (note % 26) as u8);
    if note < 26 {
        last.to_string()
    } else {
        letter(note / 26 - 1) + &last.to_string()
    }
}

impl Table {
    /// An empty table.
    pub(crate) fn new(
        file: impl Into<String>,
        title: impl Into<String>,
        columns: Vec<TableColumn>,
    ) -> Table {
        Table {
            file: file.into(),
            title: title.into(),
            columns,
            rows: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The number of a note, added if it is new.
    pub(crate) fn note(&mut self, text: &str) -> usize {
        self.notes
            .iter()
            .position(|note| note == text)
            .unwrap_or_else(|| {
                self.notes.push(text.to_owned());
                self.notes.len() - 1
            })
    }

    /// Where all numbers share one note, the letters say nothing: they go, and the note speaks for
    /// all.
    pub(crate) fn settled(mut self) -> Table {
        let undefined = self
            .rows
            .iter()
            .flatten()
            .any(|cell| matches!(cell, TableCell::Undefined(_)));
        if self.notes.len() == 1 && !undefined {
            for cell in self.rows.iter_mut().flatten() {
                if let TableCell::Estimate(number) = cell {
                    number.note = None;
                }
            }
        }
        self
    }

    /// Numbers of one gauge are read beside each other: all get the same digits; counts keep
    /// theirs.
    pub(crate) fn aligned(mut self) -> Table {
        let counts = |number: &Number| {
            number.spread == Spread::Unsaid && number.digits == NumberFormat::Fixed(0)
        };
        let numbers = self
            .rows
            .iter()
            .flatten()
            .filter_map(TableCell::number)
            .filter(|number| !counts(number));
        let digits = NumberFormat::alike(&numbers.flat_map(Number::shown).collect::<Vec<f64>>());
        for cell in self.rows.iter_mut().flatten() {
            if let TableCell::Estimate(number) = cell
                && !counts(number)
            {
                number.digits = digits;
            }
        }
        self
    }

    /// Whether any cell points to a note.
    pub(crate) fn lettered(&self) -> bool {
        self.rows.iter().flatten().any(|cell| cell.note().is_some())
    }

    /// Whether its numbers stand with deviations instead of intervals.
    pub(crate) fn deviates(&self) -> bool {
        let deviates = |number: &Number| matches!(number.spread, Spread::Deviation(_));
        self.rows
            .iter()
            .flatten()
            .filter_map(TableCell::number)
            .any(deviates)
    }

    /// The notes, with a letter before those that a cell points to.
    pub(crate) fn spoken_notes(&self) -> Vec<String> {
        let pointed: Vec<usize> = self
            .rows
            .iter()
            .flatten()
            .filter_map(TableCell::note)
            .collect();
        let speak = |(i, note): (usize, &String)| match pointed.contains(&i) {
            true => format!("({}) {note}", letter(i)),
            false => note.clone(),
        };
        self.notes.iter().enumerate().map(speak).collect()
    }
}

impl TableCell {
    /// Its number, where it holds one.
    pub(crate) fn number(&self) -> Option<&Number> {
        if let TableCell::Estimate(number) = self {
            Some(number)
        } else {
            None
        }
    }

    /// The note it points to, if it does.
    fn note(&self) -> Option<usize> {
        match self {
            TableCell::Undefined(note) => Some(*note),
            TableCell::Estimate(number) => number.note,
            TableCell::Words(_) | TableCell::Nothing => None,
        }
    }

    /// The cell as plain text.
    pub(crate) fn plain(&self) -> String {
        match self {
            TableCell::Words(words) => words.clone(),
            TableCell::Nothing => String::new(),
            TableCell::Undefined(note) => format!("undefined ({})", letter(*note)),
            TableCell::Estimate(number) => {
                let spread = match (number.spread, number.spread_text()) {
                    (Spread::Interval(..), Some(ends)) => format!(" [{ends}]"),
                    (_, Some(deviation)) => format!(" {deviation}"),
                    (_, None) => String::new(),
                };
                let note = number
                    .note
                    .map_or_else(String::new, |note| format!(" ({})", letter(note)));
                format!("{}{spread}{note}", number.text())
            }
        }
    }
}

/// Words for a head.
pub(crate) fn words(head: impl Into<String>) -> TableColumn {
    TableColumn {
        head: head.into(),
        numeric: false,
    }
}

/// Numbers under a head.
pub(crate) fn numbers(head: impl Into<String>) -> TableColumn {
    TableColumn {
        head: head.into(),
        numeric: true,
    }
}

/// Writes every table in every form into `folder`, and the long CSV files with every digit.
pub(crate) fn write(tables: &[Table], digest: &Digest<'_>, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(
        folder.join("tables.md"),
        markdown::write(tables, &digest.findings.study.name),
    )?;
    fs::write(
        folder.join("tables.tex"),
        latex::write(tables, &digest.findings.study.name),
    )?;
    fs::write(
        folder.join("tables.html"),
        html::document(tables, &digest.findings.study.name),
    )?;
    xlsx::write(tables, &folder.join("tables.xlsx"))?;
    for (name, text) in csv::all(digest) {
        fs::write(folder.join(name), text)?;
    }
    Ok(())
}
