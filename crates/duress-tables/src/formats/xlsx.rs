//! Workbooks as spreadsheet programs write them: a header in the first row that has anything, a row
//! per item below it.
//!
//! A cell is what it shows: a formula is the value that was stored with it. What a table cannot
//! hold is refused with its sheet and cell: merged cells, of which only one has a value; dates,
//! into which spreadsheets turn whatever looks like one; formulas that nobody has computed; errors.
//! Cells are read one by one, so a value far down in an empty sheet takes no memory.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use calamine::{DataRef, Dimensions, Reader, Xlsx, XlsxError};
use duress_core::problem::Problem;
use duress_tensors::bound::Bound;

use super::archive;
use super::filling::{FilledCell, Filling};
use super::xml::{self, XmlFault};
use crate::guard::guarded;
use crate::table::{Choose, Head, RowPlace, Table, Want};

/// Reads the columns that `choose` wants from the only sheet that is not empty.
pub fn read(input: File, file: &Path, choose: &mut Choose<'_>) -> Result<Table, Problem> {
    let mut book = Book::new(input, file)?;
    let mut full = Vec::new();
    for name in book.sheets() {
        let sheet = book.sheet(&name)?;
        if !sheet.is_empty() {
            full.push(sheet);
        }
    }
    match full.as_slice() {
        [only] => only.table(file, choose),
        [] => Err(Problem::new(format!(
            "every sheet is empty: {}",
            book.sheets().join(", ")
        ))
        .expected("a header and a row per item")),
        several => {
            let names: Vec<&str> = several.iter().map(|sheet| sheet.name.as_str()).collect();
            Err(Problem::new(format!(
                "there are {} sheets: {}",
                names.len(),
                names.join(", ")
            ))
            .expected("one sheet with a table")
            .hint("save the sheet you mean in a file of its own"))
        }
    }
}

/// A workbook that is open.
pub struct Book {
    file: PathBuf,
    inner: Xlsx<BufReader<File>>,
    /// What its cells may still take.
    bound: Bound,
}

impl Book {
    /// Opens a workbook.
    pub fn open(file: &Path) -> Result<Book, Problem> {
        Book::new(super::open(file)?, file).map_err(|problem| problem.in_file(file))
    }

    fn new(input: File, file: &Path) -> Result<Book, Problem> {
        let mut bound = Bound::of(&input);
        check_pieces(&input, &mut bound)?;
        let inner = told(|| {
            Xlsx::new(BufReader::new(input)).map_err(|error| match error {
                XlsxError::Password => Problem::new("the workbook is locked with a password")
                    .expected("a workbook that opens without one"),
                error => {
                    Problem::new(format!("this is not a whole workbook: {error}")).expected(WHOLE)
                }
            })
        })?;
        Ok(Book {
            file: file.into(),
            inner,
            bound,
        })
    }

    /// The names of the sheets, in order.
    pub fn sheets(&self) -> Vec<String> {
        self.inner.sheet_names()
    }

    /// The cells of a sheet.
    pub fn sheet(&mut self, name: &str) -> Result<Sheet, Problem> {
        let damaged = |error: XlsxError| {
            Problem::new(format!("sheet `{name}` cannot be read: {error}")).expected(WHOLE)
        };
        told(|| {
            let mut sheet = Sheet::new(name);
            let mut cells = self.inner.worksheet_cells_reader(name).map_err(damaged)?;
            while let Some(cell) = cells.next_cell_with_formula_metadata().map_err(damaged)? {
                let held = sheet.keep(cell.pos, &cell.value, cell.formula.is_some());
                self.bound.take(held)?;
            }
            drop(cells);
            sheet.merged = self
                .inner
                .merge_cells_by_sheet_name(name)
                .map_err(damaged)?;
            Ok(sheet)
        })
        .map_err(|problem| problem.in_file(&self.file))
    }
}

/// The namespace that the cells of workbooks are in, in both forms of the standard.
const NAMESPACES: [&str; 2] = [
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
];

const WHOLE: &str = "an .xlsx file as spreadsheet programs write it";

/// The reader of workbooks may meet damage with a panic. Nothing it was working on is used
/// afterwards.
fn told<T>(read: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    guarded(read).unwrap_or_else(|| {
        Err(
            Problem::new("the file is damaged: what it says about itself does not fit together")
                .expected(WHOLE),
        )
    })
}

