//! Tables of answers as people have them: a row per item and class, one column for two classes, a
//! stream, a second gate; and hostile ones.
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

use crate::harness::ended_at_width;

fn duress(folder: &Path, args: &[&str]) -> (i32, String, String) {
    ended_at_width(folder, 200, args)
}

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

const CLASSES: [&str; 3] = ["cat", "dog", "owl"];

/// The probabilities of item `i`, no two items equally sure; its true class is `i % 3`.
fn probabilities(i: usize) -> [f64; 3] {
    let weights = [1 + (7 * i) % 11, 1 + (5 * i) % 13, 1 + (3 * i) % 7];
    let weights = weights.map(|weight| (weight * weight * weight) as f64 + 0.003 * i as f64);
    weights.map(|weight| weight / weights.iter().sum::<f64>())
}

fn table(header: &str, rows: impl Iterator<Item = String>) -> String {
    format!(
        "{header}\n{}",
        rows.map(|row| row + "\n").collect::<String>()
    )
}

#[test]
fn a_row_per_item_and_class_is_read_as_a_column_per_class_is() {
    let folder = tempfile::tempdir().unwrap();
    let wide = (0..40).map(|i| {
        let [a, b, c] = probabilities(i);
        format!("i{i},{a},{b},{c},{}", CLASSES[i % 3])
    });
    fs::write(
        folder.path().join("wide.csv"),
        table("id,cat,dog,owl,label", wide),
    )
    .unwrap();
    let long = (0..40).flat_map(|i| {
        (0..3).map(move |at| {
            format!(
                "i{i},{},{},{}",
                CLASSES[at],
                probabilities(i)[at],
                CLASSES[i % 3]
            )
        })
    });
    let long = table("item,class,probability,label", long);
    fs::write(folder.path().join("long.csv"), &long).unwrap();
    let read = json(folder.path(), &["long.csv", "--no-intervals"]);
    same(&read, &json(folder.path(), &["wide.csv", "--no-intervals"]));
    assert!(
        found(&read).contains("a row per item and class, in `class` and `probability`"),
        "{read}"
    );
    assert!(
        found(&read).contains("told to be probabilities, since every row sums to 1"),
        "{read}"
    );
    // An item that changes its true class between its rows, and one that lacks a class.
    fs::write(
        folder.path().join("torn.csv"),
        long.replacen("owl,", "owl,0,cat\nx,owl,", 1),
    )
    .unwrap();
    let changed = long.replacen(",cat\ni0,dog", ",owl\ni0,dog", 1);
    fs::write(folder.path().join("changed.csv"), changed).unwrap();
    let (code, _, wrong) = duress(folder.path(), &["gauge", "changed.csv"]);
    assert!(
        code == 2 && wrong.contains("changed.csv:3") && wrong.contains("was \"owl\" before"),
        "{wrong}"
    );
    let gap = long
        .lines()
        .filter(|line| !line.starts_with("i5,dog"))
        .collect::<Vec<_>>()
        .join("\n");
    fs::write(folder.path().join("gap.csv"), gap).unwrap();
    let (code, _, wrong) = duress(folder.path(), &["gauge", "gap.csv"]);
    assert!(
        code == 2 && wrong.contains("\"i5\" has no number for the class \"dog\""),
        "{wrong}"
    );
}

#[test]
fn one_column_is_about_the_second_of_two_classes_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let p = |i: usize| probabilities(i)[0];
    let write = |name: &str, header: &str, row: &dyn Fn(usize) -> String| {
        fs::write(folder.path().join(name), table(header, (0..60).map(row))).unwrap();
    };
    let word = |i: usize| ["benign", "malignant"][usize::from(i.is_multiple_of(3))];
    write("two.csv", "benign,malignant,label", &|i| {
        format!("{},{},{}", 1.0 - p(i), p(i), word(i))
    });
    write("score.csv", "score,label", &|i| {
        format!("{},{}", p(i), word(i))
    });
    write("named.csv", "id,malignant,label", &|i| {
        format!("i{i},{},{}", p(i), word(i))
    });
    write("first.csv", "benign,label", &|i| {
        format!("{},{}", 1.0 - p(i), word(i))
    });
    write("class.csv", "id,class,probability", &|i| {
        format!("{i},{},{}", word(i), p(i))
    });
    write("odd.csv", "risk,label", &|i| {
        format!("{},{}", p(i), word(i))
    });
    let expected = json(folder.path(), &["two.csv", "--no-intervals"]);
    for args in [
        &["score.csv"][..],
        &["named.csv"],
        &["class.csv"],
        &["odd.csv", "--score", "risk"],
    ] {
        let read = json(folder.path(), &[args, &["--no-intervals"]].concat());
        same(&read, &expected);
        assert!(
            found(&read).contains("is about `malignant`, the second of the two"),
            "{}",
            found(&read)
        );
        assert!(
            found(&read).contains("told to be probabilities"),
            "{}",
            found(&read)
        );
    }
    // A column called as the class that comes first by letter is about that class.
    let first = json(folder.path(), &["first.csv", "--no-intervals"]);
    assert!(
        found(&first).contains("`benign` is about `benign`"),
        "{}",
        found(&first)
    );
    assert_eq!(values(&first)["accuracy"], values(&expected)["accuracy"]);
    // What comes second by letter may not be what the column is about.
    write("turned.csv", "score,label", &|i| {
        format!(
            "{},{}",
            if word(i) == "benign" { 0.8 } else { 0.3 },
            word(i)
        )
    });
    let turned = json(folder.path(), &["turned.csv", "--no-intervals"]);
    assert!(
        found(&turned).contains("say `--classes malignant,benign`"),
        "{}",
        found(&turned)
    );
    let told = json(
        folder.path(),
        &[
            "turned.csv",
            "--no-intervals",
            "--classes",
            "malignant,benign",
        ],
    );
    assert!(!found(&told).contains("say `--classes"), "{}", found(&told));
    // Beyond [0, 1] they are logits against 0.
    write("logit.csv", "score,label", &|i| {
        format!("{},{}", (p(i) / (1.0 - p(i))).ln(), word(i))
    });
    let logits = json(
        folder.path(),
        &["logit.csv", "--no-intervals", "--only", "accuracy,brier"],
    );
    assert!(
        found(&logits).contains("told to be logits"),
        "{}",
        found(&logits)
    );
    let close = |name: &str| {
        (values(&logits)[name].unwrap() - values(&expected)[name].unwrap()).abs() < 1e-12
    };
    assert!(close("accuracy") && close("brier"));
    // One beyond [0, 1] among sixty does not turn the others into logits.
    write("stray.csv", "score,label", &|i| {
        format!("{},{}", if i == 7 { 1.7 } else { p(i) }, word(i))
    });
    let (code, _, wrong) = duress(folder.path(), &["gauge", "stray.csv"]);
    assert!(
        code == 2 && wrong.contains("stray.csv:9: `score` is 1.7, and 59 of 60"),
        "{wrong}"
    );
    assert!(wrong.contains("--form logits"), "{wrong}");
    let told = json(
        folder.path(),
        &["stray.csv", "--no-intervals", "--form", "logits"],
    );
    assert!(
        found(&told).contains("logits of 2 classes"),
        "{}",
        found(&told)
    );
}

