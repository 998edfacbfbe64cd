//! Gates: on explanations within a gauge, and on claims.

use std::fs;

use duress_tables::testkit::{probabilities, second, table};

use super::{NET_WITH_SCORES, shuffled, write_labels};
use crate::harness::TestFolder;

#[test]
fn a_second_gate_asks_for_a_stable_explanation_too() {
    let folder = TestFolder::new();
    let stable = |i: usize| f64::from((i * 37 % 100) as u32) / 100.0;
    let row = |i: usize| {
        let [a, b, c] = probabilities(i);
        format!("i{i},{a},{b},{c},{}", stable(i))
    };
    folder.write("a.csv", table("id,cat,dog,owl,ssim", (0..120).map(row)));
    write_labels(&folder, 120);
    let study = NET_WITH_SCORES.to_string()
        + r#"[gauge.gated]
use = "selective-accuracy"
threshold = 0.6
stability = "ssim"
stability-threshold = 0.5
[gauge.gated-coverage]
use = "coverage"
threshold = 0.6
stability = "ssim"
stability-threshold = 0.5
[analysis]
gauges = ["gated", "gated-coverage"]
[report]
layouts = ["selective"]
"#;
    let (_, findings) = folder.run(&study);
    let estimate = |name: &str| {
        findings["estimates"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["gauge"] == name)
            .unwrap()
            .clone()
    };
    // As what numbers were read is part of the findings, and of the page.
    assert_eq!(
        findings["subjects"][0]["answers"],
        serde_json::json!(["probabilities"])
    );
    let page = folder.read("run/6-report/index.html");
    assert!(page.contains("Its answers are read as probabilities."));
    let accepted: Vec<usize> = (0..120)
        .filter(|&i| probabilities(i).into_iter().fold(0.0, f64::max) > 0.6 && stable(i) > 0.5)
        .collect();
    let right = accepted.iter().filter(|&&i| {
        let all = probabilities(i);
        all[i % 3] == all.into_iter().fold(0.0, f64::max)
    });
    let (share, right) = (
        accepted.len() as f64 / 120.0,
        right.count() as f64 / accepted.len() as f64,
    );
    assert_eq!(
        estimate("gated-coverage")["value"]["value"].as_f64(),
        Some(share)
    );
    assert_eq!(estimate("gated")["value"]["value"].as_f64(), Some(right));
    let interval = estimate("gated")["interval"].to_string();
    assert!(
        interval.contains("low") && interval.contains("high"),
        "{interval}"
    );
    // The grid over both thresholds is in the findings and in a table of its own.
    let grid = folder
        .path()
        .join("run/6-report/results/rq3_selective/gated_net_seed1.csv");
    let files = fs::read_dir(folder.path().join("run/6-report/results/rq3_selective")).unwrap();
    let names: Vec<String> = files
        .map(|file| file.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    let grid = fs::read_to_string(&grid).unwrap_or_else(|_| panic!("{names:?}"));
    assert_eq!(grid.lines().count(), 101, "{grid}");
    assert!(
        grid.starts_with("confidence_threshold,stability_threshold,coverage,selective_accuracy"),
        "{grid}"
    );
    let both = study.replace(
        "threshold = 0.6\nstability = \"ssim\"\n",
        "coverage = 0.9\nstability = \"ssim\"\n",
    );
    folder.write("both.toml", both);
    let (code, _, wrong) = folder.duress(&["check", "both.toml"]);
    assert!(
        code == 2 && wrong.contains("`coverage` and `stability` both say"),
        "{wrong}"
    );
    // A score that no subject keeps is a mistake, before anything is run.
    folder.write(
        "typo.toml",
        study.replacen("\"ssim\"\nst", "\"ssmi\"\nst", 1),
    );
    folder.write("none.toml", study.replace("scores = [\"ssim\"]\n", ""));
    for (file, hint) in [
        ("typo.toml", "did you mean `ssim`?"),
        ("none.toml", "`scores = [\"ssim\"]` has"),
    ] {
        let (code, _, wrong) = folder.duress(&["check", file]);
        assert!(
            code == 2 && wrong.contains("needs the score `ss") && wrong.contains(hint),
            "{wrong}"
        );
    }
}

#[test]
fn a_gate_without_a_claim_is_bad_input_and_init_writes_a_first_claim() {
    let folder = TestFolder::new();
    shuffled(&folder, "");
    folder.duress(&["init", "ix", "--out", "ix.toml"]);
    let text = folder.read("ix.toml");
    assert!(
        text.contains("[[claim]]") && text.contains("a is right more often than b"),
        "{text}"
    );
    // Two equal subjects: nothing is upheld, and the gate says so.
    let (code, said, wrong) = folder.duress(&["run", "ix.toml", "--gate"]);
    assert_eq!(code, 1, "{said} {wrong}");
    let without = text.split("[[claim]]").next().unwrap();
    folder.write("none.toml", without);
    let (code, said, wrong) = folder.duress(&["run", "none.toml", "--gate", "--out", "none"]);
    assert!(
        code == 2 && wrong.contains("without a claim"),
        "{said} {wrong}"
    );
    assert!(!folder.path().join("none").exists(), "nothing was run");
    let (code, ..) = folder.duress(&["run", "none.toml", "--out", "none"]);
    assert_eq!(code, 0);
    let (code, _, wrong) = folder.duress(&["report", "none", "--gate"]);
    assert!(code == 2 && wrong.contains("without a claim"), "{wrong}");
    // One subject alone, and one under stress, have a first claim too.
    for (file, claim) in [
        ("net_clean.csv", "it is right more often than chance"),
        ("net_noise_0.5.csv", "net loses less than 0.1 under noise"),
    ] {
        let (mut a, _) = shuffled(&folder, "id");
        if file.contains("noise") {
            // Under noise one item more is wrong.
            let p = second(0);
            a = a.replacen(&format!("{},{p}", 1.0 - p), &format!("{p},{}", 1.0 - p), 1);
        }
        folder.write(&format!("one/{file}"), a);
        folder.duress(&["init", "one", "--out", "one.toml"]);
        let text = folder.read("one.toml");
        assert!(text.contains(claim), "{text}");
        folder.done(&["run", "one.toml", "--gate", "--out", claim]);
        fs::remove_file(folder.path().join("one.toml")).unwrap();
    }
}
