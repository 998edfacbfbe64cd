//! Parquet: columns of numbers, flags and texts, one value in each row or a list of equally many.

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use duress_core::problem::Problem;
use duress_tensors::bound::Bound;
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::filling::{FilledCell, Filling};
use super::parquet_file::ParquetFile;
use crate::guard::guarded;
use crate::table::{Choose, Head, RowPlace, Table, Want};

/// Rows decoded at once.
const BATCH: usize = 1 << 14;

/// Reads the columns that `choose` wants, one row group after the other, so that a file larger than
/// memory can be gone through.
pub fn in_groups(
    input: File,
    file: &Path,
    choose: &mut Choose<'_>,
    visit: &mut dyn FnMut(Table) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let bound = Bound::of(&input);
    let gone = guarded(|| {
        let reader = opened(input)?;
        let (heads, wants) = chosen(&reader, choose)?;
        for group in 0..reader.num_row_groups() {
            let filling = Filling::new(&heads, &wants).within(bound);
            let table = read_groups(&reader, file, &wants, filling, group..group + 1);
            let within = |mut problem: Problem| {
                problem.message = format!("row group {group}: {}", problem.message);
                problem
            };
            visit(table.map_err(within)?).map_err(within)?;
        }
        Ok(())
    });
    gone.unwrap_or_else(|| Err(Problem::new("the file is damaged").expected(WHOLE)))
}

/// Reads the columns that `choose` wants.
pub fn read(input: File, file: &Path, choose: &mut Choose<'_>) -> Result<Table, Problem> {
    // The parquet crate meets some kinds of damage with a panic. Nothing it was working on is used
    // afterwards.
    guarded(|| read_columns(input, file, choose)).unwrap_or_else(|| {
        Err(
            Problem::new("the file is damaged: what it says about itself does not fit together")
                .expected(WHOLE),
        )
    })
}

const WHOLE: &str = "a Parquet file that was written to its end";

fn read_columns(input: File, file: &Path, choose: &mut Choose<'_>) -> Result<Table, Problem> {
    let bound = Bound::of(&input);
    let reader = opened(input)?;
    let (heads, wants) = chosen(&reader, choose)?;
    let filling = Filling::new(&heads, &wants).within(bound);
    read_groups(&reader, file, &wants, filling, 0..reader.num_row_groups())
}

fn opened(input: File) -> Result<SerializedFileReader<ParquetFile>, Problem> {
    let length = input.metadata().map_or(0, |about| about.len());
    let reader =
        SerializedFileReader::new(ParquetFile::new(input)).map_err(|error| not_whole(&error))?;
    check_places(&reader, length)?;
    check_notes(&reader)?;
    Ok(reader)
}

fn chosen(
    reader: &SerializedFileReader<ParquetFile>,
    choose: &mut Choose<'_>,
) -> Result<(Vec<Head>, Vec<Want>), Problem> {
    let schema = reader.metadata().file_metadata().schema_descr();
    let heads: Vec<Head> = schema.columns().iter().map(|column| head(column)).collect();
    let wants = choose(&heads)?;
    Ok((heads, wants))
}

fn read_groups(
    reader: &SerializedFileReader<ParquetFile>,
    file: &Path,
    wants: &[Want],
    mut filling: Filling,
    groups: Range<usize>,
) -> Result<Table, Problem> {
    let rows =
        |group: usize| usize::try_from(reader.metadata().row_group(group).num_rows()).unwrap_or(0);
    filling.expect(groups.clone().map(rows).fold(0, usize::saturating_add));
    // Opening a group goes through all of its columns, so each is opened once and not per column.
    let opened = groups.map(|group| reader.get_row_group(group));
    let opened: Vec<_> = opened
        .collect::<Result<_, _>>()
        .map_err(|error| not_whole(&error))?;
    for at in (0..wants.len()).filter(|at| wants[*at] != Want::Nothing) {
        read_column(reader, at, &mut filling, wants[at], &opened)?;
    }
    filling.finish(file, RowPlace::Rows)
}

