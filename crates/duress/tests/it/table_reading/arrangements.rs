//! Scores per arrangement: the layouts people have, and every number beside an independent
//! recomputation.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use duress::table_reading::TableHints;
use serde_json::Value;

use super::{found, guessed, hinted, refused, values};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

fn layouts() -> PathBuf {
    data().join("orderprobe")
}

fn idioms() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/order/four-languages")
}

fn close(read: &Value, gauge: &str, expected: f64) {
    let value = values(read)[gauge].unwrap();
    assert!(
        (value - expected).abs() < 1e-12,
        "{gauge}: {value}, not {expected}"
    );
}

/// The made-up score of `peers/order/run.py`.
fn score(text: &[char]) -> f64 {
    let summed = text.iter().zip(1_u64..);
    let total: u64 = summed
        .map(|(c, place)| u64::from(*c as u32) * place * place * 31)
        .sum();
    let hashed = (total * 2_654_435_761) % (1 << 32);
    0.05 + 0.9 * hashed as f64 / (1_u64 << 32) as f64
}

/// All orders of four, by name.
fn orders() -> Vec<(String, Vec<usize>)> {
    let mut all = Vec::new();
    for code in 0..256_usize {
        let order = [code >> 6, code >> 4 & 3, code >> 2 & 3, code & 3];
        let mut sorted = order;
        sorted.sort_unstable();
        if sorted == [0, 1, 2, 3] {
            let name = order
                .iter()
                .map(|&unit| char::from(b'A' + unit as u8))
                .collect();
            all.push((name, order.to_vec()));
        }
    }
    all
}

/// A table of scores of every idiom of a file in every order, as the project lays them out.
fn table(name: &str, explained: bool) -> String {
    let text = fs::read_to_string(idioms().join(format!("{name}.csv"))).unwrap();
    let orders = orders();
    let heads: Vec<String> = orders
        .iter()
        .map(|(name, _)| format!("{name}_S_Acc"))
        .collect();
    let mut table = format!("Idiom,{}\n", heads.join(","));
    let mut seen = Vec::new();
    for line in text.trim_start_matches('\u{feff}').lines() {
        let (idiom, explanation) = line.split_once(',').unwrap_or((line, ""));
        let units: Vec<char> = idiom.trim().chars().collect();
        if units.len() != 4 || seen.contains(&units) || explained && explanation.trim().is_empty() {
            continue;
        }
        let of = |(_, order): &(String, Vec<usize>)| {
            let text: Vec<char> = order.iter().map(|&unit| units[unit]).collect();
            score(&text).to_string()
        };
        let scores: Vec<String> = orders.iter().map(of).collect();
        writeln!(table, "{},{}", idiom.trim(), scores.join(",")).unwrap();
        seen.push(units);
    }
    table
}

