//! `duress compare`: what changed between two runs, through the real command.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::harness::duress_in;

/// Writes a table of answers: item `i` has class `a` if `right(i)`, and the truth is always `a`.
fn answers(
    folder: &Path,
    name: &str,
    items: std::ops::Range<usize>,
    right: impl Fn(usize) -> bool,
) {
    let rows = items.map(|i| {
        format!(
            "item-{i},{}\n",
            if right(i) { "0.9,0.1" } else { "0.2,0.8" }
        )
    });
    fs::write(
        folder.join(name),
        format!("id,a,b\n{}", rows.collect::<String>()),
    )
    .unwrap();
}

fn truth(folder: &Path, name: &str, items: std::ops::Range<usize>) {
    let rows = items.map(|i| format!("item-{i},a,{}\n", if i % 2 == 0 { "even" } else { "odd" }));
    fs::write(
        folder.join(name),
        format!("id,label,parity\n{}", rows.collect::<String>()),
    )
    .unwrap();
}

fn study(folder: &Path, file: &str, truth: &str, answers: &str) {
    let text = format!(
        r#"
name = "recorded"
[dataset.items]
use = "labelled"
file = "{truth}"
label = "label"
id = "id"
classes = ["a", "b"]
columns = ["parity"]
[subject.model]
use = "recorded"
files = "{answers}"
id = "id"
[analysis]
gauges = ["accuracy"]
slices = ["parity"]
"#
    );
    fs::write(folder.join(file), text).unwrap();
}

fn duress(folder: &Path, args: &[&str]) -> Output {
    duress_in(folder, args).output().unwrap()
}

fn run(folder: &Path, study: &str, out: &str) {
    let done = duress(folder, &["run", study, "--out", out]);
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

/// Two runs: 100 items of which 90 are right, then items 20 to 119 of which 70 are.
fn two_runs(folder: &Path) {
    truth(folder, "old.csv", 0..100);
    truth(folder, "new.csv", 20..120);
    answers(folder, "old-answers.csv", 0..100, |i| i % 10 != 0);
    answers(folder, "new-answers.csv", 20..120, |i| i % 10 > 2);
    study(folder, "old.toml", "old.csv", "old-answers.csv");
    study(folder, "new.toml", "new.csv", "new-answers.csv");
    run(folder, "old.toml", "old");
    run(folder, "new.toml", "new");
}

fn compared(folder: &Path) -> serde_json::Value {
    let done = duress(folder, &["compare", "old", "new", "--form", "json"]);
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    serde_json::from_slice(&done.stdout).unwrap()
}

#[test]
fn only_the_items_both_runs_have_are_compared_and_they_are_paired() {
    let folder = tempfile::tempdir().unwrap();
    two_runs(folder.path());
    let compared = compared(folder.path());
    let change = &compared["changes"][0];
    let value = |key: &str| change[key]["value"].as_f64().unwrap();
    assert_eq!((value("before"), value("after")), (0.9, 0.7));
    assert_eq!(change["difference"]["items"], 80);
    assert!((change["difference"]["value"]["value"].as_f64().unwrap() + 0.2).abs() < 1e-12);
    assert_eq!(change["verdict"], "worse");
}

#[test]
fn a_gate_closes_when_something_is_worse_and_not_when_it_is_better() {
    let folder = tempfile::tempdir().unwrap();
    two_runs(folder.path());
    let code = |args: &[&str]| duress(folder.path(), args).status.code();
    assert_eq!(code(&["compare", "old", "new", "--gate"]), Some(1));
    assert_eq!(code(&["compare", "new", "old", "--gate"]), Some(0));
    assert_eq!(code(&["compare", "old", "old", "--gate"]), Some(0));
    assert_eq!(code(&["compare", "old", "nowhere"]), Some(2));
}

#[test]
fn a_gate_on_runs_that_share_no_item_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    two_runs(folder.path());
    truth(folder.path(), "far.csv", 500..600);
    answers(folder.path(), "far-answers.csv", 500..600, |_| false);
    study(folder.path(), "far.toml", "far.csv", "far-answers.csv");
    run(folder.path(), "far.toml", "far");
    let compared = duress(folder.path(), &["compare", "old", "far", "--gate"]);
    let said = String::from_utf8_lossy(&compared.stdout);
    assert!(said.contains("0 worse"), "{said}");
    assert_eq!(compared.status.code(), Some(1), "{said}");
}

#[test]
fn every_form_says_the_same_change() {
    let folder = tempfile::tempdir().unwrap();
    two_runs(folder.path());
    let said = |form: &str| {
        let done = duress(folder.path(), &["compare", "old", "new", "--form", form]);
        String::from_utf8(done.stdout).unwrap()
    };
    assert!(
        said("table").contains("0.9 → 0.7") || said("table").contains("0.900 → 0.700"),
        "{}",
        said("table")
    );
    assert!(
        said("markdown").contains("| accuracy | model, clean, on items |"),
        "{}",
        said("markdown")
    );
    assert!(
        said("junit").contains("failures=\"1\""),
        "{}",
        said("junit")
    );
}

#[test]
fn a_run_compared_with_itself_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    two_runs(folder.path());
    let done = duress(folder.path(), &["compare", "old", "old", "--form", "json"]);
    let compared: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert!(
        compared["changes"]
            .as_array()
            .unwrap()
            .iter()
            .all(|change| change["verdict"] == "same")
    );
}