/// Refuses columns that are said to lie outside the file, before anybody takes memory for them.
fn check_places(reader: &SerializedFileReader<ParquetFile>, length: u64) -> Result<(), Problem> {
    for column in reader
        .metadata()
        .row_groups()
        .iter()
        .flat_map(|group| group.columns())
    {
        let start = column
            .dictionary_page_offset()
            .unwrap_or(column.data_page_offset());
        let end = start.checked_add(column.compressed_size());
        let inside = start >= 0 && column.compressed_size() >= 0 && column.num_values() >= 0;
        if !inside || end.is_none_or(|end| end.unsigned_abs() > length) {
            let name = column.column_path().string();
            return Err(
                Problem::new(format!("`{name}` is said to lie outside the file")).expected(WHOLE),
            );
        }
    }
    Ok(())
}

/// Refuses files in which the notes that pandas and Arrow leave for themselves are damaged. Nothing
/// is read from them here, but they stand in the footer beside what is, which has no checksum.
fn check_notes(reader: &SerializedFileReader<ParquetFile>) -> Result<(), Problem> {
    let notes = reader.metadata().file_metadata().key_value_metadata();
    let notes = notes.map_or(&[][..], Vec::as_slice);
    let pandas = notes.iter().find(|note| note.key == "pandas");
    let pandas = pandas.and_then(|note| note.value.as_deref());
    for note in notes {
        let text = note.value.as_deref().unwrap_or_default();
        let whole = match note.key.as_str() {
            "pandas" => is_note_of_pandas(text),
            "ARROW:schema" => is_note_of_arrow(text, pandas.unwrap_or_default()),
            _ => true,
        };
        if !whole {
            let key = &note.key;
            return Err(
                Problem::new(format!("its note `{key}` is damaged, so more may be"))
                    .expected(WHOLE),
            );
        }
    }
    Ok(())
}

/// The columns with their types, and which of them are the index.
fn is_note_of_pandas(text: &str) -> bool {
    let Ok(note) = serde_json::from_str::<serde_json::Value>(text) else {
        return false;
    };
    let described = |column: &serde_json::Value| {
        ["name", "pandas_type", "numpy_type"]
            .iter()
            .all(|key| column.get(key).is_some())
    };
    note["index_columns"].is_array()
        && note["columns"]
            .as_array()
            .is_some_and(|columns| columns.iter().all(described))
}

/// A message in base64: a mark, its length, and so many bytes, in which the note of pandas, where
/// there is one, stands once more.
fn is_note_of_arrow(text: &str, pandas: &str) -> bool {
    let Some(bytes) = base64(text) else {
        return false;
    };
    let mut pieces = bytes.windows(pandas.len().max(1));
    if !pandas.is_empty() && !pieces.any(|piece| piece == pandas.as_bytes()) {
        return false;
    }
    let length = match bytes.as_slice() {
        [0xff, 0xff, 0xff, 0xff, a, b, c, d, ..] => u32::from_le_bytes([*a, *b, *c, *d]),
        _ => return false,
    };
    bytes.len() - 8 >= length as usize
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 {
        return None;
    }
    let mut bytes = Vec::new();
    let mut held = 0u32;
    let mut bits = 0;
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    Some(bytes)
}

fn head(column: &ColumnDescriptor) -> Head {
    let listed = column.max_rep_level() > 0;
    // A list is a group with a repeated group with an element; people know it by the name of the
    // first.
    let name = if listed {
        column.path().parts()[0].clone()
    } else {
        column.path().string()
    };
    Head { name, listed }
}

