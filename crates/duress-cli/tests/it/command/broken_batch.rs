//! A process that breaks in the middle of a cell: what it answered is kept, and not asked again.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::{run, running};
use crate::harness::{files, said};

/// Names the class of each text and notes what it was asked; until `mended` is there, it tells the
/// first text of its third batch and breaks.
const BREAKS: &str = r#"
import json, os, sys
batches = 0
for line in sys.stdin:
    question = json.loads(line)
    if "hello" in question:
        print(json.dumps({"hello": 1, "classes": ["bright", "dull"]}), flush=True)
        continue
    batches += 1
    rows = []
    with open("asked.txt", "a") as asked:
        for item in question["texts"]:
            asked.write(item["text"] + "\n")
            bright = "bright" in item["text"]
            rows.append([0.875, 0.125] if bright else [0.25, 0.75])
    if batches == 3 and not os.path.exists("mended"):
        print(json.dumps({"id": question["id"], "item": 0, "probability": rows[0]}), flush=True)
        sys.exit(7)
    print(json.dumps({"id": question["id"], "probabilities": rows}), flush=True)
"#;

const STUDY: &str = r#"
name = "broken"
seeds = [1]

[dataset.texts]
use = "labelled"
file = "texts.csv"
text = "text"

[subject.process]
use = "command"
command = ["python3", "breaks.py"]
accepts = "texts"
answers = "classes"
batch = 2
restarts = 0

[analysis]
gauges = ["accuracy", "ece"]
units = "items"
"#;

fn asked(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("asked.txt")).unwrap();
    text.lines().map(String::from).collect()
}

fn word(i: usize) -> &'static str {
    ["dull", "bright"][i % 2]
}

/// A folder with a study of eight texts and a process; none where there is no Python.
fn with_process(process: &str) -> Option<TempDir> {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("there is no python3 here: the process is not tested");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| format!("{i},a {} day {i},{}\n", word(i), word(i));
    let rows: String = (0..8).map(row).collect();
    let texts = format!("id,text,label\n{rows}");
    fs::write(folder.path().join("texts.csv"), texts).unwrap();
    fs::write(folder.path().join("breaks.py"), process).unwrap();
    fs::write(folder.path().join("study.toml"), STUDY).unwrap();
    Some(folder)
}

fn edit_study(folder: &Path, from: &str, to: &str) {
    let path = folder.join("study.toml");
    let study = fs::read_to_string(&path).unwrap();
    assert!(study.contains(from), "{from}");
    fs::write(path, study.replace(from, to)).unwrap();
}

#[test]
fn classes_that_were_answered_before_a_process_broke_are_not_asked_again() {
    let Some(folder) = with_process(BREAKS) else {
        return;
    };
    let first = run(folder.path(), &[]);
    assert_eq!(first.code, Some(3), "{}{}", first.out, first.complaint);
    assert_eq!(asked(folder.path()).len(), 6, "three batches of two");
    fs::write(folder.path().join("mended"), "").unwrap();
    let second = run(folder.path(), &["--retry"]);
    assert_eq!(second.code, Some(0), "{}{}", second.out, second.complaint);
    let again = asked(folder.path()).split_off(6);
    let expected = [5, 6, 7].map(|i| format!("a {} day {i}", word(i)));
    assert_eq!(again, expected, "only what has no answer");
    let findings = fs::read_to_string(folder.path().join("run/5-findings.json")).unwrap();
    let findings: serde_json::Value = serde_json::from_str(&findings).unwrap();
    let clean = &findings["estimates"][0];
    assert_eq!(
        (&clean["items"], &clean["value"]["value"]),
        (&8.into(), &1.0.into())
    );
}

#[test]
fn how_patiently_a_process_is_asked_is_no_part_of_what_its_answers_are_kept_under() {
    let Some(folder) = with_process(BREAKS) else {
        return;
    };
    let folder = folder.path();
    assert_eq!(run(folder, &[]).code, Some(3));
    fs::write(folder.join("mended"), "").unwrap();
    edit_study(
        folder,
        "batch = 2\nrestarts = 0",
        "batch = 3\nrestarts = 2\ntimeout = 40\nfit-timeout = 50",
    );
    let second = run(folder, &["--retry"]);
    assert_eq!(second.code, Some(0), "{}{}", second.out, second.complaint);
    assert_eq!(asked(folder).len(), 6 + 3, "only what has no answer");
    edit_study(folder, "timeout = 40", "timeout = 41");
    assert_eq!(run(folder, &[]).code, Some(0));
    assert_eq!(asked(folder).len(), 6 + 3, "nobody is asked again");
}

/// Says no answer about an item, and breaks when it is asked about that one again.
const BREAKS_AGAIN: &str = r#"
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    if "hello" in question:
        print(json.dumps({"hello": 1, "classes": ["bright", "dull"]}), flush=True)
        continue
    if len(question["texts"]) == 1:
        sys.exit(9)
    labels = ["bright" if "bright" in item["text"] else "dull" for item in question["texts"]]
    labels[1] = None if "day 3" in question["texts"][1]["text"] else labels[1]
    print(json.dumps({"id": question["id"], "labels": labels}), flush=True)