#[test]
fn slices_have_their_own_n_and_the_worst_is_named() {
    let folder = tempfile::tempdir().unwrap();
    two_runs(folder.path());
    let text = fs::read(folder.path().join("old/5-findings.json")).unwrap();
    let findings: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let slices = findings["slices"].as_array().unwrap();
    assert_eq!(slices.len(), 2, "one slice per value");
    let of = |name: &str| slices.iter().find(|slice| slice["slice"] == name).unwrap();
    let (even, odd) = (of("even"), of("odd"));
    assert_eq!(
        (even["items"].as_u64(), odd["items"].as_u64()),
        (Some(50), Some(50))
    );
    // Every tenth item is wrong, and those are even: 40 of 50 and 50 of 50 are right.
    assert_eq!(
        (even["worst"].as_bool(), odd["worst"].as_bool()),
        (Some(true), Some(false))
    );
}

#[test]
fn what_only_one_run_answered_says_nothing_about_the_change() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    truth(at, "items.csv", 0..20);
    answers(at, "all.csv", 0..20, |i| i < 10);
    answers(at, "easy.csv", 0..10, |_| true);
    study(at, "all.toml", "items.csv", "all.csv");
    study(at, "easy.toml", "items.csv", "easy.csv");
    run(at, "all.toml", "old");
    run(at, "easy.toml", "new");
    let compared = compared(at);
    assert_eq!(compared["changes"][0]["difference"]["value"]["value"], 0.0);
    assert_eq!(compared["changes"][0]["verdict"], "same");
}

#[test]
fn a_gate_closes_when_nothing_can_be_compared_or_something_was_lost() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    two_runs(at);
    fs::write(at.join("broken.csv"), "id,a,b\nitem-20,nan,0.5\n").unwrap();
    study(at, "broken.toml", "new.csv", "broken.csv");
    assert_eq!(
        duress(at, &["run", "broken.toml", "--out", "broken"])
            .status
            .code(),
        Some(3)
    );
    assert_eq!(
        duress(at, &["compare", "old", "broken", "--gate"])
            .status
            .code(),
        Some(1)
    );
}

#[test]
fn a_gauge_of_which_neither_way_is_better_is_compared_without_a_verdict() {
    let folder = tempfile::tempdir().unwrap();
    two_runs(folder.path());
    for (name, old) in [("before", "old"), ("after", "new")] {
        let text = fs::read_to_string(folder.path().join(format!("{old}.toml"))).unwrap();
        let gauges = "gauges = [\"coverage\", \"threshold\"]\nslices = [\"parity\"]\n[gauge.threshold]\nuse = \"selective-threshold\"\ncoverage = 0.6";
        let text = text.replace("gauges = [\"accuracy\"]\nslices = [\"parity\"]", gauges);
        fs::write(folder.path().join(format!("{name}.toml")), text).unwrap();
    }
    answers(folder.path(), "old-answers.csv", 0..100, |i| i % 10 != 0);
    run(folder.path(), "before.toml", "before");
    run(folder.path(), "after.toml", "after");
    let done = duress(
        folder.path(),
        &["compare", "before", "after", "--form", "json", "--gate"],
    );
    assert_eq!(
        done.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&done.stdout)
    );
    let compared: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let change = compared["changes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["gauge"] == "coverage")
        .unwrap();
    assert_eq!(change["verdict"], "changed", "{change}");
    let table = duress(folder.path(), &["compare", "before", "after"]);
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(
        table.contains("0 better, 0 worse, 1 changed neither way"),
        "{table}"
    );
    let findings = fs::read_to_string(folder.path().join("before/5-findings.json")).unwrap();
    assert!(
        !findings.contains("\"worst\": true") && !findings.contains("\"worst\":true"),
        "{findings}"
    );
    let slices =
        fs::read_to_string(folder.path().join("before/6-report/tables/slices.csv")).unwrap();
    assert!(
        slices.lines().count() == 5 && slices.contains(",coverage,parity,even,false,0.8,"),
        "{slices}"
    );
}

#[test]
fn a_gauge_of_which_neither_way_is_better_breaks_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    truth(folder.path(), "labels.csv", 0..100);
    answers(folder.path(), "model.csv", 0..100, |i| i % 10 != 0);
    answers(folder.path(), "model_storm_1.csv", 0..100, |i| i % 10 > 6);
    let drafted = duress(folder.path(), &["init", ".", "--out", "s.toml"]);
    assert!(
        drafted.status.success(),
        "{}",
        String::from_utf8_lossy(&drafted.stderr)
    );
    let text = fs::read_to_string(folder.path().join("s.toml")).unwrap();
    let gauges = text
        .lines()
        .find(|line| line.starts_with("gauges = "))
        .unwrap();
    fs::write(
        folder.path().join("s.toml"),
        text.replace(gauges, "gauges = [\"accuracy\", \"coverage\"]"),
    )
    .unwrap();
    let done = duress(folder.path(), &["run", "s.toml", "--out", "run"]);
    let said = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success(), "{said}");
    let after = |gauge: &str| {
        said[said.find(gauge).unwrap()..]
            .lines()
            .nth(2)
            .unwrap()
            .to_string()
    };
    assert!(after("accuracy ↑").trim_end().ends_with(" 1"), "{said}");
    assert!(
        said.contains("coverage ") && !said.contains("coverage ↑"),
        "{said}"
    );
    let findings = fs::read(folder.path().join("run/5-findings.json")).unwrap();
    let findings: serde_json::Value = serde_json::from_slice(&findings).unwrap();
    let curves = findings["curves"].as_array().unwrap();
    let curve = |gauge: &str| {
        curves.iter().find(|curve| curve["gauge"] == gauge).unwrap()["break_point"].to_string()
    };
    assert!(
        curve("accuracy").contains("Ok") && curve("coverage").contains("neither way is better"),
        "{curves:?}"
    );
    let csv = fs::read_to_string(folder.path().join("run/6-report/tables/curves.csv")).unwrap();
    assert!(csv.contains("none: neither way is better"), "{csv}");
}
