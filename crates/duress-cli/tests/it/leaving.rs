//! Items that leave a ladder: the screen and the summary are over the same items, who left is
//! listed, and a cell that fails says in which way it was pressed.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use serde_json::Value;

use crate::harness::TestFolder;
use crate::study_text::{LOOKUP, scrambled};

/// A judge of which the texts that cannot be misspelt are the worst: over all items it would seem to
/// like misspellings.
const RESPONSES: [(&str, &str); 5] = [
    (
        "river",
        "The river measures forty kilometres from the mountain to the harbour and carries barges every summer",
    ),
    (
        "bridge",
        "The bridge crosses the valley between two villages and carries travellers through the winter mountains",
    ),
    (
        "garden",
        "The garden behind the library belongs to the village and welcomes visitors during every summer evening",
    ),
    ("code", "x = 1"),
    ("numbers", "12 34 56"),
];

/// The rows of a table without quotes, by the heads of its columns.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines = text.lines();
    let heads: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let cells = line.split(',').map(String::from);
        heads.iter().map(|head| (*head).into()).zip(cells).collect()
    };
    lines.map(row).collect()
}

fn number(row: &BTreeMap<String, String>, key: &str) -> f64 {
    row[key].parse().unwrap()
}

#[test]
fn the_screen_and_the_summary_are_over_the_same_items_and_say_who_left() {
    let folder = TestFolder::new();
    let row = |(id, text): &(&str, &str)| format!("{id},{text},{text}\n");
    let rows_of: String = RESPONSES.iter().map(row).collect();
    let table = format!("id,response,source\n{rows_of}");
    folder.write("r.csv", table);
    let study = r#"name = "leaving"
[dataset.own]
use = "judged-responses"
file = "r.csv"
[subject.rules]
use = "rules-judge"
on = "own"
[ladder.spelling]
use = "inject-spelling"
severities = [1, 3]
[gauge.trust]
use = "quality"
dimension = "T"
[analysis]
gauges = ["trust"]
units = "items"
"#;
    let (said, findings) = folder.run(study);
    let points = findings["curves"][0]["points"].as_array().unwrap();
    assert_eq!(points.len(), 3);
    for point in points {
        assert_eq!(point["items"], 3, "{point}");
    }
    let value = |point: &Value| point["value"]["value"].as_f64().unwrap();
    let summary = rows(&folder.read("run/6-report/tables/summary.csv"));
    let hardest = summary.iter().find(|row| row["condition"] == "3").unwrap();
    assert_eq!(number(hardest, "clean"), value(&points[0]));
    assert_eq!(number(hardest, "result"), value(&points[2]));
    assert_eq!(hardest["items"], "3");
    // The paired difference is over these items too.
    let contrasts = findings["contrasts"].as_array().unwrap();
    let pressed = |one: &&Value| one["of"]["under"]["rung"]["severity"] == "3";
    let contrast = contrasts.iter().find(pressed).unwrap();
    let difference = contrast["value"]["value"].as_f64().unwrap();
    assert!(
        (number(hardest, "drop") + difference).abs() < 1e-12,
        "{contrast}"
    );
    // All five are read clean.
    let estimates = findings["estimates"].as_array().unwrap();
    let clean = |one: &&Value| one["place"]["under"] == "clean";
    assert_eq!(estimates.iter().find(clean).unwrap()["items"], 5);
    assert!(
        said.contains("over the 3 of 5 items that are read at every severity"),
        "{said}"
    );
    let left = rows(&folder.read("run/6-report/tables/leaving.csv"));
    let ids: Vec<&str> = left.iter().map(|row| row["item"].as_str()).collect();
    assert_eq!(ids, ["code", "numbers"]);
    assert!(
        left.iter().all(|row| row["severities"] == "1 3"),
        "{left:?}"
    );
}

/// An item that has only some of the arrangements of a severity is compared over these.
#[test]
fn an_item_with_some_of_the_arrangements_stays_in_contrasts() {
    let folder = TestFolder::new();
    // The first repeats a character: of the three arrangements with one inversion two differ.
    let own = "idiom,explanation\n一心心意,one\n水滴石穿,two\n画蛇添足,three\n守株待兔,four\n";
    folder.write("own.csv", own);
    let (_, findings) = folder.run(&scrambled("own.csv", LOOKUP, &[1]));
    assert_eq!(
        findings["contrasts"][0]["items"], 4,
        "{}",
        findings["contrasts"]
    );
    assert_eq!(findings["leaving"], Value::Null, "nobody leaves");
}

#[cfg(unix)]
#[test]
fn a_failure_names_the_arrangement_and_is_counted_once() {
    let folder = TestFolder::new();
    let own = "idiom,explanation\n水滴石穿,two\n画蛇添足,three\n";
    folder.write("own.csv", own);
    // It breaks at one arrangement, BADC, and says the rest back.
    let script = r#"
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "hello" in asked:
        print(json.dumps({"hello": 1}), flush=True)
        continue
    texts = [item["text"] for item in asked["texts"]]
    if "滴水穿石" in texts:
        sys.exit(3)
    print(json.dumps({"id": asked["id"], "texts": texts}), flush=True)
"#;
    folder.write("echo.py", script);
    let echo = r#"[subject.echo]
use = "command"
command = ["python3", "echo.py"]
accepts = "texts"
answers = "text"
on = "own""#;
    folder.write("study.toml", scrambled("own.csv", echo, &[1, 2]));
    let (code, said, wrong) = folder.duress(&["run", "study.toml", "--out", "run"]);
    assert_eq!(code, 3, "{said} {wrong}");
    let failures = folder.read("run/6-report/tables/failures.csv");
    let lines: Vec<&str> = failures.lines().collect();
    assert!(
        lines.len() == 2 && lines[1].ends_with(",BADC"),
        "{failures}"
    );
    assert!(
        said.contains("1 cell failed") && said.contains("BADC"),
        "{said}"
    );
    let page = folder.read("run/6-report/index.html");
    assert!(page.contains(", BADC</th>"), "the page does not name it");
}
