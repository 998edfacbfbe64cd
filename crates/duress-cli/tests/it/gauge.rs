//! `duress gauge FILE`: every gauge that applies to a table, through the real command.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use duress_tables::testkit::{self, CLASSES, npy, npy_of_numbers, npz, probabilities};
use rust_xlsxwriter::Workbook;
use serde_json::Value;

use crate::harness::ended_at_width;

fn duress(folder: &Path, args: &[&str]) -> (i32, String, String) {
    ended_at_width(folder, 80, args)
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let (code, said, wrong) = duress(folder, &[&["gauge", "--json"], args].concat());
    assert_eq!(code, 0, "{wrong}");
    serde_json::from_str(&said).unwrap()
}

/// The values of the gauges, by name.
fn values(read: &Value) -> Vec<(String, Option<f64>)> {
    let gauges = read["gauges"].as_array().unwrap();
    gauges
        .iter()
        .map(|one| {
            (
                one["gauge"].as_str().unwrap().into(),
                one["value"]["value"].as_f64(),
            )
        })
        .collect()
}

const ITEMS: usize = 60;

fn table(header: &str, row: impl Fn(usize) -> String) -> String {
    testkit::table(header, (0..ITEMS).map(row))
}

fn write_all(folder: &Path) {
    let at = |name: &str| folder.join(name);
    let row = |i| {
        let [a, b, c] = probabilities(i);
        format!("item-{i},{a},{b},{c},{}", CLASSES[i % 3])
    };
    fs::write(at("columns.csv"), table("id,cat,dog,owl,label", row)).unwrap();
    fs::write(at("prefix.csv"), table("id,p_cat,p_dog,p_owl,y_true", row)).unwrap();
    let logits = |i| {
        let [a, b, c] = probabilities(i).map(f64::ln);
        format!("{a},{b},{c},{}", CLASSES[i % 3])
    };
    fs::write(
        at("logits.csv"),
        table("logit_cat,logit_dog,logit_owl,target", logits),
    )
    .unwrap();
    let list = |i| {
        format!(
            "{{\"id\": \"item-{i}\", \"probs\": {:?}, \"label\": {}}}",
            probabilities(i),
            i % 3
        )
    };
    fs::write(
        at("list.jsonl"),
        (0..ITEMS).map(|i| list(i) + "\n").collect::<String>(),
    )
    .unwrap();
    let said = |i| {
        let all = probabilities(i);
        let top = (0..3)
            .rev()
            .max_by(|a, b| all[*a].total_cmp(&all[*b]))
            .unwrap();
        format!("{},{},{},site {i}", CLASSES[top], all[top], CLASSES[i % 3])
    };
    fs::write(at("said.csv"), table("pred,conf,label,site", said)).unwrap();
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    for (at, name) in ["cat", "dog", "owl", "label"].into_iter().enumerate() {
        sheet.write(0, at as u16, name).unwrap();
    }
    for i in 0..ITEMS {
        for (at, p) in probabilities(i).into_iter().enumerate() {
            sheet.write(1 + i as u32, at as u16, p).unwrap();
        }
        sheet.write(1 + i as u32, 3, CLASSES[i % 3]).unwrap();
    }
    book.save(at("book.xlsx")).unwrap();
}

#[test]
fn the_same_answers_give_the_same_numbers_whatever_the_file() {
    let folder = tempfile::tempdir().unwrap();
    write_all(folder.path());
    let expected = values(&json(folder.path(), &["columns.csv"]));
    // Nothing is as sure as the threshold asks, so some of what is accepted has no value; most has
    // one.
    assert!(
        expected.len() >= 20 && expected.iter().filter(|(_, value)| value.is_some()).count() >= 15,
        "{expected:?}"
    );
    for file in ["prefix.csv", "logits.csv", "list.jsonl", "book.xlsx"] {
        let read = values(&json(folder.path(), &[file, "--no-intervals"]));
        assert_eq!(read.len(), expected.len(), "{file}");
        for ((name, value), (_, wanted)) in read.iter().zip(&expected) {
            // Probabilities that are equal are so only to rounding once they were logits, and a
            // rank tells them apart.
            let allowed = if file == "logits.csv" && name == "auroc-macro" {
                1e-3
            } else {
                1e-12
            };
            let close = match (value, wanted) {
                (Some(value), Some(wanted)) => (value - wanted).abs() < allowed,
                (value, wanted) => value == wanted,
            };
            assert!(close, "{file}: {name} {value:?} {wanted:?}");
        }
    }
    // Labels with a confidence have no probabilities: what needs those is undefined, the rest is
    // the same.
    for (name, value) in values(&json(folder.path(), &["said.csv", "--no-intervals"])) {
        let wanted = expected.iter().find(|(other, _)| *other == name).unwrap().1;
        let close =
            value.is_none_or(|value| wanted.is_some_and(|wanted| (value - wanted).abs() < 1e-12));
        assert!(close, "{name} {value:?} {wanted:?}");
    }
}

