//! How much work it is to guess a table with many classes.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use ::parquet::data_type::DoubleType;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use duress_tables::formats::parquet;
use duress_tables::layout::guess::{TableHints, guess_with_truth_in};
use duress_tables::table::{Head, Want};

/// Nanoseconds that a processor has worked for this thread; what others do meanwhile does not
/// count, so this is work and not time.
fn worked() -> u64 {
    // Reckoned when a thread gives way, and else a few times in a hundredth of a second.
    std::thread::yield_now();
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse().unwrap()
}

/// The work to guess a table in which every class has a column and an item, so many times.
fn work(folder: &Path, classes: usize, times: usize, hints: &TableHints) -> u64 {
    let names: Vec<String> = (0..classes).map(|class| format!("class-{class}")).collect();
    let truth = names
        .iter()
        .fold(String::from("label\n"), |text, name| text + name + "\n");
    let zeros = vec!["0"; classes - 1].join(",");
    let answers = format!("{},extra\n1,{zeros},0\n", names.join(","));
    let (file, labels) = (folder.join("answers.csv"), folder.join("truth.csv"));
    fs::write(&file, answers).unwrap();
    fs::write(&labels, truth).unwrap();
    let begun = worked();
    for _ in 0..times {
        let found = guess_with_truth_in(&file, &labels, hints).unwrap();
        assert!(found.classes.len() >= classes);
    }
    worked() - begun
}

/// A Parquet file with so many columns of one number.
fn wide(file: &Path, columns: usize) {
    let fields: String = (0..columns)
        .map(|at| format!("REQUIRED DOUBLE c{at};\n"))
        .collect();
    let schema = parse_message_type(&format!("message wide {{ {fields} }}")).unwrap();
    let out = fs::File::create(file).unwrap();
    let mut writer = SerializedFileWriter::new(out, schema.into(), Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    while let Some(mut column) = group.next_column().unwrap() {
        let numbers = column.typed::<DoubleType>();
        numbers.write_batch(&[0.5], None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
}

/// The work to read one, so many times.
fn work_of_columns(folder: &Path, columns: usize, times: usize) -> u64 {
    let file = folder.join("wide.parquet");
    wide(&file, columns);
    let begun = worked();
    for _ in 0..times {
        let input = fs::File::open(&file).unwrap();
        let mut all = |heads: &[Head]| Ok(vec![Want::Numbers; heads.len()]);
        parquet::read(input, &file, &mut all).unwrap();
    }
    worked() - begun
}

/// A group of rows goes through all of its columns when it is opened: once, and not for each of them.
#[test]
fn columns_of_a_parquet_file_are_read_without_going_through_all_others() {
    let folder = tempfile::tempdir().unwrap();
    let few = work_of_columns(folder.path(), 500, 64);
    let many = work_of_columns(folder.path(), 32_000, 1);
    assert!(many < 5 * few, "{many} ns of many, {few} ns of few");
}

/// Sixteen times the classes once are about as much work as a sixteenth of them sixteen times: were
/// every class held against every column, it would be sixteen times as much.
#[test]
fn the_names_of_classes_are_looked_up_and_not_compared_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let told = |classes: usize| TableHints {
        classes: (0..classes).map(|class| format!("class-{class}")).collect(),
        ..TableHints::default()
    };
    for hints in [|_| TableHints::default(), told as fn(usize) -> TableHints] {
        let few = work(folder.path(), 2_000, 48, &hints(2_000));
        let many = work(folder.path(), 32_000, 3, &hints(32_000));
        assert!(many < 5 * few, "{many} ns of many, {few} ns of few");
    }
}