/// The probability of `1` of item `i`; its true class is not always the likelier.
fn second(i: usize) -> f64 {
    (1.0 + (7 * i % 97) as f64) / 99.0
}

fn is_second(i: usize) -> bool {
    second(i) + 0.25 * ((i % 5) as f64 - 2.0) / 2.0 > 0.5
}

/// A table of sixty items under this header, in the place of whose words stand: the id, what is
/// said at `threshold`, the number, what is true.
fn beside(header: &str, threshold: f64, number: impl Fn(usize) -> f64) -> String {
    let row = |i: usize| {
        format!(
            "{i},{},{},{}",
            u8::from(second(i) > threshold),
            number(i),
            u8::from(is_second(i))
        )
    };
    table(header, (0..60).map(row))
}

#[test]
fn a_number_beside_predictions_of_two_classes_is_about_the_second_where_it_goes_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    let alone = |i: usize| format!("{i},{},{}", second(i), u8::from(is_second(i)));
    write(
        "alone.csv",
        table("id,probability,label", (0..60).map(alone)),
    );
    let expected = json(folder.path(), &["alone.csv", "--no-intervals"]);
    for header in [
        "id,prediction,probability,label",
        "id,y_pred,y_pred_proba,y_true",
        "id,pred,score,label",
        "id,prediction,p,label",
    ] {
        write("beside.csv", beside(header, 0.5, second));
        let read = json(folder.path(), &["beside.csv", "--no-intervals"]);
        same(&read, &expected);
        let words: Vec<&str> = header.split(',').collect();
        for said in [
            format!("`{}` is about `1`", words[2]),
            format!("`{}` goes with `{}`, which is not read", words[2], words[1]),
            format!("not read: {}", words[1]),
        ] {
            assert!(found(&read).contains(&said), "{said} in {}", found(&read));
        }
    }
    // Said at another threshold: the same numbers, and the difference is told.
    write(
        "low.csv",
        beside("id,prediction,probability,label", 0.3, second),
    );
    let read = json(folder.path(), &["low.csv", "--no-intervals"]);
    same(&read, &expected);
    let differ = (0..60)
        .filter(|&i| second(i) > 0.3 && second(i) < 0.5)
        .count();
    assert!(
        found(&read).contains(&format!("so {differ} of them differ from what is likelier")),
        "{}",
        found(&read)
    );
    let labels = json(
        folder.path(),
        &["low.csv", "--no-intervals", "--form", "labels"],
    );
    assert!(values(&labels)["ece"].is_none(), "{labels}");
    assert!(
        found(&labels).contains("is not how sure each was"),
        "{}",
        found(&labels)
    );
    // About the first class.
    let named = |i: usize| {
        let class = |second: bool| ["sick", "well"][usize::from(!second)];
        format!(
            "{},{},{}",
            class(second(i) > 0.5),
            second(i),
            class(is_second(i))
        )
    };
    write(
        "first.csv",
        table("prediction,probability,label", (0..60).map(named)),
    );
    let read = json(folder.path(), &["first.csv", "--no-intervals"]);
    same(&read, &expected);
    assert!(
        found(&read).contains("`probability` is about `sick`"),
        "{}",
        found(&read)
    );
    let (code, _, wrong) = duress(
        folder.path(),
        &["gauge", "first.csv", "--classes", "sick,well"],
    );
    assert!(
        code == 2 && wrong.contains("`--classes well,sick`"),
        "{wrong}"
    );
}