/// Goes through all of the archive that a workbook is, also what holds no cells: where one piece is
/// damaged, another may be. Sizes are counted, since the reader of workbooks takes memory for them
/// and what an archive says of them may be wrong; checksums are compared; XML is held against its
/// grammar.
fn check_pieces(input: &File, bound: &mut Bound) -> Result<(), Problem> {
    let damaged = |why: &dyn std::fmt::Display| {
        Problem::new(format!("this is not a whole workbook: {why}")).expected(WHOLE)
    };
    let mut reader = BufReader::new(input.try_clone().map_err(|error| damaged(&error))?);
    // What is no archive is refused by who reads it, with the right words: it may be locked.
    let is_archive = reader
        .fill_buf()
        .is_ok_and(|start| start.starts_with(b"PK"));
    if is_archive {
        let mut archive = archive::open(reader).map_err(|why| damaged(&why))?;
        for at in 0..archive.len() {
            let entry = archive.by_index(at).map_err(|error| damaged(&error))?;
            let name = entry.name().map_err(|error| damaged(&error))?.into_owned();
            let mut piece = BoundedPiece {
                input: entry,
                bound,
                exceeded: None,
            };
            let checked = check_piece(&name, &mut piece);
            if let Some(problem) = piece.exceeded {
                return Err(problem);
            }
            checked.map_err(|fault| damaged(&format!("`{name}`: {fault}")))?;
        }
    }
    let mut input = input;
    let back = input.seek(io::SeekFrom::Start(0));
    back.map(|_| ())
        .map_err(|error| Problem::new(format!("it cannot be read: {error}")))
}

fn check_piece(name: &str, piece: &mut impl Read) -> Result<(), XmlFault> {
    // What others put beside the workbook is theirs, and drawings of old are XML in name only.
    let is_xml = name.ends_with(".xml") || name.ends_with(".rels");
    if is_xml && !name.starts_with("customXml/") {
        let root = xml::check(piece)?;
        // Others find no cells under another namespace; the reader we use does not look at it.
        let of_cells = ["workbook", "worksheet", "sst", "styleSheet"];
        if of_cells.contains(&root.name.as_str()) && !NAMESPACES.contains(&root.namespace.as_str())
        {
            return Err(XmlFault::Malformed(
                "another namespace than that of workbooks",
                0,
            ));
        }
    } else {
        io::copy(piece, &mut io::sink()).map_err(XmlFault::Read)?;
    }
    Ok(())
}

/// A piece of an archive that is counted as it is read.
struct BoundedPiece<'a, R> {
    input: R,
    bound: &'a mut Bound,
    exceeded: Option<Problem>,
}

impl<R: Read> Read for BoundedPiece<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(into)?;
        match self.bound.take(read as u64) {
            Ok(()) => Ok(read),
            Err(problem) => {
                self.exceeded = Some(problem);
                Err(io::Error::other("it expands too far"))
            }
        }
    }
}

/// What a cell takes beside a text in it: its place in the sheet and in the table.
const CELL: u64 = 64;

