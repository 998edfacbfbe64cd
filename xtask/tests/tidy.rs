//! Tidy: the rules of the tree that no compiler checks.
#![expect(clippy::unwrap_used, reason = "a tidy test may panic")]

use std::collections::BTreeSet;
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
    let stages = [
        "duress/src/study/mod.rs",
        "duress/src/plan/mod.rs",
        "duress/src/run/mod.rs",
        "duress/src/ledger/mod.rs",
        "duress/src/analysis/mod.rs",
        "duress-report/src/lib.rs",
    ];
    for (place, stage) in stages.iter().enumerate() {
        let text = fs::read_to_string(root().join("crates").join(stage)).unwrap();
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

/// What the compiler cannot see inside one crate: a stage knows the ones before it, never the ones
/// after it.
#[test]
fn a_stage_knows_no_later_stage() {
    let later = [
        ("study", ["plan", "run", "ledger", "analysis"].as_slice()),
        ("plan", &["run", "ledger", "analysis"]),
        ("ledger", &["run", "analysis"]),
        ("run", &["analysis"]),
    ];
    for (stage, forbidden) in later {
        let rule = |name: &str, text: &str| {
            name.starts_with(&format!("crates/duress/src/{stage}/"))
                && forbidden
                    .iter()
                    .any(|other| text.contains(&format!("crate::{other}::")))
        };
        assert_eq!(offenders(rule), NONE, "{stage} knows a later stage");
    }
}

const PARTS: &str = "crates/duress-parts/src/";
const KINDS: [&str; 5] = ["datasets", "subjects", "stressors", "gauges", "raters"];

/// The family and the file of a part, from the path of its file.
fn part(name: &str) -> Option<(&str, &str)> {
    let mut steps = name.strip_prefix(PARTS)?.split('/');
    let (family, kind, file) = (steps.next()?, steps.next()?, steps.next()?);
    let is_part = KINDS.contains(&kind) && file != "mod.rs";
    is_part.then(|| (family, file.trim_end_matches(".rs")))
}

fn families() -> BTreeSet<String> {
    let files = sources();
    let parts = files.iter().filter_map(|(name, _)| part(name));
    parts.map(|(family, _)| family.to_string()).collect()
}

/// The paths in a file's code that begin with one of `roots`, with their groups written out: what
/// `use` lines name as well as what is named in passing.
fn paths(text: &str, roots: &[&str]) -> Vec<Vec<String>> {
    let code: String = text
        .split("#[cfg(test)]")
        .next()
        .unwrap_or_default()
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n");
    let mut found = Vec::new();
    for root in roots {
        for (at, _) in code.match_indices(root) {
            let within = code[..at].ends_with(|c: char| c.is_alphanumeric() || "_:".contains(c));
            let path = &code[at..];
            if !within && path[root.len()..].trim_start().starts_with("::") {
                tree(path, &mut Vec::new(), &mut found);
            }
        }
    }
    found
}

/// Reads one path, or the tree of a `use`, and returns what comes after it.
fn tree<'a>(text: &'a str, above: &mut Vec<String>, found: &mut Vec<Vec<String>>) -> &'a str {
    let depth = above.len();
    let mut rest = text.trim_start();
    loop {
        if let Some(mut group) = rest.strip_prefix('{') {
            while !group.trim_start().starts_with('}') {
                group = tree(group, above, found).trim_start();
                // An alias, and the comma before the next of the group.
                let end = group.find([',', '}']).unwrap_or(group.len());
                group = group[end..].trim_start_matches(',');
            }
            rest = &group.trim_start()[1..];
            break;
        }
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        // `self` in a group is the module above it, and `*` all that is in it.
        if end > 0 && &rest[..end] != "self" {
            above.push(rest[..end].to_string());
        }
        rest = rest[end..].trim_start();
        match rest.strip_prefix("::") {
            Some(deeper) => rest = deeper.trim_start(),
            None => {
                found.push(above.clone());
                rest = rest.trim_start_matches('*');
                break;
            }
        }
    }
    above.truncate(depth);
    rest
}