#[test]
fn every_number_on_all_distinct_scrambles_is_that_of_an_independent_recomputation() {
    let expected = fs::read_to_string(data().join("order.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut scrambles = 0;
    for (name, expected) in expected.as_object().unwrap() {
        let explained = name != "japanese_explanations";
        fs::write(folder.path().join("scores.csv"), table(name, explained)).unwrap();
        let hints = TableHints {
            structures: Some(idioms().join(format!("{name}.structure.csv"))),
            ..TableHints::default()
        };
        let read = hinted(folder.path(), "scores.csv", hints);
        assert_eq!(read["items"], expected["items"], "{name}");
        for gauge in ["mdr", "mda", "worst-per-item", "s-seq", "s-struct", "s-rob"] {
            close(&read, gauge, expected[gauge].as_f64().unwrap());
        }
        let gauges = read["gauges"].as_array().unwrap();
        let detail = |gauge: &str| {
            let one = gauges.iter().find(|one| one["gauge"] == gauge).unwrap();
            one["detail"].clone()
        };
        let grid = &detail("mdr")["grid"];
        let width = grid["columns"].as_array().unwrap().len();
        let rows = grid["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 23);
        for (at, row) in rows.iter().enumerate() {
            let cell = &grid["cells"][at * width];
            scrambles += match explained {
                true => cell["n"].as_u64().unwrap(),
                false => 0,
            };
            let value = cell["value"]["Ok"].as_f64().unwrap();
            let d = expected["d"][row.as_str().unwrap()].as_f64().unwrap();
            assert!((value - d).abs() < 1e-12, "{name} {row}: {value}, not {d}");
        }
        for group in detail("s-struct")["spread"]["groups"].as_array().unwrap() {
            let mean = expected["means"][group["name"].as_str().unwrap()]
                .as_f64()
                .unwrap();
            let value = group["value"]["Ok"].as_f64().unwrap();
            assert!((value - mean).abs() < 1e-12, "{name} {group}");
        }
    }
    assert_eq!(scrambles, 65_695);
}

#[test]
fn one_set_of_scores_reads_the_same_in_every_layout_of_the_project() {
    let wide = guessed(&layouts(), "wide_all_columns.xlsx");
    assert!(
        found(&wide).contains("scores of 24 arrangements of 4 units"),
        "{}",
        found(&wide)
    );
    assert!(
        found(&wide).contains("the text repeats a unit"),
        "{}",
        found(&wide)
    );
    for other in ["sheets_with_summary.xlsx", "per_arrangement"] {
        let read = guessed(&layouts(), other);
        assert_eq!(read["items"], 20, "{other}");
        for gauge in ["mdr", "mda", "worst-per-item", "s-seq"] {
            close(&read, gauge, values(&wide)[gauge].unwrap());
        }
        assert!(
            found(&read).to_lowercase().contains("summary"),
            "{}",
            found(&read)
        );
    }
}

#[test]
fn a_column_of_models_gives_numbers_for_each_and_empty_cells_are_absent_answers() {
    let of_models = |file: &str| {
        let read = guessed(&layouts(), file);
        let gauges = read["gauges"].as_array().unwrap().clone();
        let mdr = gauges.into_iter().filter(|one| one["gauge"] == "mdr");
        mdr.map(|one| {
            let model = one["model"].as_str().unwrap().to_owned();
            (model, one["value"]["value"].as_f64().unwrap())
        })
        .collect::<Vec<_>>()
    };
    let long = of_models("long_model_column.csv");
    assert_eq!(long.len(), 2);
    for file in ["wide_model_column.csv", "wide_model_column.xlsx"] {
        let wide = of_models(file);
        for ((model, value), (other, expected)) in wide.iter().zip(&long) {
            assert!(
                model == other && (value - expected).abs() < 1e-9,
                "{file} {model}"
            );
        }
    }
    for file in ["wide_empty_cells.csv", "wide_empty_cells.xlsx"] {
        let read = guessed(&layouts(), file);
        let told = found(&read);
        assert!(
            told.contains("cells without a score are absent answers"),
            "{told}"
        );
        assert!(told.contains("22 of 23 arrangements have scores"), "{told}");
        assert!(told.contains("no score at all"), "{told}");
    }
}

#[test]
fn what_needs_no_s_orig_is_read_without_it_and_what_has_no_scores_is_refused() {
    let structures = || TableHints {
        structures: Some(idioms().join("korean_explanations.structure.csv")),
        ..TableHints::default()
    };
    let averages = hinted(
        &layouts(),
        "model-a_baseline_mean_summary.csv",
        structures(),
    );
    let read = values(&averages);
    assert!(read["s-struct"].is_some(), "{read:?}");
    assert_eq!(read["mdr"], None);
    let results = refused(
        &layouts(),
        "results_really_excel.csv",
        TableHints::default(),
    );
    assert!(results.contains("these are results"), "{results}");
    let shifted = refused(
        &layouts(),
        "permutations_shifted_header.csv",
        TableHints::default(),
    );
    assert!(
        shifted.contains("a table of scrambled texts has no scores"),
        "{shifted}"
    );
}
