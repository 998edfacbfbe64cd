//! Named columns in a Parquet file, with metadata: the one shape every file of the ledger has.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use duress_tables::guard::guarded;
use parquet::basic::{Compression, ConvertedType, Repetition, Type as Physical};
use parquet::column::reader::ColumnReader;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::checksum;
use super::version::{self, Unreadable};
use crate::plan::Id;

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LedgerColumn {
    Texts(Vec<String>),
    MaybeTexts(Vec<Option<String>>),
    Numbers(Vec<f64>),
    Wholes(Vec<i32>),
    Flags(Vec<bool>),
    /// What is no text: it has no type of its own in the file.
    Bytes(Vec<Vec<u8>>),
}

/// The columns and metadata of a file.
pub(super) struct LedgerTable {
    pub(super) columns: HashMap<String, LedgerColumn>,
    pub(super) metadata: HashMap<String, String>,
    /// Whether a checksum vouches for it.
    pub(super) checked: bool,
}

/// Writes columns of equal length under today's version, with a checksum that binds them to
/// `owner`.
pub(super) fn write(
    file: io::BufWriter<File>,
    owner: Id,
    columns: &[(String, LedgerColumn)],
    metadata: &[(&str, String)],
) -> io::Result<()> {
    let checksum = checksum::of_table(
        owner,
        columns.iter().map(|(name, column)| (name.as_str(), column)),
        metadata.iter().map(|(key, value)| (*key, value.as_str())),
    );
    let sealed: Vec<(&str, String)> = metadata
        .iter()
        .cloned()
        .chain([(checksum::KEY, checksum)])
        .collect();
    write_parquet(file, columns, &sealed).map_err(plain_io)
}

fn write_parquet(
    file: io::BufWriter<File>,
    columns: &[(String, LedgerColumn)],
    metadata: &[(&str, String)],
) -> Result<(), ParquetError> {
    let fields: Result<Vec<_>, _> = columns
        .iter()
        .map(|(name, column)| column.field(name))
        .collect();
    let schema = Type::group_type_builder("duress")
        .with_fields(fields?)
        .build()?;
    let version = KeyValue::new(version::KEY.to_string(), version::CURRENT.to_string());
    let said = metadata
        .iter()
        .map(|(key, value)| KeyValue::new((*key).to_string(), value.clone()));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_dictionary_enabled(false)
        .set_key_value_metadata(Some(std::iter::once(version).chain(said).collect()));
    let mut writer =
        SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties.build()))?;
    let mut rows = writer.next_row_group()?;
    for (_, column) in columns {
        if let Some(mut next) = rows.next_column()? {
            column.write(next.untyped())?;
            next.close()?;
        }
    }
    rows.close()?;
    writer.close()?;
    Ok(())
}

/// A full disk should say so, and not that Parquet failed.
fn plain_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

/// Reads a file of `owner` back, of any version there was.
pub(super) fn read(path: &Path, owner: Id) -> Result<LedgerTable, Unreadable> {
    let file = File::open(path).map_err(|error| Unreadable::disk(path, &error))?;
    let mut table = read_damaged(file).map_err(|why| Unreadable::damaged(path, why))?;
    let version =
        version::of(&table.metadata).map_err(|(kind, why)| Unreadable::new(path, kind, why))?;
    // A file that says it is older than it is has its checksum all the same.
    table.checked = version > 1 || table.metadata.contains_key(checksum::KEY);
    if table.checked && !table.is_of(owner) {
        return Err(Unreadable::damaged(path, version::WRONG_CHECKSUM));
    }
    Ok(table)
}

/// Reads a file that may be damaged: the reader of Parquet takes some lies for bugs of its own and
/// panics, which is no news for whoever has a bad disk.
fn read_damaged(file: File) -> Result<LedgerTable, String> {
    match guarded(|| read_parquet(file)) {
        Some(table) => table.map_err(|error| error.to_string()),
        None => Err("it is damaged: its columns are not where it says".into()),
    }
}

fn read_parquet(file: File) -> Result<LedgerTable, ParquetError> {
    let reader = SerializedFileReader::new(file)?;
    let about = reader.metadata().file_metadata();
    let said = about.key_value_metadata().into_iter().flatten();
    let metadata = said
        .filter_map(|one| Some((one.key.clone(), one.value.clone()?)))
        .collect();
    let mut columns = HashMap::new();
    for (at, described) in about.schema_descr().columns().iter().enumerate() {
        let maybe = described.self_type().get_basic_info().repetition() == Repetition::OPTIONAL;
        let mut whole: Option<LedgerColumn> = None;
        for group in 0..reader.num_row_groups() {
            let rows = reader.metadata().row_group(group).num_rows() as usize;
            let column = reader.get_row_group(group)?.get_column_reader(at)?;
            let piece = match described.converted_type() {
                ConvertedType::NONE => LedgerColumn::read_untyped(column, rows, maybe)?,
                _ => LedgerColumn::read(column, rows, maybe)?,
            };
            whole = Some(match whole {
                None => piece,
                Some(before) => before.joined(piece)?,
            });
        }
        columns.extend(whole.map(|column| (described.name().to_string(), column)));
    }
    Ok(LedgerTable {
        columns,
        metadata,
        checked: false,
    })
}

