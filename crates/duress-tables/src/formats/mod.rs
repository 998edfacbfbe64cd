//! Formats: how the tables people already have are read.
//!
//! A reader is told what to read once it knows which columns there are ([`Choose`]), so that
//! what nobody asked for costs nothing; it gives back a [`Table`] in which every number is
//! finite and every row can be found again in the file.

mod archive;
pub mod csv;
mod decimals;
pub mod filling;
pub mod jsonl;
pub mod npz;
pub mod numpy;
pub mod parquet;
mod parquet_file;
pub mod torch;
pub mod xlsx;
mod xml;

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use duress_core::data::{TablePiece, TableUse};
use duress_core::problem::Problem;

use crate::table::{Choose, Head, Table};

/// The endings of the names of tables.
pub const ENDINGS: [&str; 11] = [
    "csv",
    "parquet",
    "pq",
    "npz",
    "npy",
    "pt",
    "pth",
    "safetensors",
    "jsonl",
    "ndjson",
    "xlsx",
];

/// The folder that a file lies in: the one we are in, when its path names none.
pub fn folder_around(file: &Path) -> Option<PathBuf> {
    let folder = file.parent()?;
    Some(if folder.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        folder.into()
    })
}

/// The columns of a table, without their values.
pub fn heads(file: &Path) -> Result<Vec<Head>, Problem> {
    let mut seen = None;
    let read = read(file, &mut |heads| {
        seen = Some(heads.to_vec());
        // Nothing more is wanted, and a reader that is refused reads no further.
        Err(Problem::new("only the names of the columns were wanted"))
    });
    match (seen, read) {
        (Some(heads), _) => Ok(heads),
        (None, Err(problem)) => Err(problem),
        (None, Ok(_)) => Err(Problem::new("the table has no header").in_file(file)),
    }
}

/// Reads the columns that `choose` wants from a CSV, Parquet, npz, npy, PyTorch, JSON lines or xlsx
/// file; the ending of its name says which it is. There is a row at least.
pub fn read(file: &Path, choose: &mut Choose<'_>) -> Result<Table, Problem> {
    let table = read_if_any(file, choose)?;
    match table.rows() {
        0 => Err(no_row().in_file(file)),
        _ => Ok(table),
    }
}

/// The problem that a table has no row.
pub fn no_row() -> Problem {
    Problem::new("there is no row").expected("a row per item")
}

/// The same, where a table without a row says something, as a list of edges does.
pub fn read_if_any(file: &Path, choose: &mut Choose<'_>) -> Result<Table, Problem> {
    let ending = file
        .extension()
        .map(|ending| ending.to_string_lossy().to_lowercase());
    let read = match ending.as_deref() {
        Some("csv") if is_workbook(file) => xlsx::read,
        Some("csv") => csv::read,
        Some("npz" | "npy") => npz::read,
        Some("parquet" | "pq") => parquet::read,
        Some("jsonl" | "ndjson") => jsonl::read,
        Some("xlsx") => xlsx::read,
        Some("pt" | "pth" | "safetensors") => torch::read,
        _ => {
            return Err(Problem::new("the ending of the name does not say what kind of table it is")
                .expected(
                    "a name that ends in .csv, .parquet, .npz, .npy, .pt, .safetensors, .jsonl or .xlsx",
                )
                .in_file(file));
        }
    };
    read(open(file)?, file, choose).map_err(|problem| problem.in_file(file))
}

/// Whether a file is a workbook by what it begins with, though its name may say CSV: some programs
/// write one under such a name. Other archives, such as .npz and .pt, begin alike.
pub fn is_workbook(file: &Path) -> bool {
    const ZIP: [u8; 4] = *b"PK\x03\x04";
    let named = |ending: &std::ffi::OsStr| {
        ending.eq_ignore_ascii_case("xlsx") || ending.eq_ignore_ascii_case("csv")
    };
    if !file.extension().is_some_and(named) {
        return false;
    }
    let mut first = [0; ZIP.len()];
    let opened = File::open(file).and_then(|mut file| file.read_exact(&mut first));
    opened.is_ok() && first == ZIP
}

/// A table of which a part reads the columns that `reads` picks.
pub fn table_use(
    file: &Path,
    reads: impl FnOnce(&[Head]) -> Result<Vec<String>, Problem>,
) -> Result<TableUse, Problem> {
    let heads = heads(file)?;
    let read = reads(&heads).map_err(|problem| problem.in_file(file))?;
    Ok(TableUse {
        file: file.into(),
        there: heads.into_iter().map(|head| head.name).collect(),
        read,
    })
}

/// What the tables of a file of this name are made of.
pub fn piece_of(file: &Path) -> TablePiece {
    let ending = file.extension().map(|ending| ending.to_ascii_lowercase());
    match ending.as_ref().and_then(|ending| ending.to_str()) {
        Some("npz" | "npy" | "pt" | "pth" | "safetensors") => TablePiece::Array,
        Some("jsonl" | "ndjson") => TablePiece::Key,
        _ => TablePiece::Column,
    }
}

fn open(file: &Path) -> Result<File, Problem> {
    let problem = |message: String| {
        Problem::new(message)
            .expected("a file that can be read")
            .in_file(file)
    };
    // Opening a folder succeeds on Unix and fails later with a message that helps nobody.
    match std::fs::metadata(file) {
        Ok(about) if about.is_dir() => return Err(problem("this is a folder, not a file".into())),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(problem("there is no such file".into()));
        }
        _ => {}
    }
    File::open(file).map_err(|error| problem(format!("it cannot be opened: {error}")))
}