"#;

#[test]
fn a_process_that_breaks_when_it_is_asked_again_is_told_and_its_answers_of_before_stand() {
    let Some(folder) = with_process(BREAKS_AGAIN) else {
        return;
    };
    let folder = folder.path();
    let first = run(folder, &[]);
    assert_eq!(first.code, Some(0), "{}{}", first.out, first.complaint);
    let before = fs::read(folder.join("run/5-findings.json")).unwrap();
    let second = run(folder, &["--retry"]);
    assert_eq!(second.code, Some(3), "{}{}", second.out, second.complaint);
    for words in ["Asked again, 1 cell failed", "exit status: 9"] {
        assert!(second.out.contains(words), "{words}: {}", second.out);
    }
    assert_eq!(
        fs::read(folder.join("run/5-findings.json")).unwrap(),
        before
    );
    assert_eq!(run(folder, &[]).code, Some(0));
}

/// Tells the first item of each batch twice, and otherwise the second time.
const TELLS_TWICE: &str = r#"
import json, os, sys
for line in sys.stdin:
    question = json.loads(line)
    if "hello" in question:
        print(json.dumps({"hello": 1, "classes": ["bright", "dull"]}), flush=True)
        continue
    with open("asked.txt", "a") as asked:
        asked.writelines(item["text"] + "\n" for item in question["texts"])
    labels = ["bright" if "bright" in item["text"] else "dull" for item in question["texts"]]
    other = {"bright": "dull", "dull": "bright"}[labels[0]]
    if not os.path.exists("mended"):
        for label in [labels[0], other]:
            print(json.dumps({"id": question["id"], "item": 0, "label": label}), flush=True)
    print(json.dumps({"id": question["id"], "labels": labels}), flush=True)
"#;

#[test]
fn an_item_that_is_told_in_two_ways_has_no_answer_and_is_asked_again() {
    let Some(folder) = with_process(TELLS_TWICE) else {
        return;
    };
    let folder = folder.path();
    let first = run(folder, &[]);
    assert_eq!(first.code, Some(3), "{}{}", first.out, first.complaint);
    let told = "answered nonsense: items 1 to 2 of 8: item 0 was told twice, and not the same";
    assert!(
        first.out.replace("\n  ", " ").contains(told),
        "{}",
        first.out
    );
    fs::write(folder.join("mended"), "").unwrap();
    let second = run(folder, &["--retry"]);
    assert_eq!(second.code, Some(0), "{}{}", second.out, second.complaint);
    assert_eq!(asked(folder).len(), 2 + 8, "the first is asked again, too");
}

/// Says its key in one of the places where it can say something.
const TELLS_ITS_KEY: &str = r#"
import json, os, sys
key, place = os.environ["MY_API_KEY"], os.environ["PLACE"]
for line in sys.stdin:
    question = json.loads(line)
    if "hello" in question:
        print(json.dumps({"hello": 1, "classes": ["bright", "dull"]}), flush=True)
        continue
    reply = {"id": question["id"]}
    if place == "absent":
        reply |= {"labels": [None for item in question["texts"]], "absent": {"0": "401 for " + key}}
    elif place == "label":
        reply["labels"] = [key for item in question["texts"]]
    elif place == "error":
        reply["error"] = "401 for " + key
    elif place == "stderr":
        sys.exit("401 for " + key)
    elif place == "item":
        print(json.dumps(reply | {"item": 0, "label": key}), flush=True)
    elif place == "garbage":
        print("x" * 100 + key, flush=True)
    elif place == "half":
        print("401 for " + key, end="", flush=True)
        sys.exit(1)
    print(json.dumps(reply), flush=True)
"#;

#[test]
fn a_key_that_a_process_says_is_in_no_output() {
    const KEY: &str = "not-a-real-key-4711-4711";
    for place in [
        "absent", "label", "error", "stderr", "item", "garbage", "half",
    ] {
        let Some(folder) = with_process(TELLS_ITS_KEY) else {
            return;
        };
        let folder = folder.path();
        let mut command = running(folder, &[]);
        command.env("MY_API_KEY", KEY).env("PLACE", place);
        let end = said(command.output().unwrap());
        let told = end.out + &end.complaint;
        assert!(!told.contains(&KEY[..12]), "{place}: {told}");
        let written = files(&folder.join("run"));
        assert!(written.len() > 5, "{place}: {written:?}");
        let mut named = told.contains("MY_API_KEY");
        for file in written {
            let bytes = fs::read(&file).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains(&KEY[..12]), "{place}: {}", file.display());
            named |= text.contains("MY_API_KEY");
        }
        assert!(named, "{place}: nothing was struck");
    }
}
