//! A process that breaks in the middle of a cell: what it answered is kept, and not asked again.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::run;

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

#[test]
fn classes_that_were_answered_before_a_process_broke_are_not_asked_again() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("there is no python3 here: the process is not tested");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let word = |i: usize| ["dull", "bright"][i % 2];
    let row = |i: usize| format!("{i},a {} day {i},{}\n", word(i), word(i));
    let rows: String = (0..8).map(row).collect();
    fs::write(
        folder.path().join("texts.csv"),
        format!("id,text,label\n{rows}"),
    )
    .unwrap();
    fs::write(folder.path().join("breaks.py"), BREAKS).unwrap();
    fs::write(folder.path().join("study.toml"), STUDY).unwrap();
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
