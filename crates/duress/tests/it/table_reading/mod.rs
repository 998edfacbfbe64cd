//! Tables of answers as people have them, read the short way.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod arrangements;
mod classes;
mod number_beside_predictions;
mod stream;

use std::collections::BTreeMap;
use std::path::Path;

use duress::Registry;
use duress::table_reading::{self, GaugeOptions, TableHints};
use serde_json::Value;

fn options(hints: TableHints) -> GaugeOptions {
    GaugeOptions {
        hints,
        intervals: false,
        details: true,
        ..GaugeOptions::default()
    }
}

/// What a table reads, as programs are told.
fn hinted(folder: &Path, file: &str, hints: TableHints) -> Value {
    let gauged = table_reading::gauge(&folder.join(file), &options(hints), &Registry::standard());
    let gauged = gauged.unwrap_or_else(|why| panic!("{why}"));
    serde_json::to_value(gauged).unwrap()
}

/// The same where nothing is known beforehand.
fn guessed(folder: &Path, file: &str) -> Value {
    hinted(folder, file, TableHints::default())
}

/// Why a table is not read.
fn refused(folder: &Path, file: &str, hints: TableHints) -> String {
    table_reading::gauge(&folder.join(file), &options(hints), &Registry::standard())
        .map(|gauged| panic!("it was read: {:?}", gauged.found))
        .unwrap_err()
        .to_string()
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

fn same(read: &Value, expected: &Value) {
    let (read, expected) = (values(read), values(expected));
    assert!(
        read.len() > 15 && read.keys().eq(expected.keys()),
        "{read:?} {expected:?}"
    );
    for (name, value) in &read {
        let close = match (value, expected[name]) {
            (Some(value), Some(wanted)) => (value - wanted).abs() < 1e-12,
            (value, wanted) => *value == wanted,
        };
        assert!(close, "{name}: {value:?} {:?}", expected[name]);
    }
}