fn read_column(
    reader: &SerializedFileReader<ParquetFile>,
    at: usize,
    filling: &mut Filling,
    want: Want,
    groups: &[Box<dyn RowGroupReader + '_>],
) -> Result<(), Problem> {
    let schema = reader.metadata().file_metadata().schema_descr();
    let column = schema.column(at);
    let name = head(&column).name;
    check_kind(&name, &column, want)?;
    let mut intake = ColumnIntake {
        name: &name,
        column: &column,
        at,
        filling,
        gaps: want == Want::TextsOrGaps && column.max_rep_level() == 0,
        rows: 0,
        width: None,
    };
    for group in groups {
        let pages = group.get_column_reader(at);
        intake.take(pages.map_err(|error| damaged(&name, &error))?)?;
    }
    let width = intake.width.unwrap_or(1);
    filling.widen(at, width)
}

fn check_kind(name: &str, column: &ColumnDescriptor, want: Want) -> Result<(), Problem> {
    let refused = |what: &str| {
        Err(
            Problem::new(format!("`{name}` holds {what}")).expected(match want {
                Want::Texts | Want::TextsOrGaps => "numbers, flags or texts",
                _ => "numbers",
            }),
        )
    };
    if column.max_rep_level() > 1 {
        return refused("lists of lists");
    }
    match (
        column.physical_type(),
        column.logical_type_ref(),
        column.converted_type(),
    ) {
        (Type::INT96, ..) => refused("timestamps"),
        (_, Some(LogicalType::Decimal { .. }), _) | (.., ConvertedType::DECIMAL) => {
            refused("decimals")
        }
        (
            _,
            Some(LogicalType::Timestamp { .. } | LogicalType::Date | LogicalType::Time { .. }),
            _,
        ) => refused("dates or times"),
        (Type::FIXED_LEN_BYTE_ARRAY, ..) => refused("bytes of a fixed length"),
        _ => Ok(()),
    }
}

fn is_unsigned(column: &ColumnDescriptor) -> bool {
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Integer(whole)), _) => !whole.is_signed,
        (_, kind) => [
            ConvertedType::UINT_8,
            ConvertedType::UINT_16,
            ConvertedType::UINT_32,
            ConvertedType::UINT_64,
        ]
        .contains(&kind),
    }
}

/// A column on its way into the table.
struct ColumnIntake<'a> {
    name: &'a str,
    column: &'a ColumnDescriptor,
    at: usize,
    filling: &'a mut Filling,
    /// Whether a value may be missing.
    gaps: bool,
    rows: usize,
    width: Option<usize>,
}

impl ColumnIntake<'_> {
    fn take(&mut self, pages: ColumnReader) -> Result<(), Problem> {
        let unsigned = is_unsigned(self.column);
        match pages {
            ColumnReader::BoolColumnReader(pages) => {
                self.drain(pages, |x| Ok(FilledCell::Flag(*x)))
            }
            ColumnReader::Int32ColumnReader(pages) if unsigned => {
                self.drain(pages, |x| Ok(FilledCell::Whole((*x as u32).into())))
            }
            ColumnReader::Int32ColumnReader(pages) => {
                self.drain(pages, |x| Ok(FilledCell::Whole((*x).into())))
            }
            ColumnReader::Int64ColumnReader(pages) if unsigned => {
                self.drain(pages, |x| Ok(FilledCell::Whole((*x as u64).into())))
            }
            ColumnReader::Int64ColumnReader(pages) => {
                self.drain(pages, |x| Ok(FilledCell::Whole((*x).into())))
            }
            ColumnReader::FloatColumnReader(pages) => {
                self.drain(pages, |x| Ok(FilledCell::Number((*x).into())))
            }
            ColumnReader::DoubleColumnReader(pages) => {
                self.drain(pages, |x| Ok(FilledCell::Number(*x)))
            }
            ColumnReader::ByteArrayColumnReader(pages) => self.drain(pages, text),
            ColumnReader::Int96ColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_) => {
                unreachable!("check_kind refuses these")
            }
        }
    }

    fn drain<T: DataType>(
        &mut self,
        mut pages: ColumnReaderImpl<T>,
        cell: impl for<'v> Fn(&'v T::T) -> Result<FilledCell<'v>, Problem>,
    ) -> Result<(), Problem> {
        let mut values = Vec::new();
        let mut defined = Vec::new();
        let mut repeated = Vec::new();
        loop {
            values.clear();
            defined.clear();
            repeated.clear();
            let read =
                pages.read_records(BATCH, Some(&mut defined), Some(&mut repeated), &mut values);
            let (rows, ..) = read.map_err(|error| damaged(self.name, &error))?;
            if rows == 0 {
                return Ok(());
            }
            if self.gaps {
                let mut there = values.iter();
                for level in &defined {
                    let defined = *level == self.column.max_def_level();
                    let value = if defined { there.next() } else { None };
                    self.filling
                        .push(self.at, value.map_or(Ok(FilledCell::Text("")), &cell)?)?;
                }
                self.rows += rows;
                continue;
            }
            self.check_present(&defined, &repeated)?;
            self.check_width(&repeated, rows)?;
            for (at, value) in values.iter().enumerate() {
                let row = self.rows + at / self.width.unwrap_or(1);
                let pushed = cell(value).and_then(|cell| self.filling.push(self.at, cell));
                pushed.map_err(|problem| RowPlace::Rows.say(row, problem))?;
            }
            self.rows += rows;
        }
    }

    /// A value that is not there is a lower level of definition.
    fn check_present(&self, defined: &[i16], repeated: &[i16]) -> Result<(), Problem> {
        let Some(at) = defined
            .iter()
            .position(|level| *level < self.column.max_def_level())
        else {
            return Ok(());
        };
        let row = match self.column.max_rep_level() {
            0 => self.rows + at,
            _ => {
                self.rows
                    + repeated[..=at]
                        .iter()
                        .filter(|level| **level == 0)
                        .count()
                        .saturating_sub(1)
            }
        };
        let problem =
            Problem::new(format!("`{}` is null", self.name)).expected("a value in every row");
        Err(RowPlace::Rows.say(row, problem))
    }

    /// Every list is as long as the first; a list begins where the level of repetition is 0.
    fn check_width(&mut self, repeated: &[i16], rows: usize) -> Result<(), Problem> {
        if self.column.max_rep_level() == 0 {
            return Ok(());
        }
        let starts = repeated
            .iter()
            .enumerate()
            .filter(|(_, level)| **level == 0)
            .map(|(at, _)| at);
        let ends = starts.clone().skip(1).chain([repeated.len()]);
        for (row, length) in starts
            .zip(ends)
            .map(|(start, end)| end - start)
            .enumerate()
            .take(rows)
        {
            let width = *self.width.get_or_insert(length);
            if length != width {
                let problem = Problem::new(format!("`{}` holds {length} values", self.name))
                    .expected(format!("{width}, as in the first row"));
                return Err(RowPlace::Rows.say(self.rows + row, problem));
            }
        }
        Ok(())
    }
}

