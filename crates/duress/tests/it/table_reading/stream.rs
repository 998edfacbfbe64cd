//! A table that is gone through and not kept reads what the whole one reads.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use duress::Registry;
use duress::init::{self, StudyTopic};
use duress::table_reading::{self, GaugeOptions, TableHints};
use duress_tables::testkit::{CLASSES, is_second, probabilities, second, table};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::Value;

use super::{found, guessed, hinted, values};
use crate::recorded_answers;

/// What one pass over a table reads, or why it reads nothing.
fn streamed(file: &Path, hints: TableHints) -> Result<Value, String> {
    let options = GaugeOptions {
        hints,
        ..GaugeOptions::default()
    };
    let gauged = table_reading::stream(file, &options, &Registry::standard());
    gauged
        .map(|gauged| serde_json::to_value(gauged).unwrap())
        .map_err(|why| why.to_string())
}

/// What is true, what was said, and the number beside it.
type Row = (String, String, f64);

/// Rows with the number in the column `number`.
fn write_parquet(path: &Path, number: &str, rows: &[Row]) {
    let schema = format!(
        "message t {{ required binary label (UTF8); required binary prediction (UTF8); required double {number}; }}"
    );
    let schema = Arc::new(parse_message_type(&schema).unwrap());
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
            let texts = |pick: fn(&Row) -> &String| -> Vec<ByteArray> {
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
    let rows: Vec<Row> = (0..200)
        .map(|i| {
            let all = probabilities(i);
            let top = (0..3)
                .rev()
                .max_by(|a, b| all[*a].total_cmp(&all[*b]))
                .unwrap();
            (CLASSES[i % 3].into(), CLASSES[top].into(), all[top])
        })
        .collect();
    write_parquet(&folder.path().join("t.parquet"), "confidence", &rows);
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
    write_parquet(&folder.path().join("none.parquet"), "confidence", &[]);
    for classes in [&[][..], &["cat", "dog"]] {
        let hints = TableHints {
            classes: classes.iter().map(|&class| class.into()).collect(),
            ..TableHints::default()
        };
        let wrong = streamed(&folder.path().join("none.parquet"), hints).unwrap_err();
        assert!(wrong.contains("none.parquet: there is no row"), "{wrong}");
    }
}

/// Two hundred items of two classes: the second is said where it is likelier than `threshold`.
fn rows(threshold: f64, number: impl Fn(usize) -> f64) -> Vec<Row> {
    let class = |second: bool| ["0", "1"][usize::from(second)].to_string();
    let row = |i: usize| (class(is_second(i)), class(second(i) > threshold), number(i));
    (0..200).map(row).collect()
}

/// The same table as CSV and as Parquet.
fn write_both(folder: &Path, name: &str, rows: &[Row]) {
    let lines = rows
        .iter()
        .map(|(label, said, p)| format!("{label},{said},{p}"));
    let text = table("label,prediction,probability", lines);
    fs::write(folder.join(format!("{name}.csv")), text).unwrap();
    write_parquet(&folder.join(format!("{name}.parquet")), "probability", rows);
}

/// The study that `init` writes about a table, or why it writes none.
fn drafted(folder: &Path, file: &str) -> Result<String, String> {
    let about = StudyTopic::Answers(folder.join(file));
    init::study(&about, &folder.join("study.toml"), &Registry::standard())
        .map_err(|why| why.to_string())
}

#[test]
fn init_and_a_stream_read_a_number_beside_predictions_as_gauge_does() {
    let folder = tempfile::tempdir().unwrap();
    write_both(folder.path(), "p", &rows(0.3, second));
    let whole = values(&guessed(folder.path(), "p.csv"));
    let streamed = streamed(&folder.path().join("p.parquet"), TableHints::default()).unwrap();
    assert!(
        found(&streamed).contains("`probability` is about `1`"),
        "{}",
        found(&streamed)
    );
    for name in ["accuracy", "ece", "brier", "nll"] {
        let (one, other) = (whole[name].unwrap(), values(&streamed)[name].unwrap());
        assert!((one - other).abs() < 1e-12, "{name}: {one} {other}");
    }
    let study = drafted(folder.path(), "p.csv").unwrap();
    assert!(
        study.contains("positive = \"probability\"")
            && study.contains("# `prediction` says `1` from"),
        "{study}"
    );
    let findings = recorded_answers::found(folder.path(), &study, "run");
    let estimates = findings["estimates"].as_array().unwrap();
    let ece = estimates.iter().find(|one| one["gauge"] == "ece").unwrap();
    assert_eq!(ece["value"]["value"].as_f64(), whole["ece"]);
}

#[test]
fn a_number_that_goes_with_no_class_is_refused_until_it_is_said_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let odd = |i: usize| match i.is_multiple_of(3) {
        true => 1.0 - second(i),
        false => second(i),
    };
    write_both(folder.path(), "odd", &rows(0.5, odd));
    let wrong = drafted(folder.path(), "odd.csv").unwrap_err();
    assert!(wrong.contains("positive = \"probability\""), "{wrong}");
    let parquet = folder.path().join("odd.parquet");
    let wrong = streamed(&parquet, TableHints::default()).unwrap_err();
    assert!(wrong.contains("neither the probability of `1`"), "{wrong}");
    let hints = || TableHints {
        score: Some("probability".into()),
        ..TableHints::default()
    };
    let told = values(&streamed(&parquet, hints()).unwrap());
    let whole = values(&hinted(folder.path(), "odd.csv", hints()));
    assert!((told["ece"].unwrap() - whole["ece"].unwrap()).abs() < 1e-12);
}

#[test]
fn a_confidence_that_cannot_be_the_largest_probability_is_doubted_in_a_study_too() {
    let folder = tempfile::tempdir().unwrap();
    let lines = (0..60).map(|i| {
        let [truth, said] = [is_second(i), second(i) > 0.5].map(u8::from);
        format!("{truth},{said},{}", second(i))
    });
    let text = table("label,prediction,confidence", lines);
    fs::write(folder.path().join("low.csv"), text).unwrap();
    let study = drafted(folder.path(), "low.csv").unwrap();
    let findings = recorded_answers::found(folder.path(), &study, "run").to_string();
    assert!(
        findings.contains("of its confidences are below 1/2"),
        "{findings}"
    );
}
