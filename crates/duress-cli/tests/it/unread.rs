//! What nobody reads of a file is named once: by `check`, by a run and its report, and by `gauge`.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::io::Write;
use std::path::Path;

use serde_json::Value;

use crate::harness::ended_at_width;

fn duress(folder: &Path, args: &[&str]) -> (i32, String, String) {
    ended_at_width(folder, 300, args)
}

const ITEMS: usize = 24;

fn yes(i: usize) -> f64 {
    0.05 + 0.9 * ((i * 7 % 24) as f64 / 24.0)
}

fn label(i: usize) -> &'static str {
    ["no", "yes"][usize::from(yes(i) > 0.4)]
}

/// A study of recorded answers in `answers`, with the true classes in `labels`.
fn study(folder: &Path, labels: &str, answers: &str, keys: &str) {
    let text = format!(
        "name = \"unread\"\n[dataset.items]\nuse = \"labelled\"\nfile = \"{labels}\"\nclasses = [\"no\", \"yes\"]\n\
         [subject.net]\nuse = \"recorded\"\nfiles = \"{answers}\"\nclasses = [\"no\", \"yes\"]\n{keys}\n\
         [analysis]\ngauges = [\"accuracy\"]\nunits = \"items\"\n"
    );
    fs::write(folder.join("s.toml"), text).unwrap();
}

/// What `check` and a run say about what is not read; each says the same.
fn told(folder: &Path) -> Vec<String> {
    let (code, said, wrong) = duress(folder, &["check", "s.toml", "--timing", "0"]);
    assert_eq!(code, 0, "{said} {wrong}");
    let checked = lines(&said, "Note: ");
    let (code, said, wrong) = duress(folder, &["run", "s.toml", "--out", "run"]);
    assert_eq!(code, 0, "{said} {wrong}");
    for line in &checked {
        let line = line.trim_end_matches('.');
        assert_eq!(said.matches(line).count(), 1, "{line}: {said}");
    }
    let findings = fs::read(folder.join("run/5-findings.json")).unwrap();
    let findings: Value = serde_json::from_slice(&findings).unwrap();
    let caveats = findings["caveats"].as_array().unwrap().iter();
    let kept = caveats
        .filter(|one| one["doubt"]["kind"] == "not-read")
        .count();
    assert_eq!(kept, checked.len(), "{findings}");
    fs::remove_dir_all(folder.join("run")).unwrap();
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
    let folder = tempfile::tempdir().unwrap();
    let rows = |row: &dyn Fn(usize) -> String| (0..ITEMS).map(row).collect::<String>();
    let labels = rows(&|i| format!("i{i},{},{},x\n", label(i), 30 + i));
    let labels = format!("id,label,age,site\n{labels}");
    fs::write(folder.path().join("labels.csv"), labels).unwrap();
    let answers = rows(&|i| format!("{i},i{i},{},{},{}\n", 1.0 - yes(i), yes(i), label(i)));
    let answers = format!(",id,no,yes,fold\n{answers}");
    fs::write(folder.path().join("net.csv"), answers).unwrap();
    study(folder.path(), "labels.csv", "net.csv", "");
    let said = told(folder.path());
    assert_eq!(
        said,
        [
            "net.csv: the columns without a name, `fold` are not read.",
            "labels.csv: the columns `age`, `site` are not read.",
        ]
    );
    // What the study says is to be left, or to be sliced by, is no oversight.
    study(
        folder.path(),
        "labels.csv",
        "net.csv",
        "ignore = [\"fold\", \"\"]",
    );
    let text = fs::read_to_string(folder.path().join("s.toml")).unwrap();
    let sliced = text.replacen("classes", "columns = [\"age\", \"site\"]\nclasses", 1);
    fs::write(folder.path().join("s.toml"), sliced).unwrap();
    assert_eq!(told(folder.path()), Vec::<String>::new());
}

#[test]
fn a_table_that_two_parts_read_is_told_of_what_neither_does() {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| format!("i{i},{},{},{},{i}\n", 1.0 - yes(i), yes(i), label(i));
    let rows: String = (0..ITEMS).map(row).collect();
    let table = format!("id,no,yes,label,epoch\n{rows}");
    fs::write(folder.path().join("net.csv"), table).unwrap();
    study(folder.path(), "./net.csv", "net.csv", "");
    assert_eq!(
        told(folder.path()),
        ["net.csv: the column `epoch` is not read."]
    );
    let (code, said, wrong) = duress(folder.path(), &["gauge", "net.csv"]);
    assert_eq!(code, 0, "{said} {wrong}");
    assert_eq!(said.matches("not read: epoch").count(), 1, "{said}");
}

fn npy(shape: &str, values: &[f64]) -> Vec<u8> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    let header = format!("{header:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.iter().flat_map(|x| x.to_le_bytes()));
    bytes
}

#[test]
fn arrays_and_keys_are_named_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let numbers = |of: fn(usize) -> f64| (0..ITEMS).map(of).collect::<Vec<f64>>();
    let both: Vec<f64> = (0..ITEMS).flat_map(|i| [1.0 - yes(i), yes(i)]).collect();
    let arrays = [
        ("probs", npy(&format!("({ITEMS}, 2)"), &both)),
        ("losses", npy(&format!("({ITEMS},)"), &numbers(yes))),
        ("cube", npy("(2, 2, 2)", &[0.5; 8])),
    ];
    let mut zip = zip::ZipWriter::new(fs::File::create(folder.path().join("net.npz")).unwrap());
    for (name, bytes) in arrays {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(format!("{name}.npy"), options).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    zip.finish().unwrap();
    let line = |i: usize| format!("{{\"label\": \"{}\", \"note\": \"n{i}\"}}\n", label(i));
    let lines: String = (0..ITEMS).map(line).collect();
    fs::write(folder.path().join("labels.jsonl"), lines).unwrap();
    study(folder.path(), "labels.jsonl", "net.npz", "");
    let said = told(folder.path());
    for words in [
        "net.npz: the arrays `losses`, `cube` are not read.",
        "labels.jsonl: the key `note` is not read.",
    ] {
        assert!(said.iter().any(|line| line == words), "{words}: {said:?}");
    }
}

#[test]
fn columns_beside_texts_and_edges_are_named() {
    let folder = tempfile::tempdir().unwrap();
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
    fs::write(folder.path().join("w.csv"), format!("a,b,c\n{steps}")).unwrap();
    let edges = "from,to,lag,note\na,c,1,sure\n";
    fs::write(folder.path().join("edges.csv"), edges).unwrap();
    let study = "name = \"edges\"\nseeds = [1, 2, 3]\n[dataset.own]\nuse = \"windows\"\nfile = \"w.csv\"\nsteps = 10\ntruth = \"edges.csv\"\n\
        [subject.correlation]\nuse = \"correlation\"\non = \"own\"\n[analysis]\ngauges = [\"shd\"]\n";
    fs::write(folder.path().join("s.toml"), study).unwrap();
    assert_eq!(
        told(folder.path()),
        ["edges.csv: the columns `lag`, `note` are not read."]
    );
}
