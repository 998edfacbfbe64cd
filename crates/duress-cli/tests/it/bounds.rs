//! Files that are larger than they look, or damaged: refused in words, within bounds.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use duress_tables::testkit::{npy, npz};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use rust_xlsxwriter::Workbook;

use crate::harness::ended;

fn refused_as_too_large(folder: &Path, file: &str) {
    let (code, said) = ended(folder, &["gauge", file]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("expands to more than 1024 MiB"), "{said}");
    assert!(said.contains("--expansion"), "{said}");
}

/// One text, referred to from forty thousand cells.
#[test]
fn a_workbook_that_refers_to_one_text_again_and_again_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (mut book, text) = (Workbook::new(), "x".repeat(32_000));
    let sheet = book.add_worksheet();
    sheet.write(0, 0, "label").unwrap();
    for row in 1..=40_000 {
        sheet.write(row, 0, &text).unwrap();
    }
    let file = folder.path().join("bomb.xlsx");
    book.save(&file).unwrap();
    assert!(fs::metadata(&file).unwrap().len() < 2_000_000);
    refused_as_too_large(folder.path(), "bomb.xlsx");
}

#[test]
fn a_workbook_whose_archive_expands_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = File::create(folder.path().join("zeros.xlsx")).unwrap();
    let mut archive = zip::ZipWriter::new(file);
    let options = zip::write::SimpleFileOptions::default();
    archive.start_file("xl/sharedStrings.xml", options).unwrap();
    let piece = vec![b' '; 1 << 20];
    for _ in 0..1030 {
        archive.write_all(&piece).unwrap();
    }
    archive.finish().unwrap();
    refused_as_too_large(folder.path(), "zeros.xlsx");
}

#[test]
fn an_array_that_says_it_is_larger_than_its_file_can_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let arrays = [
        ("probability", npy("|u1", &[1_000_000_000], &[0; 64])),
        ("label", npy("|u1", &[64], &[0; 64])),
    ];
    fs::write(folder.path().join("a.npz"), npz(&arrays)).unwrap();
    refused_as_too_large(folder.path(), "a.npz");
}

/// A table of two columns; each row says the same text, which is stored once.
fn dictionary(file: &Path, text: &str, rows: usize) {
    let schema = parse_message_type(
        "message m { REQUIRED BYTE_ARRAY label (UTF8); REQUIRED DOUBLE probability; }",
    );
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(true)
        .set_dictionary_page_size_limit(1 << 24)
        .build();
    let out = File::create(file).unwrap();
    let mut writer =
        SerializedFileWriter::new(out, Arc::new(schema.unwrap()), Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let said = vec![ByteArray::from(text); rows];
    let texts = column.typed::<ByteArrayType>();
    texts.write_batch(&said, None, None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let numbers = column.typed::<DoubleType>();
    numbers.write_batch(&vec![0.5; rows], None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn a_dictionary_that_expands_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bomb.parquet");
    dictionary(&file, &"y".repeat(1 << 20), 1100);
    assert!(fs::metadata(&file).unwrap().len() < 3_000_000);
    refused_as_too_large(folder.path(), "bomb.parquet");
}

/// The reader of Parquet meets some damage with a panic; that is the file's fault and not ours.
#[test]
fn a_damaged_parquet_file_is_damaged_and_no_bug_of_ours() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.parquet");
    dictionary(&file, "cat", 40);
    let whole = fs::read(&file).unwrap();
    for at in (4..whole.len() - 8).step_by(whole.len() / 60) {
        let mut bytes = whole.clone();
        bytes[at] = !bytes[at];
        fs::write(&file, bytes).unwrap();
        let (code, said) = ended(folder.path(), &["gauge", "t.parquet", "--no-intervals"]);
        assert!(code == 0 || code == 2, "byte {at}: {code} {said}");
        assert!(!said.contains("bug in duress"), "byte {at}: {said}");
    }
}
