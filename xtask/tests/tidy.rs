//! Tidy: the rules of the tree that no compiler checks.
#![expect(clippy::unwrap_used, reason = "a tidy test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_path_buf()
}

/// Every Rust file of the workspace, with its text, by its path from the root.
fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("crates"), root().join("xtask")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() && entry.file_name() != "target" {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(root()).unwrap().display().to_string();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    assert!(found.len() > 50, "the tree was not found");
    found
}

fn offenders(rule: impl Fn(&str, &str) -> bool) -> Vec<String> {
    sources()
        .into_iter()
        .filter(|(name, text)| rule(name, text))
        .map(|(name, _)| name)
        .collect()
}

const NONE: [&str; 0] = [];

#[test]
fn the_first_line_of_every_file_says_what_it_is() {
    assert_eq!(offenders(|_, text| !text.starts_with("//! ")), NONE);
}

#[test]
fn the_first_line_of_every_stage_says_its_place() {
    for (place, stage) in ["study", "plan", "run", "ledger", "analysis", "report"]
        .iter()
        .enumerate()
    {
        let text =
            fs::read_to_string(root().join(format!("crates/duress/src/{stage}/mod.rs"))).unwrap();
        let first = format!("//! Stage {} of 6: ", place + 1);
        assert!(
            text.starts_with(&first),
            "{stage} does not begin with {first:?}"
        );
    }
}

#[test]
fn every_file_has_a_noun() {
    let vague = [
        "util", "utils", "helper", "helpers", "common", "misc", "base", "imp", "types", "manager",
    ];
    let stem = |name: &str| {
        Path::new(name)
            .file_stem()
            .unwrap()
            .to_string_lossy()
            .into_owned()
    };
    assert_eq!(
        offenders(|name, _| vague.contains(&stem(name).as_str())),
        NONE
    );
}

#[test]
fn nothing_is_left_for_later_or_switched_off() {
    // Spelled in halves, so that this file does not find itself.
    let marks = [
        ["TO", "DO"],
        ["FIX", "ME"],
        ["#[ig", "nore"],
        ["todo", "!("],
        ["unimple", "mented!("],
        ["[al", "low("],
    ];
    let marks: Vec<String> = marks.iter().map(|halves| halves.concat()).collect();
    assert_eq!(
        offenders(|_, text| marks.iter().any(|mark| text.contains(mark.as_str()))),
        NONE
    );
}

#[test]
fn only_the_ledger_takes_truth_out_of_its_seal() {
    let allowed = [
        "crates/duress-core/src/truth.rs",
        "crates/duress/src/ledger/dataset.rs",
    ];
    let rule = |name: &str, text: &str| {
        name.contains("/src/") && text.contains("for_the_ledger") && !allowed.contains(&name)
    };
    assert_eq!(offenders(rule), NONE);
}

#[test]
fn the_report_sees_findings_only() {
    let stages = [
        "crate::study",
        "crate::plan",
        "crate::run",
        "crate::ledger",
        "duress_parts",
    ];
    let rule = |name: &str, text: &str| {
        name.starts_with("crates/duress/src/report/")
            && stages.iter().any(|stage| text.contains(stage))
    };
    assert_eq!(offenders(rule), NONE);
}

#[test]
fn a_part_knows_no_other_part() {
    let kinds = ["datasets", "subjects", "stressors", "gauges", "raters"];
    let rule = |name: &str, text: &str| {
        let is_part = kinds
            .iter()
            .any(|kind| name.starts_with(&format!("crates/duress-parts/src/{kind}/")));
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        is_part
            && kinds
                .iter()
                .any(|kind| code.contains(&format!("crate::{kind}")))
    };
    assert_eq!(offenders(rule), NONE);
}

/// The crates of this workspace that a crate is built from.
fn depends_on(name: &str) -> Vec<String> {
    let manifest = fs::read_to_string(root().join(format!("crates/{name}/Cargo.toml"))).unwrap();
    let section = manifest
        .split("[dependencies]")
        .nth(1)
        .unwrap()
        .split("\n[")
        .next()
        .unwrap();
    section
        .lines()
        .filter_map(|line| line.split('.').next())
        .filter(|dep| !dep.is_empty())
        .map(str::to_string)
        .collect()
}

#[test]
fn the_crates_point_in_one_direction() {
    let check = |name: &str, allowed: &[&str]| {
        let ours = depends_on(name)
            .into_iter()
            .filter(|dep| dep.starts_with("duress"));
        let wrong: Vec<String> = ours
            .filter(|dep| !allowed.contains(&dep.as_str()))
            .collect();
        assert_eq!(wrong, NONE, "{name} must not know these");
    };
    check("duress-core", &[]);
    check("duress-stats", &[]);
    check("duress-figure", &[]);
    check("duress-nn", &["duress-core", "duress-stats"]);
    check("duress-graph", &["duress-core", "duress-stats"]);
    check("duress-text", &["duress-core", "duress-stats"]);
    // The files that PyTorch and safetensors write are read by the crate that reads networks.
    check(
        "duress-tables",
        &["duress-core", "duress-stats", "duress-nn"],
    );
    check(
        "duress-parts",
        &[
            "duress-core",
            "duress-stats",
            "duress-tables",
            "duress-nn",
            "duress-graph",
            "duress-text",
        ],
    );
    check(
        "duress",
        &[
            "duress-core",
            "duress-stats",
            "duress-tables",
            "duress-parts",
            "duress-figure",
        ],
    );
    assert_eq!(
        depends_on("duress-stats"),
        ["libm"],
        "the statistics stand on std and libm alone"
    );
    assert_eq!(
        depends_on("duress-core"),
        ["libm", "serde"],
        "the words need nothing else"
    );
}

#[test]
fn every_dependency_has_its_reason_beside_it() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let section = manifest
        .split("[workspace.dependencies]")
        .nth(1)
        .unwrap()
        .split("\n[")
        .next()
        .unwrap();
    let lines = section
        .lines()
        .filter(|line| line.contains('=') && !line.contains("path = "));
    let bare: Vec<&str> = lines.filter(|line| !line.contains("# ")).collect();
    assert_eq!(bare, NONE);
}

#[test]
fn every_part_is_explained_in_the_same_way() {
    let kinds = ["datasets", "subjects", "stressors", "gauges", "raters"];
    let rule = |name: &str, text: &str| {
        let is_part = kinds
            .iter()
            .any(|kind| name.starts_with(&format!("crates/duress-parts/src/{kind}/")));
        let headings = [
            "# What it does",
            "# Why it matters",
            "# Promise",
            "# Example",
            "# Reference",
        ];
        let stressor = name.contains("/stressors/") && !text.contains("//! # Severity");
        is_part
            && !name.ends_with("mod.rs")
            && (stressor
                || headings
                    .iter()
                    .any(|heading| !text.contains(&format!("//! {heading}"))))
    };
    assert_eq!(offenders(rule), NONE);
}