/// Where a path that begins with `crate` or `super` leads from a file of the parts, as seen from
/// the root of its crate.
fn from_the_root(name: &str, path: &[String]) -> Vec<String> {
    let file = name.trim_start_matches(PARTS).trim_end_matches(".rs");
    let mut place: Vec<String> = file.split('/').map(str::to_string).collect();
    if place.last().is_some_and(|last| last == "mod") {
        place.pop();
    }
    for step in path {
        match step.as_str() {
            "crate" => place.clear(),
            "super" => drop(place.pop()),
            _ => place.push(step.clone()),
        }
    }
    place
}

/// Whether a path leads to a part, to the list of all, or to a module through which parts can be
/// reached.
fn reaches_parts(path: &[String], families: &BTreeSet<String>) -> bool {
    match path {
        [] => true,
        [first] => first == "registry" || families.contains(first),
        [first, second, ..] => {
            first == "registry" || families.contains(first) && KINDS.contains(&second.as_str())
        }
    }
}

#[test]
fn a_part_knows_no_other_part_and_what_parts_share_knows_none() {
    // What `duress gauge` reads in one pass: a dataset and a subject that are in one file.
    let allowed = "crates/duress-parts/src/classify/scored_table.rs";
    let families = families();
    let rule = |name: &str, text: &str| {
        name.starts_with(PARTS)
            && name != allowed
            && paths(text, &["crate", "super"])
                .iter()
                .any(|path| reaches_parts(&from_the_root(name, path), &families))
    };
    assert_eq!(offenders(rule), NONE);
}

#[test]
fn a_path_to_a_part_is_seen_however_it_is_written() {
    let families = families();
    let check = |name: &str, code: &str, expected: bool| {
        let name = format!("{PARTS}{name}");
        let seen = paths(code, &["crate", "super"])
            .iter()
            .any(|path| reaches_parts(&from_the_root(&name, path), &families));
        assert_eq!(seen, expected, "{name}: {code}");
    };
    let part = "classify/gauges/ece.rs";
    check(part, "use crate::classify::gauges::mce::Mce;", true);
    check(part, "use super::mce;", true);
    check(part, "use super::*;", true);
    check(part, "let all = super::mce::PART.name;", true);
    check(part, "use super::super::{frame, gauges as others};", true);
    check(part, "use crate::{files, classify::{self, frame}};", true);
    check(
        part,
        "use crate::{\n    files,\n    registry::Registry,\n};",
        true,
    );
    check(part, "use crate::causal as other;", true);
    check(
        "classify/frame/confidence.rs",
        "use super::super::gauges::ece;",
        true,
    );
    check(
        "images/mod.rs",
        "use crate::classify::datasets::digits;",
        true,
    );
    check(
        part,
        "use crate::classify::frame::confidence::{Kind, sureness};",
        false,
    );
    check(
        part,
        "use super::super::frame::{self as shared, confidence};",
        false,
    );
    check(part, "use crate::shared::frame::ratings;", false);
    check(
        part,
        "use crate::files::{self, table::{Head, Table}};",
        false,
    );
    check(part, "//! Like [`super::mce`].\n", false);
    check(part, "#[cfg(test)]\nmod tests { use super::mce; }", false);
    check(
        "classify/frame/confidence.rs",
        "use super::confusion;",
        false,
    );
}

#[test]
fn the_registry_is_the_one_door_to_parts() {
    let families = families();
    let rule = |name: &str, text: &str| {
        name.contains("/src/")
            && paths(text, &["duress_parts"]).iter().any(|path| {
                path[1..] != ["registry", "Registry"] && reaches_parts(&path[1..], &families)
            })
    };
    assert_eq!(offenders(rule), NONE);
}