#[test]
fn tensors_that_pytorch_saved_are_read_and_nothing_in_them_is_executed() {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../duress-tensors/tests/fixtures");
    for name in ["predictions.pt", "executes.pth"] {
        fs::copy(fixtures.join(name), folder.path().join(name)).unwrap();
    }
    let read = values(&json(folder.path(), &["predictions.pt", "--no-intervals"]));
    assert_eq!(read[0], ("accuracy".into(), Some(0.75)));
    let (code, _, wrong) = duress(folder.path(), &["gauge", "executes.pth"]);
    assert_eq!(code, 2);
    assert!(wrong.contains("nothing was executed"), "{wrong}");
}

#[test]
fn the_numbers_and_intervals_are_those_of_a_study_on_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    write_all(folder.path());
    let (code, _, wrong) = duress(folder.path(), &["init", "columns.csv"]);
    assert_eq!(code, 0, "{wrong}");
    let (code, _, wrong) = duress(folder.path(), &["run", "study.toml", "--out", "run"]);
    assert_eq!(code, 0, "{wrong}");
    let findings: Value = serde_json::from_str(
        &fs::read_to_string(folder.path().join("run/5-findings.json")).unwrap(),
    )
    .unwrap();
    let read = json(
        folder.path(),
        &["columns.csv", "--only", "accuracy,ece,aurc"],
    );
    for one in read["gauges"].as_array().unwrap() {
        let estimates = findings["estimates"].as_array().unwrap();
        let twin = estimates
            .iter()
            .find(|other| other["gauge"] == one["gauge"])
            .unwrap();
        for key in ["value", "interval", "items", "method"] {
            assert_eq!(one[key], twin[key], "{} {key}", one["gauge"]);
        }
        // A table has no seed to be meant for; a study's one seed is named.
        assert_eq!(one["unit"]["items"], twin["unit"]["items"]);
        let said = twin["unit"]["text"].as_str().unwrap();
        assert!(said.ends_with("for this seed only"), "{said}");
    }
}

#[test]
fn what_was_detected_is_said_on_one_screen() {
    let folder = tempfile::tempdir().unwrap();
    write_all(folder.path());
    let (code, said, _) = duress(
        folder.path(),
        &["gauge", "prefix.csv", "--only", "accuracy,ece"],
    );
    assert_eq!(code, 0);
    assert!(
        said.lines().all(|line| line.chars().count() <= 80),
        "{said}"
    );
    let joined = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "60 items",
        "probabilities of 3 classes: cat, dog, owl",
        "true classes in `y_true`",
        "accuracy ↑",
        "Wilson",
    ] {
        assert!(joined.contains(words), "{words} in {said}");
    }
    assert!(!said.contains('\u{1b}'));
}

/// Scores of twelve items in every arrangement of three units, in two groups.
fn score(item: usize, arrangement: &str) -> f64 {
    let letters = arrangement.as_bytes();
    let wrong = (0..3)
        .flat_map(|a| (a + 1..3).map(move |b| (a, b)))
        .filter(|&(a, b)| letters[a] > letters[b])
        .count();
    0.9 - 0.1 * wrong as f64 - 0.01 * (item % 5) as f64
}

const ARRANGEMENTS: [&str; 6] = ["ABC", "ACB", "BAC", "BCA", "CAB", "CBA"];