fn text(bytes: &ByteArray) -> Result<FilledCell<'_>, Problem> {
    let text = bytes
        .as_utf8()
        .map_err(|_| Problem::new("the text is not UTF-8"))?;
    Ok(FilledCell::Text(text))
}

fn not_whole(error: &ParquetError) -> Problem {
    let why = in_words(error);
    Problem::new(format!("this is not a whole Parquet file: {why}")).expected(WHOLE)
}

fn damaged(name: &str, error: &ParquetError) -> Problem {
    Problem::new(format!("`{name}` cannot be read: {}", in_words(error))).expected(WHOLE)
}

fn in_words(error: &ParquetError) -> String {
    error
        .to_string()
        .trim_start_matches("Parquet error: ")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_others_are_told_from_damaged_ones() {
        assert_eq!(base64("").as_deref(), Some(&b""[..]));
        assert_eq!(base64("TWFu").as_deref(), Some(&b"Man"[..]));
        assert_eq!(base64("TWE=").as_deref(), Some(&b"Ma"[..]));
        assert_eq!(base64("TQ==").as_deref(), Some(&b"M"[..]));
        for damaged in ["TQ=", "T===", "TW!u", "TWFuT"] {
            assert_eq!(base64(damaged), None, "{damaged}");
        }
        assert!(is_note_of_arrow("/////wEAAAAA", ""));
        assert!(!is_note_of_arrow("/////wIAAAAA", ""), "a byte is missing");
        assert!(!is_note_of_arrow("AAAA", ""));
        assert!(is_note_of_arrow("/////wMAAABNYW4=", "an"));
        assert!(!is_note_of_arrow("/////wMAAABNYW4=", "as"));
        let column = r#"{"name": null, "pandas_type": "unicode", "numpy_type": "object"}"#;
        let note = |columns: &str| format!(r#"{{"index_columns": [], "columns": [{columns}]}}"#);
        assert!(is_note_of_pandas(&note(column)));
        assert!(!is_note_of_pandas(&note(
            &column.replace("pandas_t", "pandas-t")
        )));
        assert!(!is_note_of_pandas(
            &note(column).replace("index_", "index-")
        ));
        assert!(!is_note_of_pandas(&note(column)[1..]));
    }
}