#[test]
fn every_file_of_a_kind_is_a_part_with_its_line_and_one_name() {
    let listed = |name: &str, stem: &str| {
        let list = root().join(name).with_file_name("mod.rs");
        let list = fs::read_to_string(list).unwrap();
        list.lines().any(|line| line == format!("pub mod {stem};"))
    };
    let rule = |name: &str, text: &str| {
        part(name).is_some_and(|(_, stem)| {
            let in_studies = format!("    name: \"{}\",\n", stem.replace('_', "-"));
            let source = format!("    source: include_str!(\"{stem}.rs\"),\n");
            !listed(name, stem) || !text.contains(&in_studies) || !text.contains(&source)
        })
    };
    assert_eq!(offenders(rule), NONE);
}

#[test]
fn no_file_of_the_parts_stands_outside_a_folder() {
    let rule = |name: &str, _: &str| {
        let loose = name.strip_prefix(PARTS).filter(|name| !name.contains('/'));
        loose.is_some_and(|name| !["lib.rs", "registry.rs"].contains(&name))
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
    check("duress-findings", &["duress-core"]);
    check("duress-figure", &["duress-core"]);
    check(
        "duress-report",
        &[
            "duress-core",
            "duress-stats",
            "duress-findings",
            "duress-figure",
        ],
    );
    check("duress-tensors", &["duress-core"]);
    let arithmetic = ["duress-core", "duress-stats"];
    let files = ["duress-core", "duress-stats", "duress-tensors"];
    check("duress-nn", &files);
    check("duress-graph", &arithmetic);
    check("duress-text", &arithmetic);
    check("duress-tables", &files);
    check(
        "duress-parts",
        &[
            "duress-core",
            "duress-stats",
            "duress-tables",
            "duress-tensors",
            "duress-nn",
            "duress-graph",
            "duress-text",
            "duress-endpoint",
        ],
    );
    check(
        "duress",
        &[
            "duress-core",
            "duress-stats",
            "duress-findings",
            "duress-tables",
            "duress-tensors",
            "duress-parts",
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

/// The names of all packages that a package is built with.
fn built_with(package: &str) -> Vec<String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let args = [
        "tree",
        "--offline",
        "-e",
        "normal",
        "--prefix",
        "none",
        "-p",
    ];
    // As somebody elsewhere builds it, whatever this build has in common.
    let tree = std::process::Command::new(cargo)
        .env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION")
        .current_dir(root())
        .args(args)
        .arg(package)
        .output()
        .unwrap();
    assert!(
        tree.status.success(),
        "{}",
        String::from_utf8_lossy(&tree.stderr)
    );
    let lines = String::from_utf8_lossy(&tree.stdout).into_owned();
    let names = lines.lines().filter_map(|line| line.split(' ').next());
    names.map(String::from).collect()
}

#[test]
fn whoever_only_wants_the_library_gets_no_http_and_no_tls() {
    const OF_ENDPOINTS: [&str; 5] = ["duress-endpoint", "ureq", "rustls", "ring", "minijinja"];
    let library = built_with("duress");
    let brought: Vec<&str> = OF_ENDPOINTS
        .into_iter()
        .filter(|name| library.iter().any(|other| other == name))
        .collect();
    assert_eq!(brought, NONE);
    let command = built_with("duress-cli");
    assert!(
        command.iter().any(|name| name == "ureq"),
        "the command has it on"
    );
    assert!(!command.iter().any(|name| name == "duress-stand-in"));
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
    let rule = |name: &str, text: &str| {
        let headings = [
            "# What it does",
            "# Why it matters",
            "# Promise",
            "# Example",
            "# Reference",
        ];
        let stressor = name.contains("/stressors/") && !text.contains("//! # Severity");
        part(name).is_some()
            && (stressor
                || headings
                    .iter()
                    .any(|heading| !text.contains(&format!("//! {heading}"))))
    };
    assert_eq!(offenders(rule), NONE);
}
