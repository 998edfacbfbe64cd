//! What nobody reads of a file is named once: by `check`, by a run and its report, and by `gauge`.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;

use duress_tables::testkit::{npy_of_numbers, npz};

use crate::harness::TestFolder;
use crate::study_text::yes_or_no;

const ITEMS: usize = 24;

fn yes(i: usize) -> f64 {
    0.05 + 0.9 * ((i * 7 % 24) as f64 / 24.0)
}

fn label(i: usize) -> &'static str {
    ["no", "yes"][usize::from(yes(i) > 0.4)]
}

/// A study of recorded answers in `answers`, with the true classes in `labels`.
fn study(folder: &TestFolder, labels: &str, answers: &str, keys: &str) {
    let more = format!("{keys}\n[analysis]\ngauges = [\"accuracy\"]\nunits = \"items\"\n");
    folder.write("s.toml", yes_or_no(labels, answers, &more));
}

/// What `check` and a run say about what is not read; each says the same.
fn told(folder: &TestFolder) -> Vec<String> {
    let said = folder.done(&["check", "s.toml", "--timing", "0"]);
    let checked = lines(&said, "Note: ");
    let said = folder.done(&["run", "s.toml", "--out", "run"]);
    for line in &checked {
        let line = line.trim_end_matches('.');
        assert_eq!(said.matches(line).count(), 1, "{line}: {said}");
    }
    let findings = folder.findings("run");
    let caveats = findings["caveats"].as_array().unwrap().iter();
    let kept = caveats
        .filter(|one| one["doubt"]["kind"] == "not-read")
        .count();
    assert_eq!(kept, checked.len(), "{findings}");
    fs::remove_dir_all(folder.path().join("run")).unwrap();
    checked
}

fn lines(said: &str, before: &str) -> Vec<String> {
    said.lines()
        .filter_map(|line| line.trim().strip_prefix(before))
        .filter(|line| line.contains("not read"))
        .map(String::from)
        .collect()
}

#[test]
fn columns_of_answers_and_labels_that_nobody_reads_are_named_once() {
    let folder = TestFolder::new();
    let rows = |row: &dyn Fn(usize) -> String| (0..ITEMS).map(row).collect::<String>();
    let labels = rows(&|i| format!("i{i},{},{},x\n", label(i), 30 + i));
    let labels = format!("id,label,age,site\n{labels}");
    folder.write("labels.csv", labels);
    let answers = rows(&|i| format!("{i},i{i},{},{},{}\n", 1.0 - yes(i), yes(i), label(i)));
    let answers = format!(",id,no,yes,fold\n{answers}");
    folder.write("net.csv", answers);
    study(&folder, "labels.csv", "net.csv", "");
    let said = told(&folder);
    assert_eq!(
        said,
        [
            "net.csv: the columns without a name, `fold` are not read.",
            "labels.csv: the columns `age`, `site` are not read.",
        ]
    );
    // What the study says is to be left, or to be sliced by, is no oversight.
    study(
        &folder,
        "labels.csv",
        "net.csv",
        "ignore = [\"fold\", \"\"]",
    );
    let text = folder.read("s.toml");
    let sliced = text.replacen("classes", "columns = [\"age\", \"site\"]\nclasses", 1);
    folder.write("s.toml", sliced);
    assert_eq!(told(&folder), Vec::<String>::new());
}

#[test]
fn a_table_that_two_parts_read_is_told_of_what_neither_does() {
    let folder = TestFolder::new();
    let row = |i: usize| format!("i{i},{},{},{},{i}\n", 1.0 - yes(i), yes(i), label(i));
    let rows: String = (0..ITEMS).map(row).collect();
    let table = format!("id,no,yes,label,epoch\n{rows}");
    folder.write("net.csv", table);
    study(&folder, "./net.csv", "net.csv", "");
    assert_eq!(told(&folder), ["net.csv: the column `epoch` is not read."]);
    let said = folder.done(&["gauge", "net.csv"]);
    assert_eq!(said.matches("not read: epoch").count(), 1, "{said}");
}

#[test]
fn arrays_and_keys_are_named_as_such() {
    let folder = TestFolder::new();
    let numbers = |of: fn(usize) -> f64| (0..ITEMS).map(of).collect::<Vec<f64>>();
    let both: Vec<f64> = (0..ITEMS).flat_map(|i| [1.0 - yes(i), yes(i)]).collect();
    let arrays = [
        ("probs", npy_of_numbers(&[ITEMS, 2], &both)),
        ("losses", npy_of_numbers(&[ITEMS], &numbers(yes))),
        ("cube", npy_of_numbers(&[2, 2, 2], &[0.5; 8])),
    ];
    folder.write("net.npz", npz(&arrays));
    let line = |i: usize| format!("{{\"label\": \"{}\", \"note\": \"n{i}\"}}\n", label(i));
    let lines: String = (0..ITEMS).map(line).collect();
    folder.write("labels.jsonl", lines);
    study(&folder, "labels.jsonl", "net.npz", "");
    let said = told(&folder);
    for words in [
        "net.npz: the arrays `losses`, `cube` are not read.",
        "labels.jsonl: the key `note` is not read.",
    ] {
        assert!(said.iter().any(|line| line == words), "{words}: {said:?}");
    }
}

#[test]
fn columns_beside_texts_and_edges_are_named() {
    let folder = TestFolder::new();
    let steps: String = (0..200)
        .map(|i| {
            let x = f64::from(i * 37 % 101) / 10.0;
            format!(
                "{x},{},{}\n",
                f64::from(i * 11 % 17),
                x * 0.5 + f64::from(i % 7)
            )
        })
        .collect();
    folder.write("w.csv", format!("a,b,c\n{steps}"));
    let edges = "from,to,lag,note\na,c,1,sure\n";
    folder.write("edges.csv", edges);
    let study = "name = \"edges\"\nseeds = [1, 2, 3]\n[dataset.own]\nuse = \"windows\"\nfile = \"w.csv\"\nsteps = 10\ntruth = \"edges.csv\"\n\
        [subject.correlation]\nuse = \"correlation\"\non = \"own\"\n[analysis]\ngauges = [\"shd\"]\n";
    folder.write("s.toml", study);
    assert_eq!(
        told(&folder),
        ["edges.csv: the columns `lag`, `note` are not read."]
    );
}