fn write_scores(folder: &Path) {
    let rows = ARRANGEMENTS.iter().flat_map(|arrangement| {
        (0..12).map(move |i| {
            format!(
                "i{i},{},{arrangement},{}\n",
                ["x", "y"][i % 2],
                score(i, arrangement)
            )
        })
    });
    let long = format!(
        "item,structure,arrangement,s_acc\n{}",
        rows.collect::<String>()
    );
    fs::write(folder.join("scores.csv"), long).unwrap();
    let mut book = Workbook::new();
    for arrangement in ARRANGEMENTS {
        let sheet = book.add_worksheet();
        sheet.set_name(arrangement).unwrap();
        for (at, name) in ["item", "structure", "s_acc"].into_iter().enumerate() {
            sheet.write(0, at as u16, name).unwrap();
        }
        for i in 0..12 {
            sheet.write(1 + i as u32, 0, format!("i{i}")).unwrap();
            sheet.write(1 + i as u32, 1, ["x", "y"][i % 2]).unwrap();
            sheet.write(1 + i as u32, 2, score(i, arrangement)).unwrap();
        }
    }
    book.add_worksheet().set_name("notes").unwrap();
    book.save(folder.join("scores.xlsx")).unwrap();
    fs::create_dir(folder.join("files")).unwrap();
    for arrangement in ARRANGEMENTS {
        let row = |i: usize| format!("i{i},{},{}\n", ["x", "y"][i % 2], score(i, arrangement));
        let table = format!(
            "item,structure,s_acc\n{}",
            (0..12).map(row).collect::<String>()
        );
        fs::write(folder.join(format!("files/s_acc_{arrangement}.csv")), table).unwrap();
    }
    fs::write(folder.join("files/notes.csv"), "a\n1\n").unwrap();
}

#[test]
fn a_folder_without_arrangements_is_refused_and_a_broken_table_in_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, wrong) = duress(folder.path(), &["gauge", "."]);
    assert_eq!(code, 2);
    assert!(
        wrong.contains("no file in this folder is called after an arrangement"),
        "{wrong}"
    );
    assert!(wrong.contains("`duress init .` writes a study"), "{wrong}");
    fs::write(folder.path().join("ABCD.csv"), "item,s_acc\na,0.5\n").unwrap();
    fs::write(folder.path().join("ABDC.csv"), "item,s_acc\na,x\n").unwrap();
    let (code, _, wrong) = duress(folder.path(), &["gauge", "."]);
    assert!(
        code == 2 && wrong.contains("ABDC.csv:2: `s_acc` is \"x\""),
        "{wrong}"
    );
}

#[test]
fn scores_per_arrangement_are_read_from_files_sheets_and_rows_alike() {
    let folder = tempfile::tempdir().unwrap();
    write_scores(folder.path());
    let (long, book) = (
        json(folder.path(), &["scores.csv"]),
        json(folder.path(), &["scores.xlsx"]),
    );
    assert_eq!(long["gauges"], book["gauges"]);
    let files = json(folder.path(), &["files"]);
    assert_eq!(long["gauges"], files["gauges"]);
    assert!(
        files["found"]
            .to_string()
            .contains("no arrangement in the name: notes"),
        "{files}"
    );
    let values = values(&long);
    let value = |name: &str| {
        values
            .iter()
            .find(|(own, _)| own == name)
            .unwrap()
            .1
            .unwrap()
    };
    // d(p) is the mean over items of 0.1 · inversions / S_orig; the inversions are 1, 1, 2, 2 and
    // 3.
    let unit = (0..12).map(|i| 0.1 / score(i, "ABC")).sum::<f64>() / 12.0;
    assert!((value("mdr") - 9.0 / 5.0 * unit).abs() < 1e-12);
    assert!((value("mda") - 3.0 * unit).abs() < 1e-12);
    assert!((value("s-seq") - (1.0 - 0.5 * 4.8 * unit)).abs() < 1e-12);
    assert!(
        value("s-struct") <= 1.0
            && value("s-rob") <= 1.0
            && value("worst-per-item") >= value("mda") - 1e-12
    );
    let one = json(folder.path(), &["scores.xlsx", "--only", "mdr"]);
    assert_eq!(one["gauges"].as_array().unwrap().len(), 1);
}

#[test]
fn hostile_text_does_not_reach_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let text = "label,prediction,confidence\n\u{1b}[31mred,\u{1b}[31mred,0.5\nb,b,0.6\n";
    fs::write(folder.path().join("t.csv"), text).unwrap();
    let (code, said, wrong) = duress(folder.path(), &["gauge", "t.csv"]);
    assert_eq!(code, 0, "{wrong}");
    assert!(!said.contains('\u{1b}'), "{said:?}");
    let (code, _, wrong) = duress(
        folder.path(),
        &["gauge", "t.csv", "--classes", "\u{1b}[2J,b"],
    );
    assert_eq!(code, 2);
    assert!(!wrong.contains('\u{1b}'), "{wrong:?}");
}

/// JSON lines of three numbers per item, with true classes as `label` gives them.
fn lists(label: impl Fn(usize) -> String) -> String {
    (0..ITEMS)
        .map(|i| {
            format!(
                "{{\"probs\": {:?}, \"label\": {}}}\n",
                probabilities(i),
                label(i)
            )
        })
        .collect()
}

