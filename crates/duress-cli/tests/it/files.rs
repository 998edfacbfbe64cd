//! What answers come from: a script that is edited is asked anew, and every arrangement has a file
//! of its own.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::ended;

fn run(folder: &Path, study: &str) -> (i32, String) {
    ended(folder, &["run", study, "--out", "run"])
}

fn findings(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("run/5-findings.json")).unwrap()).unwrap()
}

fn value(findings: &Value, gauge: &str) -> f64 {
    let estimates = findings["estimates"].as_array().unwrap();
    let one = estimates.iter().find(|one| one["gauge"] == gauge).unwrap();
    one["value"]["value"].as_f64().unwrap()
}

/// A judge in a few lines of shell: everybody gets the same rating.
fn judge(rating: u32) -> String {
    format!(
        "read hello\necho '{{\"hello\": 1, \"dimensions\": [\"T\"]}}'\nwhile read question; do\n  echo once >> asked\n  id=$(echo \"$question\" | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/')\n  echo \"{{\\\"id\\\": $id, \\\"ratings\\\": [[{rating}]]}}\"\ndone\n"
    )
}

#[test]
fn a_script_that_is_edited_is_asked_anew_and_one_that_is_not_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let study = "name = \"s\"\n[dataset.d]\nuse = \"judged-responses\"\n[subject.mine]\nuse = \"command\"\ncommand = [\"sh\", \"judge.sh\"]\naccepts = \"texts\"\nanswers = \"ratings\"\nbatch = 1\n[analysis]\ngauges = [\"quality\"]\n";
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let check = |rating: u32, asked: usize| {
        fs::write(folder.path().join("judge.sh"), judge(rating)).unwrap();
        let (code, said) = run(folder.path(), "study.toml");
        assert_eq!(code, 0, "{said}");
        assert_eq!(
            value(&findings(folder.path()), "quality"),
            f64::from(rating)
        );
        let tally = fs::read_to_string(folder.path().join("asked")).unwrap();
        assert_eq!(tally.lines().count(), asked);
    };
    check(40, 24);
    check(40, 24);
    check(70, 48);
}

#[test]
fn every_arrangement_is_looked_up_in_its_own_file() {
    let folder = tempfile::tempdir().unwrap();
    let orders = ["ACB", "BAC", "BCA", "CAB", "CBA"];
    fs::create_dir(folder.path().join("said")).unwrap();
    fs::write(
        folder.path().join("idioms.csv"),
        "idiom,explanation\n甲乙丙,gold and silver\n子丑寅,iron and steel\n",
    )
    .unwrap();
    let table = |text: &str| format!("id,text\n甲乙丙,{text}\n子丑寅,{text}\n");
    fs::write(
        folder.path().join("said/clean.csv"),
        table("gold and silver"),
    )
    .unwrap();
    for order in orders {
        // Only one of the two orders with one inversion leaves anything of the explanation.
        let text = if order == "BAC" {
            "gold and silver"
        } else {
            "nothing of it"
        };
        fs::write(folder.path().join(format!("said/{order}.csv")), table(text)).unwrap();
    }
    let study = |files: &str| {
        format!(
            "name = \"s\"\n[dataset.d]\nuse = \"idioms\"\nfile = \"idioms.csv\"\n[subject.mine]\nuse = \"recorded\"\nform = \"texts\"\nfiles = \"{files}\"\nclean = \"said/clean.csv\"\n[rater.words]\nuse = \"lexical\"\n[ladder.scrambled]\nuse = \"elsewhere\"\narrangements = 3\nseverities = [1, 2, 3]\n[analysis]\ngauges = [\"s-acc\", \"mdr\", \"mda\"]\n"
        )
    };
    fs::write(
        folder.path().join("study.toml"),
        study("said/{variant}.csv"),
    )
    .unwrap();
    let (code, said) = run(folder.path(), "study.toml");
    assert_eq!(code, 0, "{said}");
    let found = findings(folder.path());
    // Of five arrangements one costs nothing and four cost everything that the rater can see.
    assert!(
        (value(&found, "mdr") - 0.8 * value(&found, "mda")).abs() < 1e-12,
        "{said}"
    );
    assert!(value(&found, "mda") > 0.9);
    fs::write(
        folder.path().join("study.toml"),
        study("said/{severity}.csv"),
    )
    .unwrap();
    let (code, said) = run(folder.path(), "study.toml");
    assert!(
        code == 2 && said.contains("{variant} in it, since `scrambled` has several at severity 1"),
        "{said}"
    );
}