#[test]
fn a_number_beside_predictions_is_a_confidence_refused_or_as_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    let sure = |i: usize| second(i).max(1.0 - second(i));
    write(
        "sure.csv",
        beside("id,prediction,confidence,label", 0.5, sure),
    );
    let expected = json(folder.path(), &["sure.csv", "--no-intervals"]);
    write(
        "largest.csv",
        beside("id,prediction,probability,label", 0.5, sure),
    );
    let read = json(folder.path(), &["largest.csv", "--no-intervals"]);
    same(&read, &expected);
    assert!(
        found(&read).contains("predictions with a confidence"),
        "{}",
        found(&read)
    );
    // What is called a confidence is one, with a doubt where the largest probability cannot be so
    // low.
    write(
        "low.csv",
        beside("id,prediction,confidence,label", 0.5, second),
    );
    let read = json(folder.path(), &["low.csv", "--no-intervals"]);
    let below = (0..60).filter(|&i| second(i) < 0.5).count();
    assert!(
        found(&read).contains(&format!("{below} of 60 confidences are below 1/2")),
        "{}",
        found(&read)
    );
    assert!(
        !found(&expected).contains("below 1/2"),
        "{}",
        found(&expected)
    );
    // Neither.
    let odd = |i: usize| {
        if i.is_multiple_of(3) {
            1.0 - second(i)
        } else {
            second(i)
        }
    };
    write("odd.csv", beside("id,prediction,score,label", 0.5, odd));
    let (code, _, wrong) = duress(folder.path(), &["gauge", "odd.csv"]);
    assert!(
        code == 2 && wrong.contains("neither the probability of `1`"),
        "{wrong}"
    );
    assert!(
        wrong.contains("--score score") && wrong.contains("confidence = \"score\""),
        "{wrong}"
    );
    let (code, _, wrong) = duress(folder.path(), &["init", "odd.csv", "--out", "odd.toml"]);
    assert!(
        code == 2 && wrong.contains("positive = \"score\""),
        "{wrong}"
    );
    let told = json(
        folder.path(),
        &["odd.csv", "--no-intervals", "--score", "score"],
    );
    let alone = |i: usize| format!("{i},{},{}", odd(i), u8::from(is_second(i)));
    write(
        "alone.csv",
        table("id,probability,label", (0..60).map(alone)),
    );
    same(
        &told,
        &json(folder.path(), &["alone.csv", "--no-intervals"]),
    );
    let told = json(
        folder.path(),
        &["odd.csv", "--no-intervals", "--form", "labels"],
    );
    assert!(
        found(&told).contains("predictions with a confidence"),
        "{}",
        found(&told)
    );
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