impl LedgerColumn {
    fn field(&self, name: &str) -> Result<Arc<Type>, ParquetError> {
        let (physical, repetition) = match self {
            LedgerColumn::Texts(_) => (Physical::BYTE_ARRAY, Repetition::REQUIRED),
            LedgerColumn::MaybeTexts(_) => (Physical::BYTE_ARRAY, Repetition::OPTIONAL),
            LedgerColumn::Numbers(_) => (Physical::DOUBLE, Repetition::REQUIRED),
            LedgerColumn::Wholes(_) => (Physical::INT32, Repetition::REQUIRED),
            LedgerColumn::Flags(_) => (Physical::BOOLEAN, Repetition::REQUIRED),
            LedgerColumn::Bytes(_) => (Physical::BYTE_ARRAY, Repetition::REQUIRED),
        };
        let builder = Type::primitive_type_builder(name, physical).with_repetition(repetition);
        let text = matches!(self, LedgerColumn::Texts(_) | LedgerColumn::MaybeTexts(_));
        let builder = if text {
            builder.with_converted_type(ConvertedType::UTF8)
        } else {
            builder
        };
        Ok(Arc::new(builder.build()?))
    }

    fn write(&self, writer: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
        match (self, writer) {
            (LedgerColumn::Texts(texts), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                let bytes: Vec<ByteArray> = texts.iter().map(|text| text.as_str().into()).collect();
                writer.write_batch(&bytes, None, None)?;
            }
            (LedgerColumn::MaybeTexts(texts), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                let bytes: Vec<ByteArray> = texts
                    .iter()
                    .flatten()
                    .map(|text| text.as_str().into())
                    .collect();
                let there: Vec<i16> = texts.iter().map(|text| i16::from(text.is_some())).collect();
                writer.write_batch(&bytes, Some(&there), None)?;
            }
            (LedgerColumn::Numbers(numbers), ColumnWriter::DoubleColumnWriter(writer)) => {
                writer.write_batch(numbers, None, None)?;
            }
            (LedgerColumn::Wholes(wholes), ColumnWriter::Int32ColumnWriter(writer)) => {
                writer.write_batch(wholes, None, None)?;
            }
            (LedgerColumn::Flags(flags), ColumnWriter::BoolColumnWriter(writer)) => {
                writer.write_batch(flags, None, None)?;
            }
            (LedgerColumn::Bytes(all), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                let bytes: Vec<ByteArray> = all.iter().map(|one| one.clone().into()).collect();
                writer.write_batch(&bytes, None, None)?;
            }
            _ => unreachable!("the schema was made from these columns"),
        }
        Ok(())
    }

    /// A column without a type of its own: bytes, or numbers of some kind.
    fn read_untyped(
        reader: ColumnReader,
        rows: usize,
        maybe: bool,
    ) -> Result<LedgerColumn, ParquetError> {
        let ColumnReader::ByteArrayColumnReader(mut reader) = reader else {
            return LedgerColumn::read(reader, rows, maybe);
        };
        let mut bytes = Vec::new();
        reader.read_records(rows, None, None, &mut bytes)?;
        let all = bytes.iter().map(|one| one.data().to_vec());
        Ok(LedgerColumn::Bytes(all.collect()))
    }

    fn read(reader: ColumnReader, rows: usize, maybe: bool) -> Result<LedgerColumn, ParquetError> {
        match reader {
            ColumnReader::ByteArrayColumnReader(mut reader) => {
                let mut bytes = Vec::new();
                let mut there = Vec::new();
                reader.read_records(rows, maybe.then_some(&mut there), None, &mut bytes)?;
                let mut texts = bytes
                    .iter()
                    .map(|bytes| Ok(std::str::from_utf8(bytes.data())?.to_string()));
                if !maybe {
                    return texts
                        .collect::<Result<_, ParquetError>>()
                        .map(LedgerColumn::Texts);
                }
                let next = |there: &i16| {
                    if *there == 1 {
                        texts.next().transpose()
                    } else {
                        Ok(None)
                    }
                };
                there
                    .iter()
                    .map(next)
                    .collect::<Result<_, ParquetError>>()
                    .map(LedgerColumn::MaybeTexts)
            }
            ColumnReader::DoubleColumnReader(mut reader) => {
                let mut numbers = Vec::with_capacity(rows);
                reader.read_records(rows, None, None, &mut numbers)?;
                Ok(LedgerColumn::Numbers(numbers))
            }
            ColumnReader::Int32ColumnReader(mut reader) => {
                let mut wholes = Vec::with_capacity(rows);
                reader.read_records(rows, None, None, &mut wholes)?;
                Ok(LedgerColumn::Wholes(wholes))
            }
            ColumnReader::BoolColumnReader(mut reader) => {
                let mut flags = Vec::with_capacity(rows);
                reader.read_records(rows, None, None, &mut flags)?;
                Ok(LedgerColumn::Flags(flags))
            }
            _ => Err(ParquetError::General(
                "a column of a type no ledger has".into(),
            )),
        }
    }