#[test]
fn lists_with_named_labels_need_the_order_of_their_classes() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    write("numbers.jsonl", lists(|i| (i % 3).to_string()));
    write("names.jsonl", lists(|i| format!("{:?}", CLASSES[i % 3])));
    let expected = values(&json(folder.path(), &["numbers.jsonl", "--no-intervals"]));
    for args in [
        &["gauge", "names.jsonl"][..],
        &["init", "names.jsonl", "--out", "s.toml"],
    ] {
        let (code, _, wrong) = duress(folder.path(), args);
        assert_eq!(code, 2, "{wrong}");
        for words in [
            "which class each of the 3 numbers in `probs`",
            "cat, dog, owl",
            "`--classes` names them",
            "key `classes`",
        ] {
            assert!(wrong.contains(words), "{words} in {wrong}");
        }
    }
    let told = json(
        folder.path(),
        &["names.jsonl", "--no-intervals", "--classes", "cat,dog,owl"],
    );
    assert_eq!(values(&told), expected);
}

#[test]
fn an_archive_may_name_the_classes_beside_its_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let texts = |all: &[&str]| {
        let bytes: Vec<u8> = all
            .iter()
            .flat_map(|text| format!("{text:\0<3}").into_bytes())
            .collect();
        npy("|S3", &[all.len()], &bytes)
    };
    let labels: Vec<&str> = (0..ITEMS).map(|i| CLASSES[i % 3]).collect();
    let numbers: Vec<f64> = (0..ITEMS).flat_map(probabilities).collect();
    let arrays = [
        ("probs", npy_of_numbers(&[ITEMS, 3], &numbers)),
        ("labels", texts(&labels)),
        ("classes", texts(&CLASSES)),
    ];
    let write = |name: &str, count: usize| {
        fs::write(folder.path().join(name), npz(&arrays[..count])).unwrap();
    };
    write("named.npz", 3);
    write("nameless.npz", 2);
    let (code, _, wrong) = duress(folder.path(), &["gauge", "nameless.npz"]);
    assert!(
        code == 2 && wrong.contains("`--classes` names them"),
        "{wrong}"
    );
    let read = json(folder.path(), &["named.npz", "--no-intervals"]);
    let told = json(
        folder.path(),
        &["nameless.npz", "--no-intervals", "--classes", "cat,dog,owl"],
    );
    assert_eq!(values(&read), values(&told));
    let found = read["found"].to_string();
    assert!(
        found.contains("the classes are called as `classes` has them")
            && !found.contains("not read"),
        "{found}"
    );
    let (code, _, wrong) = duress(folder.path(), &["init", "named.npz"]);
    assert_eq!(code, 0, "{wrong}");
    let (code, _, wrong) = duress(folder.path(), &["check", "study.toml", "--timing", "0"]);
    assert_eq!(code, 0, "{wrong}");
}

#[test]
fn a_class_that_no_item_has_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| {
        let [a, b, c] = probabilities(i);
        format!("{a},{b},{c},{}", CLASSES[i % 2])
    };
    fs::write(folder.path().join("t.csv"), table("cat,dog,owl,label", row)).unwrap();
    let (code, said, wrong) = duress(folder.path(), &["gauge", "t.csv", "--no-intervals"]);
    assert!(
        code == 0 && said.contains("no item is owl"),
        "{said} {wrong}"
    );
    write_all(folder.path());
    assert!(
        !duress(folder.path(), &["gauge", "columns.csv", "--no-intervals"])
            .1
            .contains("no item is")
    );
}

#[test]
fn an_empty_prediction_is_no_class_and_no_wrong_answer() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "label,prediction\ncat,cat\ndog,dog\ncat,\ndog,cat\ncat,cat\ndog,\n";
    fs::write(folder.path().join("t.csv"), rows).unwrap();
    let (code, said, wrong) = duress(folder.path(), &["gauge", "t.csv", "--no-intervals"]);
    assert_eq!(code, 0, "{wrong}");
    assert!(said.contains("of 2 classes: cat, dog"), "{said}");
    let accuracy = said.lines().find(|line| line.contains("  accuracy "));
    assert!(
        accuracy.is_some_and(|line| line.contains("0.750")),
        "{said}"
    );
    assert!(said.contains("2 of 6 items"), "{said}");
    let empty_truth = "label,prediction\ncat,cat\n,dog\ndog,dog\n";
    fs::write(folder.path().join("t.csv"), empty_truth).unwrap();
    let (code, _, wrong) = duress(folder.path(), &["gauge", "t.csv"]);
    assert!(
        code == 2 && wrong.contains("`label` is \"\""),
        "{code} {wrong}"
    );
}