/// What was said, how sure, and what is true.
fn write_parquet(path: &Path, rows: &[(String, String, f64)]) {
    write_parquet_with(path, "confidence", rows);
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
    let whole = values(&json(folder.path(), &["t.parquet", "--no-intervals"]));
    let read = json(folder.path(), &["t.parquet", "--stream"]);
    assert!(found(&read).contains("streamed"), "{}", found(&read));
    let streamed = values(&read);
    assert!(streamed.len() >= 19, "{streamed:?}");
    for (name, value) in &streamed {
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
    let (code, _, wrong) = duress(
        folder.path(),
        &["gauge", "t.parquet", "--stream", "--label", "lable"],
    );
    assert!(
        code == 2 && wrong.contains("did you mean `label`?"),
        "{wrong}"
    );
    // A table without a row is refused by name, also when it is said which classes there would be.
    write_parquet(&folder.path().join("none.parquet"), &[]);
    for args in [&["--stream"][..], &["--stream", "--classes", "cat,dog"]] {
        let (code, _, wrong) = duress(folder.path(), &[&["gauge", "none.parquet"], args].concat());
        assert!(
            code == 2 && wrong.contains("none.parquet: there is no row"),
            "{wrong}"
        );
    }
}

#[test]
fn a_second_gate_asks_for_a_stable_explanation_too() {
    let folder = tempfile::tempdir().unwrap();
    let stable = |i: usize| f64::from((i * 37 % 100) as u32) / 100.0;
    let row = |i: usize| {
        let [a, b, c] = probabilities(i);
        format!("i{i},{a},{b},{c},{}", stable(i))
    };
    fs::write(
        folder.path().join("a.csv"),
        table("id,cat,dog,owl,ssim", (0..120).map(row)),
    )
    .unwrap();
    let truth = table(
        "id,label",
        (0..120).map(|i| format!("i{i},{}", CLASSES[i % 3])),
    );
    fs::write(folder.path().join("labels.csv"), truth).unwrap();
    let study = r#"name = "gate"
[dataset.items]
use = "labelled"
file = "labels.csv"
classes = ["cat", "dog", "owl"]
[subject.net]
use = "recorded"
files = "a.csv"
scores = ["ssim"]
[gauge.gated]
use = "selective-accuracy"
threshold = 0.6
stability = "ssim"
stability-threshold = 0.5
[gauge.gated-coverage]
use = "coverage"
threshold = 0.6
stability = "ssim"
stability-threshold = 0.5
[analysis]
gauges = ["gated", "gated-coverage"]
[report]
layouts = ["selective"]
"#;
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let (code, _, wrong) = duress(folder.path(), &["run", "study.toml", "--out", "run"]);
    assert_eq!(code, 0, "{wrong}");
    let text = fs::read_to_string(folder.path().join("run/5-findings.json")).unwrap();
    let findings: Value = serde_json::from_str(&text).unwrap();
    let estimate = |name: &str| {
        findings["estimates"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["gauge"] == name)
            .unwrap()
            .clone()
    };
    // As what numbers were read is part of the findings, and of the page.
    assert_eq!(
        findings["subjects"][0]["answers"],
        serde_json::json!(["probabilities"])
    );
    let page = fs::read_to_string(folder.path().join("run/6-report/index.html")).unwrap();
    assert!(page.contains("Its answers are read as probabilities."));
    let accepted: Vec<usize> = (0..120)
        .filter(|&i| probabilities(i).into_iter().fold(0.0, f64::max) > 0.6 && stable(i) > 0.5)
        .collect();
    let right = accepted.iter().filter(|&&i| {
        let all = probabilities(i);
        all[i % 3] == all.into_iter().fold(0.0, f64::max)
    });
    let (share, right) = (
        accepted.len() as f64 / 120.0,
        right.count() as f64 / accepted.len() as f64,
    );
    assert_eq!(
        estimate("gated-coverage")["value"]["value"].as_f64(),
        Some(share)
    );
    assert_eq!(estimate("gated")["value"]["value"].as_f64(), Some(right));
    let interval = estimate("gated")["interval"].to_string();
    assert!(
        interval.contains("low") && interval.contains("high"),
        "{interval}"
    );
    // The grid over both thresholds is in the findings and in a table of its own.
    let grid = folder
        .path()
        .join("run/6-report/results/rq3_selective/gated_net_seed1.csv");
    let files = fs::read_dir(folder.path().join("run/6-report/results/rq3_selective")).unwrap();
    let names: Vec<String> = files
        .map(|file| file.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    let grid = fs::read_to_string(&grid).unwrap_or_else(|_| panic!("{names:?}"));
    assert_eq!(grid.lines().count(), 101, "{grid}");
    assert!(
        grid.starts_with("confidence_threshold,stability_threshold,coverage,selective_accuracy"),
        "{grid}"
    );
    let both = study.replace(
        "threshold = 0.6\nstability = \"ssim\"\n",
        "coverage = 0.9\nstability = \"ssim\"\n",
    );
    fs::write(folder.path().join("both.toml"), both).unwrap();
    let (code, _, wrong) = duress(folder.path(), &["check", "both.toml"]);
    assert!(
        code == 2 && wrong.contains("`coverage` and `stability` both say"),
        "{wrong}"
    );
    // A score that no subject keeps is a mistake, before anything is run.
    fs::write(
        folder.path().join("typo.toml"),
        study.replacen("\"ssim\"\nst", "\"ssmi\"\nst", 1),
    )
    .unwrap();
    fs::write(
        folder.path().join("none.toml"),
        study.replace("scores = [\"ssim\"]\n", ""),
    )
    .unwrap();
    for (file, hint) in [
        ("typo.toml", "did you mean `ssim`?"),
        ("none.toml", "`scores = [\"ssim\"]` has"),
    ] {
        let (code, _, wrong) = duress(folder.path(), &["check", file]);
        assert!(
            code == 2 && wrong.contains("needs the score `ss") && wrong.contains(hint),
            "{wrong}"
        );
    }
}

#[test]
fn a_check_reads_recorded_answers_as_a_run_would() {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| {
        let [a, b, c] = probabilities(i);
        format!("i{i},{a},{b},{c},{}", 0.01 * i as f64)
    };
    let good = table("id,cat,dog,owl,ssim", (0..30).map(row));
    let truth = table(
        "id,label",
        (0..30).map(|i| format!("i{i},{}", CLASSES[i % 3])),
    );
    fs::write(folder.path().join("labels.csv"), truth).unwrap();
    let study = r#"name = "looked-over"
[dataset.items]
use = "labelled"
file = "labels.csv"
classes = ["cat", "dog", "owl"]
[subject.net]
use = "recorded"
files = "a.csv"
scores = ["ssim"]
[analysis]
gauges = ["accuracy"]
"#;
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let check = |answers: &str| {
        fs::write(folder.path().join("a.csv"), answers).unwrap();
        duress(folder.path(), &["check", "study.toml", "--timing", "0"])
    };
    assert_eq!(check(&good).0, 0);
    let score = good.find(",0.02\n").unwrap();
    for (broken, at, why) in [
        (good.replacen("\ni4,", "\ni3,", 1), "a.csv:6", "i3"),
        (good.replacen("\ni4,", "\nx4,", 1), "a.csv:6", "x4"),
        (good.replacen("\ni4,0", "\ni4,nan0", 1), "a.csv:6", "nan0"),
        (
            format!("{},{}", &good[..score], &good[score + 5..]),
            "a.csv:4",
            "ssim",
        ),
    ] {
        let (code, said, wrong) = check(&broken);
        assert!(
            code == 2 && wrong.contains(at) && wrong.contains(why),
            "{wrong}"
        );
        assert!(!said.contains("sound"), "{said}");
    }
    // A temperature fitted on an item of the test.
    let validation = table(
        "id,cat,dog,owl,ssim,label",
        (0..30).map(|i| row(i) + ",cat"),
    );
    fs::write(folder.path().join("validation.csv"), validation).unwrap();
    fs::write(folder.path().join("a.csv"), good).unwrap();
    let fitted = study.replacen(
        "scores",
        "fit-temperature-on = \"validation.csv\"\nignore = [\"label\"]\nscores",
        1,
    );
    fs::write(folder.path().join("study.toml"), fitted).unwrap();
    let (code, _, wrong) = duress(folder.path(), &["check", "study.toml", "--timing", "0"]);
    assert!(
        code == 2 && wrong.contains("is an item of the test too"),
        "{wrong}"
    );
}

#[test]
fn what_one_subject_left_out_says_nothing_about_a_difference() {
    let folder = tempfile::tempdir().unwrap();
    let said = |i: usize| {
        let all = probabilities(i);
        (0..3).fold(0, |best, at| if all[at] > all[best] { at } else { best })
    };
    let row = |i: usize| {
        let [a, b, c] = probabilities(i);
        format!("i{i},{a},{b},{c}")
    };
    for seed in 1..=3_usize {
        // Both give the same answers; the shy one leaves out most of those that are wrong, others
        // for every seed.
        let all = table("id,cat,dog,owl", (0..120).map(row));
        let shy = (0..120).filter(|&i| said(i) == i % 3 || i % (3 + seed) == 0);
        fs::write(
            folder.path().join(format!("bold_seed{seed}_clean.csv")),
            all,
        )
        .unwrap();
        let shy = table("id,cat,dog,owl", shy.map(row));
        fs::write(folder.path().join(format!("shy_seed{seed}_clean.csv")), shy).unwrap();
    }
    let truth = table(
        "id,label",
        (0..120).map(|i| format!("i{i},{}", CLASSES[i % 3])),
    );
    fs::write(folder.path().join("labels.csv"), truth).unwrap();
    let subject = |name: &str| {
        format!(
            "[subject.{name}]\nuse = \"recorded\"\nfiles = \"{{subject}}_seed{{seed}}_clean.csv\"\n"
        )
    };
    let claim = |gauge: &str, side: &str, test: &str| {
        format!(
            "[[claim]]\nname = \"{gauge} {side} {test}\"\ngauge = \"{gauge}\"\nof = \"shy\"\nagainst = \"bold\"\nside = \"{side}\"\ntest = \"{test}\"\n"
        )
    };
    let study = [
        "name = \"shy\"\nseeds = [1, 2, 3]\n[dataset.items]\nuse = \"labelled\"\nfile = \"labels.csv\"\nclasses = [\"cat\", \"dog\", \"owl\"]\n",
        &subject("bold"),
        &subject("shy"),
        "[analysis]\ngauges = [\"accuracy\", \"f1\", \"mcc\", \"auroc-macro\", \"aurc\", \"ece\", \"ece-debiased\", \"nll\", \"coverage\"]\nresamples = 200\n",
        &claim("accuracy", "greater", "paired-t"),
        &claim("aurc", "less", "paired-t"),
        &claim("aurc", "less", "bootstrap"),
        // These once never came back, since nobody had seen a number of seeds that would do.
        &claim("mcc", "less", "wilcoxon"),
        &claim("mcc", "less", "sign-flip"),
    ]
    .concat();
    fs::write(folder.path().join("study.toml"), &study).unwrap();
    let (code, _, wrong) = duress(folder.path(), &["run", "study.toml", "--out", "run"]);
    assert_eq!(code, 0, "{wrong}");
    let text = fs::read_to_string(folder.path().join("run/5-findings.json")).unwrap();
    let findings: Value = serde_json::from_str(&text).unwrap();
    let contrasts = findings["contrasts"].as_array().unwrap();
    assert_eq!(contrasts.len(), 9, "{text}");
    for one in contrasts {
        // Sums in another order may differ in their last digit.
        let moved = one["value"]["value"].as_f64().unwrap();
        assert!(moved.abs() <= 1e-15, "{one}");
        assert!(one["items"].as_u64().unwrap() < 120, "{one}");
    }
    for claim in findings["claims"].as_array().unwrap() {
        assert_ne!(claim["verdict"], "upheld", "{claim}");
    }
    // The same as two runs of one subject, the second of which lost answers.
    for name in ["bold", "shy"] {
        let one = subject("net").replace("{subject}", name);
        let study = study.split("[subject.bold]").next().unwrap().to_string() + &one;
        let gauges =
            "[analysis]\ngauges = [\"accuracy\", \"mcc\", \"auroc-macro\", \"aurc\", \"ece\"]\n";
        fs::write(folder.path().join("one.toml"), study + gauges).unwrap();
        assert_eq!(
            duress(folder.path(), &["run", "one.toml", "--out", name]).0,
            0
        );
    }
    let (code, said, wrong) = duress(folder.path(), &["compare", "bold", "shy", "--form", "json"]);
    assert_eq!(code, 0, "{wrong}");
    let compared: Value = serde_json::from_str(&said).unwrap();
    for change in compared["changes"].as_array().unwrap() {
        assert_eq!(
            change["difference"]["value"]["value"].as_f64(),
            Some(0.0),
            "{change}"
        );
        assert_eq!(change["verdict"], "same", "{change}");
    }
}

#[test]
fn an_answer_that_is_missing_under_stress_neither_moves_nor_narrows_a_difference() {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize, of: usize| {
        let [a, b, c] = probabilities(of);
        format!("i{i},{a},{b},{c}")
    };
    for seed in 1..=3_usize {
        for (subject, shift) in [("one", 0), ("same", 0), ("other", 5), ("nearly", 5)] {
            for (condition, more) in [("clean_0", 0), ("fog_0.5", 11)] {
                // `same` leaves out items under fog, others for every seed; `nearly` leaves out a
                // single one.
                let fog = more > 0;
                let there = |i: &usize| match subject {
                    "same" => !fog || !i.is_multiple_of(4 + seed),
                    "nearly" => !fog || seed > 1 || *i != 7,
                    _ => true,
                };
                let rows = (0..150)
                    .filter(there)
                    .map(|i| row(i, i + shift + more * (seed + 1)));
                let file = format!("{subject}_seed{seed}_{condition}.csv");
                fs::write(folder.path().join(file), table("id,cat,dog,owl", rows)).unwrap();
            }
        }
    }
    let truth = table(
        "id,label",
        (0..150).map(|i| format!("i{i},{}", CLASSES[i % 3])),
    );
    fs::write(folder.path().join("labels.csv"), truth).unwrap();
    let subjects: String = ["one", "same", "other", "nearly"].map(|name| {
        format!("[subject.{name}]\nuse = \"recorded\"\nfiles = \"{{subject}}_seed{{seed}}_{{ladder}}_{{severity}}.csv\"\n")
    }).concat();
    let study = format!(
        "name = \"fog\"\nseeds = [1, 2, 3]\n[dataset.items]\nuse = \"labelled\"\nfile = \"labels.csv\"\nclasses = [\"cat\", \"dog\", \"owl\"]\n{subjects}[ladder.fog]\nuse = \"elsewhere\"\nseverities = [0.5]\n[analysis]\ngauges = [\"accuracy\", \"aurc\", \"ece\", \"area\", \"attack-success-rate\", \"accuracy-gap\"]\nunits = \"items\"\nreference = \"one\"\n"
    );
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let (code, _, wrong) = duress(folder.path(), &["run", "study.toml", "--out", "run"]);
    assert_eq!(code, 0, "{wrong}");
    let text = fs::read_to_string(folder.path().join("run/5-findings.json")).unwrap();
    let findings: Value = serde_json::from_str(&text).unwrap();
    let against_one = |subject: &str| -> Vec<Value> {
        let contrasts = findings["contrasts"].as_array().unwrap().iter();
        let of =
            |one: &&Value| one["of"]["subject"] == subject && one["against"]["subject"] == "one";
        contrasts.filter(of).cloned().collect()
    };
    let same = against_one("same");
    assert!(same.len() >= 9, "{text}");
    for one in same {
        // Sums in another order may differ in their last digit.
        let moved = one["value"]["value"].as_f64().unwrap();
        assert!(moved.abs() <= 1e-15, "{one}");
    }
    for (full, nearly) in against_one("other").iter().zip(&against_one("nearly")) {
        assert_eq!(full["gauge"], nearly["gauge"]);
        let width = |one: &Value| {
            one["interval"]["Ok"]["high"].as_f64().unwrap()
                - one["interval"]["Ok"]["low"].as_f64().unwrap()
        };
        let ratio = width(nearly) / width(full);
        assert!((0.85..1.15).contains(&ratio), "{ratio}: {full} {nearly}");
    }
}

#[test]
fn an_array_in_another_order_is_put_right_where_the_study_states_it() {
    let folder = tempfile::tempdir().unwrap();
    let wide = table(
        "id,cat,dog,owl",
        (0..60).map(|i| {
            let [a, b, c] = probabilities(i);
            format!("i{i},{a},{b},{c}")
        }),
    );
    fs::write(folder.path().join("wide.csv"), wide).unwrap();
    let turned = (0..60).map(|i| {
        let [a, b, c] = probabilities(i);
        format!("{{\"id\": \"i{i}\", \"probs\": [{c}, {b}, {a}]}}\n")
    });
    fs::write(
        folder.path().join("turned.jsonl"),
        turned.collect::<String>(),
    )
    .unwrap();
    let truth = table(
        "id,label",
        (0..60).map(|i| format!("i{i},{}", CLASSES[i % 3])),
    );
    fs::write(folder.path().join("labels.csv"), truth).unwrap();
    let study = |stated: &str| {
        format!(
            "name = \"turned\"\n[dataset.items]\nuse = \"labelled\"\nfile = \"labels.csv\"\nclasses = [\"cat\", \"dog\", \"owl\"]\n[subject.wide]\nuse = \"recorded\"\nfiles = \"wide.csv\"\n[subject.turned]\nuse = \"recorded\"\nfiles = \"turned.jsonl\"\n{stated}[analysis]\ngauges = [\"accuracy\", \"recall\", \"nll\", \"aurc\"]\n"
        )
    };
    fs::write(
        folder.path().join("study.toml"),
        study("classes = [\"owl\", \"dog\", \"cat\"]\n"),
    )
    .unwrap();
    let (code, _, wrong) = duress(folder.path(), &["run", "study.toml", "--out", "run"]);
    assert_eq!(code, 0, "{wrong}");
    let text = fs::read_to_string(folder.path().join("run/5-findings.json")).unwrap();
    let findings: Value = serde_json::from_str(&text).unwrap();
    for one in findings["contrasts"].as_array().unwrap() {
        // Sums in another order may differ in their last digit.
        let moved = one["value"]["value"].as_f64().unwrap();
        assert!(moved.abs() <= 1e-15, "{one}");
    }
    assert!(
        text.contains("Its classes stand in the order owl, dog, cat"),
        "{text}"
    );
    // Unstated, they have no names at all, and the study is refused before it is run; a run that
    // goes on fails the cell.
    fs::write(folder.path().join("study.toml"), study("")).unwrap();
    let (code, _, wrong) = duress(folder.path(), &["check", "study.toml", "--timing", "0"]);
    assert!(
        code == 2 && wrong.contains("about the classes 0, 1, 2"),
        "{wrong}"
    );
    assert!(
        wrong.contains("those of the dataset, in its order: cat, dog, owl"),
        "{wrong}"
    );
    assert_eq!(
        duress(folder.path(), &["run", "study.toml", "--out", "other"]).0,
        3
    );
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

/// Two tables as pandas writes them, of one model: the second in another order, each with its own
/// true classes.
fn shuffled(folder: &Path, index: &str) -> (String, String) {
    let row = |i: usize| {
        let [p, truth] = [second(i), f64::from(is_second(i))];
        format!("{i},{truth},{},{p}", 1.0 - p)
    };
    let header = format!("{index},y_true,prob_0,prob_1");
    let a = table(&header, (0..40).map(row));
    let b = table(&header, (0..40).map(|i| row(i * 7 % 40)));
    fs::create_dir_all(folder.join("ix")).unwrap();
    fs::write(folder.join("ix/a_seed1_clean.csv"), &a).unwrap();
    fs::write(folder.join("ix/b_seed1_clean.csv"), &b).unwrap();
    (a, b)
}

#[test]
fn labels_of_recorded_answers_that_contradict_the_truth_are_refused_with_count_and_first_row() {
    let folder = tempfile::tempdir().unwrap();
    shuffled(folder.path(), "");
    let study = |id: &str| {
        let subject = |name: &str| {
            format!(
                "[subject.{name}]\nuse = \"recorded\"\nfiles = \"ix/{{subject}}_seed{{seed}}_clean.csv\"\n{id}prefix = \"prob_\"\nclasses = [\"0\", \"1\"]\n"
            )
        };
        format!(
            "name = \"ix\"\nseeds = [1]\n[dataset.items]\nuse = \"labelled\"\nfile = \"ix/a_seed1_clean.csv\"\nlabel = \"y_true\"\n{id}classes = [\"0\", \"1\"]\n{}{}[analysis]\ngauges = [\"accuracy\"]\n",
            subject("a"),
            subject("b")
        )
    };
    let check = |text: &str| {
        fs::write(folder.path().join("ix.toml"), text).unwrap();
        duress(folder.path(), &["check", "ix.toml", "--timing", "0"])
    };
    let (code, said, wrong) = check(&study(""));
    assert!(code == 2 && !said.contains("sound"), "{said} {wrong}");
    let differing = (0..40).filter(|i| is_second(*i) != is_second(i * 7 % 40));
    let first = differing.clone().next().unwrap();
    for words in [
        format!("b_seed1_clean.csv:{}", first + 2),
        format!("{} of 40 rows differ", differing.count()),
        "`id = \"\"`".into(),
    ] {
        assert!(wrong.contains(&words), "{words}: {wrong}");
    }
    // A run fails the cell instead of giving a number.
    let (code, said, _) = duress(folder.path(), &["run", "ix.toml"]);
    assert!(code == 3 && said.contains("rows differ"), "{said}");
    // With ids the rows belong to their items, and labels agree; unless they are really others.
    let by_index = study("id = \"\"\n");
    let (code, _, wrong) = check(&by_index);
    assert_eq!(code, 0, "{wrong}");
    let (_, b) = shuffled(folder.path(), "");
    let spoilt = b.replacen("\n7,", "\n7,9", 1).replacen("\n7,9", "\n7,", 1);
    assert_eq!(spoilt, b);
    let line = b.lines().nth(2).unwrap();
    let truth = line.split(',').nth(1).unwrap();
    let other = if truth == "1" { "0" } else { "1" };
    let spoilt = b.replacen(
        line,
        &line.replacen(&format!("7,{truth},"), &format!("7,{other},"), 1),
        1,
    );
    fs::write(folder.path().join("ix/b_seed1_clean.csv"), spoilt).unwrap();
    let (code, _, wrong) = check(&by_index);
    assert!(
        code == 2 && wrong.contains("b_seed1_clean.csv:3") && wrong.contains("1 of 40 rows differ"),
        "{wrong}"
    );
    // A column that holds no classes at all is not the true class; that is said.
    let strange = b.replace(&format!(",{truth},"), ",x,");
    fs::write(folder.path().join("ix/b_seed1_clean.csv"), strange).unwrap();
    assert_eq!(check(&by_index).0, 0);
    let (_, said, _) = duress(folder.path(), &["run", "ix.toml"]);
    assert!(said.contains("`y_true` is not compared"), "{said}");
}

#[test]
fn init_matches_rows_by_the_index_that_pandas_wrote() {
    for index in ["", "Unnamed: 0", "index"] {
        let folder = tempfile::tempdir().unwrap();
        shuffled(folder.path(), index);
        let (code, _, wrong) = duress(folder.path(), &["init", "ix", "--out", "ix.toml"]);
        assert_eq!(code, 0, "{wrong}");
        let text = fs::read_to_string(folder.path().join("ix.toml")).unwrap();
        assert_eq!(
            text.matches(&format!("id = {index:?}")).count(),
            3,
            "{text}"
        );
        assert!(text.contains("the index that pandas wrote"), "{text}");
        let (code, said, wrong) = duress(folder.path(), &["run", "ix.toml"]);
        assert_eq!(code, 0, "{wrong}");
        let accuracy = |subject: &str| {
            let line = said
                .lines()
                .find(|line| line.trim().starts_with(&format!("{subject}, clean")));
            line.unwrap()
                .split_once("clean")
                .unwrap()
                .1
                .trim()
                .to_string()
        };
        assert_eq!(accuracy("a"), accuracy("b"), "{said}");
    }
    // An index with a number twice, as two frames put together have it, names no row.
    let folder = tempfile::tempdir().unwrap();
    let (a, _) = shuffled(folder.path(), "");
    for file in ["ix/a_seed1_clean.csv", "ix/b_seed1_clean.csv"] {
        fs::write(folder.path().join(file), a.replacen("\n1,", "\n0,", 1)).unwrap();
    }
    duress(folder.path(), &["init", "ix", "--out", "ix.toml"]);
    let text = fs::read_to_string(folder.path().join("ix.toml")).unwrap();
    assert!(!text.contains("\nid = "), "{text}");
}

#[test]
fn what_is_called_a_probability_or_looks_like_percentages_is_never_read_as_logits() {
    let folder = tempfile::tempdir().unwrap();
    let percent = |header: &str| {
        table(
            header,
            (0..40).map(|i| format!("i{i},{},{}", 100.0 * second(i), u8::from(is_second(i)))),
        )
    };
    let logits = |header: &str| {
        table(
            header,
            (0..40).map(|i| format!("i{i},{},{}", 9.0 * second(i) - 4.5, u8::from(is_second(i)))),
        )
    };
    let gauge = |content: &str, more: &[&str]| {
        fs::write(folder.path().join("t.csv"), content).unwrap();
        duress(
            folder.path(),
            &[&["gauge", "t.csv", "--only", "accuracy"], more].concat(),
        )
    };
    for (header, more) in [
        ("id,probability,label", [].as_slice()),
        ("id,p,label", &[]),
        ("id,score,label", &[]),
        ("id,p_pos,label", &["--score", "p_pos"]),
        ("id,prob_yes,label", &["--score", "prob_yes"]),
    ] {
        let (code, said, wrong) = gauge(&percent(header), more);
        assert!(
            code == 2 && wrong.contains("percent?"),
            "{header}: {said} {wrong}"
        );
    }
    for (header, more) in [
        ("id,prob,label", [].as_slice()),
        ("id,prob_yes,label", &["--score", "prob_yes"]),
    ] {
        let (code, said, wrong) = gauge(&logits(header), more);
        assert!(
            code == 2 && wrong.contains("called a probability"),
            "{header}: {said} {wrong}"
        );
        // Whoever says so may have logits under any name.
        let (code, _, wrong) = gauge(&logits(header), &[more, &["--form", "logits"]].concat());
        assert_eq!(code, 0, "{header}: {wrong}");
    }
    let (code, said, _) = gauge(&logits("id,score,label"), &[]);
    assert!(code == 0 && said.contains("logits of 2 classes"), "{said}");
    // A column per class, called probabilities, whatever the rows sum to.
    let per_class = |scale: f64| {
        table(
            "id,prob_0,prob_1,label",
            (0..40).map(|i| {
                format!(
                    "i{i},{},{},{}",
                    scale * second(i),
                    scale,
                    u8::from(is_second(i))
                )
            }),
        )
    };
    let (code, said, wrong) = gauge(&per_class(-3.0), &[]);
    assert!(code == 2, "{said} {wrong}");
}

#[test]
fn a_gate_without_a_claim_is_bad_input_and_init_writes_a_first_claim() {
    let folder = tempfile::tempdir().unwrap();
    shuffled(folder.path(), "");
    duress(folder.path(), &["init", "ix", "--out", "ix.toml"]);
    let text = fs::read_to_string(folder.path().join("ix.toml")).unwrap();
    assert!(
        text.contains("[[claim]]") && text.contains("a is right more often than b"),
        "{text}"
    );
    // Two equal subjects: nothing is upheld, and the gate says so.
    let (code, said, wrong) = duress(folder.path(), &["run", "ix.toml", "--gate"]);
    assert_eq!(code, 1, "{said} {wrong}");
    let without = text.split("[[claim]]").next().unwrap();
    fs::write(folder.path().join("none.toml"), without).unwrap();
    let (code, said, wrong) = duress(
        folder.path(),
        &["run", "none.toml", "--gate", "--out", "none"],
    );
    assert!(
        code == 2 && wrong.contains("without a claim"),
        "{said} {wrong}"
    );
    assert!(!folder.path().join("none").exists(), "nothing was run");
    let (code, ..) = duress(folder.path(), &["run", "none.toml", "--out", "none"]);
    assert_eq!(code, 0);
    let (code, _, wrong) = duress(folder.path(), &["report", "none", "--gate"]);
    assert!(code == 2 && wrong.contains("without a claim"), "{wrong}");
    // One subject alone, and one under stress, have a first claim too.
    fs::create_dir(folder.path().join("one")).unwrap();
    for (file, claim) in [
        ("net_clean.csv", "it is right more often than chance"),
        ("net_noise_0.5.csv", "net loses less than 0.1 under noise"),
    ] {
        let (mut a, _) = shuffled(folder.path(), "id");
        if file.contains("noise") {
            // Under noise one item more is wrong.
            let p = second(0);
            a = a.replacen(&format!("{},{p}", 1.0 - p), &format!("{p},{}", 1.0 - p), 1);
        }
        fs::write(folder.path().join("one").join(file), a).unwrap();
        duress(folder.path(), &["init", "one", "--out", "one.toml"]);
        let text = fs::read_to_string(folder.path().join("one.toml")).unwrap();
        assert!(text.contains(claim), "{text}");
        let (code, said, wrong) = duress(
            folder.path(),
            &["run", "one.toml", "--gate", "--out", claim],
        );
        assert_eq!(code, 0, "{said} {wrong}");
        fs::remove_file(folder.path().join("one.toml")).unwrap();
    }
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