/// What a cell holds.
enum Held {
    Number(f64),
    Text(String),
    Flag(bool),
    /// Something no table can hold, in words, and the way out.
    Odd(String, &'static str),
}

/// The cells of one sheet that hold something, by row and column.
pub struct Sheet {
    name: String,
    rows: BTreeMap<u32, BTreeMap<u32, Held>>,
    merged: Vec<Dimensions>,
}

impl Sheet {
    fn new(name: &str) -> Sheet {
        Sheet {
            name: name.into(),
            rows: BTreeMap::new(),
            merged: Vec::new(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether no cell holds anything.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Keeps a cell, and says how much it takes: a text may be referred to again and again.
    fn keep(&mut self, (row, column): (u32, u32), value: &DataRef<'_>, formula: bool) -> u64 {
        let held = match value {
            DataRef::Empty if formula => Held::Odd(
                "a formula whose value was never stored".into(),
                "open the workbook in a spreadsheet program and save it: that computes its formulas",
            ),
            DataRef::Empty => return 0,
            DataRef::Int(x) => Held::Number(*x as f64),
            DataRef::Float(x) => Held::Number(*x),
            DataRef::Bool(flag) => Held::Flag(*flag),
            DataRef::String(text) => Held::Text(text.clone()),
            DataRef::SharedString(text) => Held::Text((*text).into()),
            DataRef::Error(error) => Held::Odd(format!("the error {error}"), "mend the formula"),
            DataRef::DateTime(_) | DataRef::DateTimeIso(_) | DataRef::DurationIso(_) => Held::Odd(
                "a date or a time".into(),
                "spreadsheets turn what looks like a date into one: format the column as text or as a number",
            ),
        };
        let text = match &held {
            Held::Text(text) if text.trim().is_empty() => return 0,
            Held::Text(text) => text.len() as u64,
            _ => 0,
        };
        self.rows.entry(row).or_default().insert(column, held);
        // Once in the sheet and once in the table.
        CELL + 2 * text
    }

    /// The columns that `choose` wants.
    pub fn table(&self, file: &Path, choose: &mut Choose<'_>) -> Result<Table, Problem> {
        let (columns, heads) = self.header()?;
        let wants = choose(&heads)?;
        let mut filling = Filling::new(&heads, &wants);
        let wanted: Vec<(usize, u32)> = columns
            .into_iter()
            .enumerate()
            .filter(|(at, _)| wants[*at] != Want::Nothing)
            .collect();
        wanted
            .iter()
            .try_for_each(|(_, column)| self.check_merged(*column))?;
        let mut jumps = Vec::new();
        let mut expected = 0;
        for (read, (&row, cells)) in self.rows.iter().skip(1).enumerate() {
            let line = row as usize + 1;
            if line != expected {
                jumps.push((read, line));
            }
            expected = line + 1;
            for &(at, column) in &wanted {
                let place = (row, column);
                let cell = self.cell(place, cells.get(&column), wants[at])?;
                filling.push(at, cell).map_err(|mut problem| {
                    problem.message = format!("{}: {}", self.place(place), problem.message);
                    problem
                })?;
            }
        }
        filling.finish(
            file,
            RowPlace::Sheet {
                name: self.name.clone(),
                rows: jumps,
            },
        )
    }

    /// The columns with their names: the first row in which anything stands.
    fn header(&self) -> Result<(Vec<u32>, Vec<Head>), Problem> {
        let Some((&row, cells)) = self.rows.iter().next() else {
            return Err(Problem::new(format!("sheet `{}` is empty", self.name))
                .expected("a header and a row per item"));
        };
        if let Some(area) = self
            .merged
            .iter()
            .find(|area| (area.start.0..=area.end.0).contains(&row))
        {
            return Err(self.merged_cells(area, "the header"));
        }
        let mut heads: Vec<Head> = Vec::new();
        for (&column, held) in cells {
            let name = match held {
                Held::Text(text) => text.trim().to_string(),
                Held::Number(x) => x.to_string(),
                Held::Flag(flag) => flag.to_string(),
                Held::Odd(what, way_out) => return Err(self.odd((row, column), what, way_out)),
            };
            if heads.iter().any(|head| head.name == name) {
                return Err(self.at((row, column), format!("the column `{name}` is there twice")));
            }
            heads.push(Head {
                name,
                listed: false,
            });
        }
        let columns: Vec<u32> = cells.keys().copied().collect();
        self.check_named(row, &columns)?;
        Ok((columns, heads))
    }

    /// Values under no name would be lost without a word.
    fn check_named(&self, header: u32, columns: &[u32]) -> Result<(), Problem> {
        // A lone column to the left of the table is the index pandas writes, which has no name.
        let index = columns.first().and_then(|first| first.checked_sub(1));
        let nameless = |column: &&u32| !columns.contains(column) && Some(**column) != index;
        let found = self
            .rows
            .iter()
            .find_map(|(row, cells)| Some((*row, *cells.keys().find(nameless)?)));
        match found {
            Some(place) => Err(self
                .at(place, "it stands in a column without a name".into())
                .expected(format!("a name for it in row {}", header + 1))),
            None => Ok(()),
        }
    }

    fn check_merged(&self, column: u32) -> Result<(), Problem> {
        match self
            .merged
            .iter()
            .find(|area| (area.start.1..=area.end.1).contains(&column))
        {
            Some(area) => Err(self.merged_cells(area, "a column that is read")),
            None => Ok(()),
        }
    }

    fn cell<'a>(
        &self,
        place: (u32, u32),
        held: Option<&'a Held>,
        want: Want,
    ) -> Result<FilledCell<'a>, Problem> {
        match held {
            Some(Held::Number(x)) => Ok(FilledCell::Number(*x)),
            Some(Held::Text(text)) => Ok(FilledCell::Text(text)),
            Some(Held::Flag(flag)) => Ok(FilledCell::Flag(*flag)),
            Some(Held::Odd(what, way_out)) => Err(self.odd(place, what, way_out)),
            None if want == Want::TextsOrGaps => Ok(FilledCell::Text("")),
            None => Err(self
                .at(place, "the cell is empty".into())
                .expected(match want {
                    Want::Numbers | Want::InRow(_) => "a number",
                    _ => "a text or a number",
                })),
        }
    }

    fn odd(&self, place: (u32, u32), what: &str, way_out: &str) -> Problem {
        self.at(place, format!("it holds {what}"))
            .expected("a number or a text")
            .hint(way_out)
    }

    fn merged_cells(&self, area: &Dimensions, where_to: &str) -> Problem {
        let from = reference(area.start);
        let to = reference(area.end);
        Problem::new(format!(
            "sheet `{}`: {from}:{to} are merged, in {where_to}",
            self.name
        ))
        .expected("a value in every cell")
        .hint("unmerge them and fill each: only the first holds the value")
    }

    fn at(&self, place: (u32, u32), message: String) -> Problem {
        Problem::new(format!("{}: {message}", self.place(place)))
    }

    fn place(&self, place: (u32, u32)) -> String {
        format!("sheet `{}`, cell {}", self.name, reference(place))
    }
}

/// What spreadsheets call a cell: `B7`.
fn reference((row, column): (u32, u32)) -> String {
    let mut letters = Vec::new();
    let mut left = column + 1;
    while left > 0 {
        letters.push(char::from(b'A' + ((left - 1) % 26) as u8));
        left = (left - 1) / 26;
    }
    letters.iter().rev().collect::<String>() + &(row + 1).to_string()
}

#[cfg(test)]
mod tests {
    use super::reference;

    #[test]
    fn cells_are_called_as_spreadsheets_call_them() {
        let check = |place, expected: &str| assert_eq!(reference(place), expected);
        check((0, 0), "A1");
        check((6, 1), "B7");
        check((9, 25), "Z10");
        check((0, 26), "AA1");
        check((1_048_575, 16_383), "XFD1048576");
    }
}