    fn joined(self, more: LedgerColumn) -> Result<LedgerColumn, ParquetError> {
        match (self, more) {
            (LedgerColumn::Texts(a), LedgerColumn::Texts(b)) => {
                Ok(LedgerColumn::Texts([a, b].concat()))
            }
            (LedgerColumn::MaybeTexts(a), LedgerColumn::MaybeTexts(b)) => {
                Ok(LedgerColumn::MaybeTexts([a, b].concat()))
            }
            (LedgerColumn::Numbers(a), LedgerColumn::Numbers(b)) => {
                Ok(LedgerColumn::Numbers([a, b].concat()))
            }
            (LedgerColumn::Wholes(a), LedgerColumn::Wholes(b)) => {
                Ok(LedgerColumn::Wholes([a, b].concat()))
            }
            (LedgerColumn::Flags(a), LedgerColumn::Flags(b)) => {
                Ok(LedgerColumn::Flags([a, b].concat()))
            }
            (LedgerColumn::Bytes(a), LedgerColumn::Bytes(b)) => {
                Ok(LedgerColumn::Bytes([a, b].concat()))
            }
            _ => Err(ParquetError::General("a column changes its type".into())),
        }
    }
}

impl LedgerTable {
    /// Whether the file is whole and really the owner's.
    fn is_of(&self, owner: Id) -> bool {
        let beside = [checksum::KEY, version::KEY];
        let said = self.metadata.iter();
        let expected = checksum::of_table(
            owner,
            self.columns
                .iter()
                .map(|(name, column)| (name.as_str(), column)),
            said.map(|(key, value)| (key.as_str(), value.as_str()))
                .filter(|(key, _)| !beside.contains(key)),
        );
        self.metadata.get(checksum::KEY) == Some(&expected)
    }

    /// A column of texts.
    pub(super) fn texts(&mut self, name: &str) -> Result<Vec<String>, String> {
        match self.columns.remove(name) {
            Some(LedgerColumn::Texts(texts)) => Ok(texts),
            other => Err(wrong(name, "texts", other)),
        }
    }

    /// A column of texts that may be absent.
    pub(super) fn maybe_texts(&mut self, name: &str) -> Result<Vec<Option<String>>, String> {
        match self.columns.remove(name) {
            Some(LedgerColumn::MaybeTexts(texts)) => Ok(texts),
            other => Err(wrong(name, "texts that may be absent", other)),
        }
    }

    /// A column of numbers.
    pub(super) fn numbers(&mut self, name: &str) -> Result<Vec<f64>, String> {
        match self.columns.remove(name) {
            Some(LedgerColumn::Numbers(numbers)) => Ok(numbers),
            other => Err(wrong(name, "numbers", other)),
        }
    }

    /// A column of bytes.
    pub(super) fn bytes(&mut self, name: &str) -> Result<Vec<Vec<u8>>, String> {
        match self.columns.remove(name) {
            Some(LedgerColumn::Bytes(bytes)) => Ok(bytes),
            other => Err(wrong(name, "bytes", other)),
        }
    }

    /// A column of whole numbers at or above zero.
    pub(super) fn counts(&mut self, name: &str) -> Result<Vec<u32>, String> {
        match self.columns.remove(name) {
            Some(LedgerColumn::Wholes(wholes)) => wholes
                .into_iter()
                .map(|x| u32::try_from(x).map_err(|error| error.to_string()))
                .collect(),
            other => Err(wrong(name, "whole numbers", other)),
        }
    }

    /// A column of flags.
    pub(super) fn flags(&mut self, name: &str) -> Result<Vec<bool>, String> {
        match self.columns.remove(name) {
            Some(LedgerColumn::Flags(flags)) => Ok(flags),
            other => Err(wrong(name, "flags", other)),
        }
    }

    /// A metadata entry that is JSON.
    pub(super) fn json<T: serde::de::DeserializeOwned>(&self, key: &str) -> Result<T, String> {
        let text = self
            .metadata
            .get(key)
            .ok_or_else(|| format!("`{key}` is missing"))?;
        serde_json::from_str(text).map_err(|error| format!("`{key}`: {error}"))
    }

    /// The same, where an older version may not have it.
    pub(super) fn json_if_there<T: serde::de::DeserializeOwned>(
        &self,
        key: &str,
    ) -> Result<Option<T>, String> {
        match self.metadata.contains_key(key) {
            true => self.json(key).map(Some),
            false => Ok(None),
        }
    }
}

fn wrong(name: &str, wanted: &str, found: Option<LedgerColumn>) -> String {
    match found {
        None => format!("column `{name}` is missing"),
        Some(_) => format!("column `{name}` does not hold {wanted}"),
    }
}

/// JSON that cannot fail: for metadata made of our own types.
pub(super) fn to_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|why| panic!("metadata is always JSON: {why}"))
}