#[test]
fn bad_input_is_said_once_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let check = |name: &str, text: &str, args: &[&str], expected: &[&str]| {
        fs::write(folder.path().join(name), text).unwrap();
        let (code, said, wrong) = duress(folder.path(), &[&["gauge", name], args].concat());
        assert_eq!((code, said.as_str()), (2, ""), "{wrong}");
        expected
            .iter()
            .for_each(|words| assert!(wrong.contains(words), "{words} in {wrong}"));
    };
    let good = "a,b,label\n0.5,0.5,a\n0.1,0.9,b\n";
    check(
        "t.csv",
        good,
        &["--label", "lable"],
        &["there is no column `lable`", "did you mean `label`?"],
    );
    check(
        "t.csv",
        good,
        &["--only", "acuracy"],
        &["unknown gauge `acuracy`", "did you mean `accuracy`?"],
    );
    check(
        "t.csv",
        good,
        &["--only", "mdr"],
        &["`mdr` cannot be read from this table", "reads ratings"],
    );
    check(
        "t.csv",
        good,
        &["--only", "area"],
        &["`area` cannot be read", "with and without stress"],
    );
    check(
        "t.csv",
        good,
        &["--classes", "a,c"],
        &["there is no column `c`"],
    );
    check("t.csv", good, &["--classes", "a,b,a"], &["has \"a\" twice"]);
    check("t.csv", good, &["--level", "95"], &["the level is 95"]);
    check("t.csv", good, &["--resamples", "3"], &["3 resamples"]);
    check(
        "t.csv",
        "a,b\n0.5,0.5\n",
        &[],
        &["called as true classes are", "--label"],
    );
    check(
        "t.csv",
        "a,b,label\n0.5,0.5,a\n0.5,0.2,b\n",
        &[],
        &["t.csv:3", "sum to 0.7", "--form logits"],
    );
    check(
        "t.csv",
        "a,b,label\n0.5,0.5,a\n0.5,0.5,c\n",
        &[],
        &["t.csv:3", "none of the classes"],
    );
    check(
        "t.csv",
        "0,1,label\n0.5,0.5,1.0\n0.5,0.5,0\n",
        &[],
        &["t.csv:2", "without a point: 1"],
    );
    check(
        "t.csv",
        good,
        &["--classes", "a,label"],
        &["t.csv", "`label` would be read in two ways"],
    );
    check(
        "t.csv",
        "a,b,site,label\n0.5,0.5,x,a\n",
        &[],
        &["t.csv:2", "`site`", "--classes"],
    );
    check(
        "t.csv",
        "age,label\n50,1\n20,0\n",
        &[],
        &["`age` is the only column", "--score age"],
    );
    check(
        "t.csv",
        "p,label\n0.5,a\n0.2,b\n0.1,c\n",
        &[],
        &["`p` is one column of numbers", "3 classes"],
    );
    check("t.csv", "", &[], &["the file is empty"]);
    check("t.txt", good, &[], &[".jsonl or .xlsx"]);
    check(
        "t.jsonl",
        "{\"a\": 1}\n{\"a\": \n{\"a\": 2}\n",
        &[],
        &["t.jsonl:2", "not a whole JSON object"],
    );
    check(
        "t.xlsx",
        "not a zip",
        &[],
        &["this is not a whole workbook"],
    );
    let scrambled = "item,arrangement,score\nx,ABDC,0.5\n";
    let (code, said, _) = {
        fs::write(folder.path().join("s.csv"), scrambled).unwrap();
        duress(folder.path(), &["gauge", "s.csv"])
    };
    assert!(code == 0 && said.contains("without the original"), "{said}");
    check(
        "s.csv",
        "item,arrangement,score\nx,ABCD,1\nx,AACB,0.5\n",
        &[],
        &["s.csv:3", "\"AACB\" is no arrangement"],
    );
    check(
        "s.csv",
        "item,arrangement,score\nx,ABCD,1\nx,ABCD,0.5\n",
        &[],
        &["s.csv:3", "two scores"],
    );
    let (code, _, wrong) = duress(folder.path(), &["gauge", "none.csv"]);
    assert_eq!(code, 2);
    assert!(wrong.contains("there is no such file"), "{wrong}");
}
