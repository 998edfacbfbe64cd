//! A table that is gone through and not kept reads what the whole one reads.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use duress::Registry;
use duress::table_reading::{self, Options, TableHints};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::Value;

use super::{CLASSES, found, guessed, probabilities, values};

/// What one pass over a table reads, or why it reads nothing.
fn streamed(file: &Path, hints: TableHints) -> Result<Value, String> {
    let options = Options {
        hints,
        ..Options::default()
    };
    let gauged = table_reading::stream(file, &options, &Registry::standard());
    gauged
        .map(|gauged| serde_json::to_value(gauged).unwrap())
        .map_err(|why| why.to_string())
}

/// What was said, how sure, and what is true.
fn write_parquet(path: &Path, rows: &[(String, String, f64)]) {
    let schema = "message t { required binary label (UTF8); required binary prediction (UTF8); required double confidence; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let file = fs::File::create(path).unwrap();
    let mut writer =
        SerializedFileWriter::new(file, schema, Arc::new(WriterProperties::builder().build()))
            .unwrap();
    // Several groups, so that what is kept between them is tested.
    for rows in rows.chunks(37) {
        let mut group = writer.next_row_group().unwrap();
        for column in 0..3 {
            let mut to = group.next_column().unwrap().unwrap();
            let bytes = |text: &String| ByteArray::from(text.as_str());
            let texts = |pick: fn(&(String, String, f64)) -> &String| -> Vec<ByteArray> {
                rows.iter().map(|row| bytes(pick(row))).collect()
            };
            match column {
                0 => to
                    .typed::<ByteArrayType>()
                    .write_batch(&texts(|row| &row.0), None, None)
                    .unwrap(),
                1 => to
                    .typed::<ByteArrayType>()
                    .write_batch(&texts(|row| &row.1), None, None)
                    .unwrap(),
                _ => {
                    let numbers: Vec<f64> = rows.iter().map(|row| row.2).collect();
                    to.typed::<DoubleType>()
                        .write_batch(&numbers, None, None)
                        .unwrap()
                }
            };
            to.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
}

#[test]
fn a_stream_reads_what_the_whole_table_reads() {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<(String, String, f64)> = (0..200)
        .map(|i| {
            let all = probabilities(i);
            let top = (0..3)
                .rev()
                .max_by(|a, b| all[*a].total_cmp(&all[*b]))
                .unwrap();
            (CLASSES[i % 3].into(), CLASSES[top].into(), all[top])
        })
        .collect();
    write_parquet(&folder.path().join("t.parquet"), &rows);
    let whole = values(&guessed(folder.path(), "t.parquet"));
    let read = streamed(&folder.path().join("t.parquet"), TableHints::default()).unwrap();
    assert!(found(&read).contains("streamed"), "{}", found(&read));
    let passed = values(&read);
    assert!(passed.len() >= 19, "{passed:?}");
    for (name, value) in &passed {
        // Areas come from counts in steps of confidence; everything else is exact.
        let allowed = if ["aurc", "e-aurc", "augrc"].contains(&name.as_str()) {
            1e-6
        } else {
            1e-12
        };
        let (value, wanted) = (value.unwrap(), whole[name].unwrap());
        assert!(
            (value - wanted).abs() <= allowed,
            "{name}: {value} {wanted}"
        );
    }
    for one in read["gauges"].as_array().unwrap() {
        let said = match one["interval"]["Err"]["text"].as_str() {
            Some(why) => why,
            None => one["method"]["text"].as_str().unwrap(),
        };
        let stated = said.starts_with("streamed, exact")
            || said == "Wilson"
            || said.contains("the exact value lies from");
        assert!(stated, "{one}");
    }
    let misspelt = TableHints {
        label: Some("lable".into()),
        ..TableHints::default()
    };
    let wrong = streamed(&folder.path().join("t.parquet"), misspelt).unwrap_err();
    assert!(wrong.contains("did you mean `label`?"), "{wrong}");
    // A table without a row is refused by name, also when it is said which classes there would be.
    write_parquet(&folder.path().join("none.parquet"), &[]);
    for classes in [&[][..], &["cat", "dog"]] {
        let hints = TableHints {
            classes: classes.iter().map(|&class| class.into()).collect(),
            ..TableHints::default()
        };
        let wrong = streamed(&folder.path().join("none.parquet"), hints).unwrap_err();
        assert!(wrong.contains("none.parquet: there is no row"), "{wrong}");
    }
}
