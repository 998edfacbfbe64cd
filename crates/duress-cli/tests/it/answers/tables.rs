//! Tables through the command: what `gauge`, `init` and a study make of them is the same, and hostile
//! ones do not break it. What tables read is tested where they are read.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::Value;

use super::{duress, is_second, second, table};

fn json(folder: &Path, args: &[&str]) -> Value {
    let (code, said, wrong) = duress(folder, &[&["gauge", "--json"], args].concat());
    assert_eq!(code, 0, "{args:?}: {wrong}");
    serde_json::from_str(&said).unwrap()
}

fn values(read: &Value) -> BTreeMap<String, Option<f64>> {
    let gauges = read["gauges"].as_array().unwrap().iter();
    gauges
        .map(|one| {
            (
                one["gauge"].as_str().unwrap().into(),
                one["value"]["value"].as_f64(),
            )
        })
        .collect()
}

fn found(read: &Value) -> String {
    read["found"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.as_str().unwrap())
        .collect::<Vec<_>>()
        .join(" · ")
}

#[test]
fn init_and_a_stream_read_a_number_beside_predictions_as_gauge_does() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |threshold: f64, number: &dyn Fn(usize) -> f64| -> Vec<(String, String, f64)> {
        let class = |second: bool| ["0", "1"][usize::from(second)].to_string();
        (0..200)
            .map(|i| (class(is_second(i)), class(second(i) > threshold), number(i)))
            .collect()
    };
    let write = |name: &str, rows: &[(String, String, f64)]| {
        let text = rows
            .iter()
            .map(|(label, said, p)| format!("{label},{said},{p}"));
        fs::write(
            folder.path().join(format!("{name}.csv")),
            table("label,prediction,probability", text),
        )
        .unwrap();
        write_parquet_with(
            &folder.path().join(format!("{name}.parquet")),
            "probability",
            rows,
        );
    };
    write("p", &rows(0.3, &second));
    let whole = json(folder.path(), &["p.csv", "--no-intervals"]);
    let streamed = json(folder.path(), &["p.parquet", "--stream"]);
    assert!(
        found(&streamed).contains("`probability` is about `1`"),
        "{}",
        found(&streamed)
    );
    for name in ["accuracy", "ece", "brier", "nll"] {
        let (one, other) = (
            values(&whole)[name].unwrap(),
            values(&streamed)[name].unwrap(),
        );
        assert!((one - other).abs() < 1e-12, "{name}: {one} {other}");
    }
    let (code, _, wrong) = duress(folder.path(), &["init", "p.csv", "--out", "p.toml"]);
    assert_eq!(code, 0, "{wrong}");
    let study = fs::read_to_string(folder.path().join("p.toml")).unwrap();
    assert!(
        study.contains("positive = \"probability\"")
            && study.contains("# `prediction` says `1` from"),
        "{study}"
    );
    let (code, _, wrong) = duress(folder.path(), &["run", "p.toml", "--out", "run"]);
    assert_eq!(code, 0, "{wrong}");
    let text = fs::read_to_string(folder.path().join("run/5-findings.json")).unwrap();
    let findings: Value = serde_json::from_str(&text).unwrap();
    let ece = findings["estimates"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["gauge"] == "ece")
        .unwrap();
    assert_eq!(ece["value"]["value"].as_f64(), values(&whole)["ece"]);
    // Neither one nor the other.
    write(
        "odd",
        &rows(0.5, &|i| {
            if i.is_multiple_of(3) {
                1.0 - second(i)
            } else {
                second(i)
            }
        }),
    );
    let (code, _, wrong) = duress(folder.path(), &["init", "odd.csv", "--out", "odd.toml"]);
    assert!(
        code == 2 && wrong.contains("positive = \"probability\""),
        "{wrong}"
    );
    let (code, _, wrong) = duress(folder.path(), &["gauge", "odd.parquet", "--stream"]);
    assert!(
        code == 2 && wrong.contains("neither the probability of `1`"),
        "{wrong}"
    );
    let told = json(
        folder.path(),
        &["odd.parquet", "--stream", "--score", "probability"],
    );
    let whole = json(
        folder.path(),
        &["odd.csv", "--no-intervals", "--score", "probability"],
    );
    assert!((values(&told)["ece"].unwrap() - values(&whole)["ece"].unwrap()).abs() < 1e-12);
    // A confidence that cannot be the largest probability is doubted in a study too.
    let low = (0..60).map(|i| {
        format!(
            "{},{},{}",
            u8::from(is_second(i)),
            u8::from(second(i) > 0.5),
            second(i)
        )
    });
    fs::write(
        folder.path().join("low.csv"),
        table("label,prediction,confidence", low),
    )
    .unwrap();
    assert_eq!(
        duress(folder.path(), &["init", "low.csv", "--out", "low.toml"]).0,
        0
    );
    assert_eq!(
        duress(folder.path(), &["run", "low.toml", "--out", "low"]).0,
        0
    );
    let findings = fs::read_to_string(folder.path().join("low/5-findings.json")).unwrap();
    assert!(
        findings.contains("of its confidences are below 1/2"),
        "{findings}"
    );
}

fn write_parquet_with(path: &Path, number: &str, rows: &[(String, String, f64)]) {
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
fn hostile_tables_are_refused_or_read_and_never_break_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let run = |text: &str, args: &[&str]| {
        fs::write(folder.path().join("t.csv"), text).unwrap();
        duress(
            folder.path(),
            &[&["gauge", "t.csv", "--no-intervals"], args].concat(),
        )
    };
    let refused = |text: &str, expected: &str| {
        let (code, _, wrong) = run(text, &[]);
        assert!(
            code == 2 && wrong.contains(expected),
            "{expected} in {wrong}"
        );
    };
    let read = |text: &str, expected: &str| {
        let (code, said, wrong) = run(text, &[]);
        assert_eq!(code, 0, "{wrong}");
        assert!(said.contains(expected), "{expected} in {said}");
    };
    refused("", "the file is empty");
    refused("a,b,label\n", "there is no row");
    refused("a,b,label\nNaN,1,a\n0.5,0.5,b\n", "t.csv:2");
    refused("a,b,label\n-0.1,1.1,a\n0.5,0.5,b\n", "t.csv:2");
    refused(
        "id,a,b,label\nx,0.5,0.5,a\nx,0.5,0.5,b\n",
        "\"x\" is there twice",
    );
    refused("a,b,label\n0.5,0.5,a\n0.5,0.5,7\n", "t.csv:3");
    refused(
        "a,b,label\n0.5,0.5,0\n0.5,0.5,99999999999999999999\n",
        "t.csv:3",
    );
    refused("a,b,label\n0.5,0.5,a\n0.5,0.5,1\n", "t.csv:3");
    read("a,b,label\n0.3,0.7,b\n", "1 item");
    read("a,b,label\n0.3,0.7,b\n0.4,0.6,b\n", "undefined");
    read(
        "\u{feff}a,b,label\r\n0.3,0.7,b\r\n0.9,0.1,a\r\n",
        "accuracy",
    );
    // As many classes as nobody has, two items.
    let names: Vec<String> = (0..100_000).map(|class| format!("c{class}")).collect();
    let row = |at: usize| {
        let mut row = vec!["0"; 100_000];
        row[at] = "1";
        format!("{},c{at}", row.join(","))
    };
    read(
        &format!("{},label\n{}\n{}\n", names.join(","), row(3), row(99_999)),
        "100000 in all",
    );
}

#[test]
fn accuracy_clearly_below_chance_is_remarked_on() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |swapped: bool| {
        table(
            "id,no,yes,label",
            (0..40).map(move |i| {
                let p = if swapped { 1.0 - second(i) } else { second(i) };
                format!(
                    "i{i},{},{p},{}",
                    1.0 - p,
                    if is_second(i) { "yes" } else { "no" }
                )
            }),
        )
    };
    for (swapped, file) in [(true, "swapped.csv"), (false, "right.csv")] {
        fs::write(folder.path().join(file), rows(swapped)).unwrap();
        let (code, said, _) = duress(folder.path(), &["gauge", file]);
        assert_eq!(code, 0);
        assert_eq!(said.contains("less often than chance"), swapped, "{said}");
        let study = format!("{file}.toml");
        duress(folder.path(), &["init", file, "--out", &study]);
        let (code, said, wrong) = duress(
            folder.path(),
            &["run", &study, "--out", file.trim_end_matches(".csv")],
        );
        assert_eq!(code, 0, "{wrong}");
        assert_eq!(said.contains("less often than chance"), swapped, "{said}");
    }
}
