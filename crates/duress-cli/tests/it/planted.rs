//! The shipped studies of judges notice judges with a known fault, and uphold everything of one that is
//! perfect. The perfect one is a table: no part knows how many errors a text has.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::TestFolder;

const SUBTYPES: [(&str, &str, f64); 12] = [
    ("spelling", "T", 0.1),
    ("factual_error", "T", 0.8),
    ("hallucination", "T", 0.9),
    ("inconsistency", "T", 0.6),
    ("demographic_bias", "B", 0.9),
    ("cultural_bias", "B", 0.7),
    ("gender_bias", "B", 0.8),
    ("political_bias", "B", 0.6),
    ("unclear_explanation", "E", 0.4),
    ("missing_context", "E", 0.6),
    ("overly_complex", "E", 0.3),
    ("assumption_not_stated", "E", 0.5),
];

/// A study that is shipped, with another judge wherever the one that follows rules stands.
fn shipped_with(study: &str, judge: &str) -> String {
    let studies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/judge");
    let text = fs::read_to_string(studies.join(study)).unwrap();
    assert!(text.contains("use = \"rules-judge\""));
    let lines = text
        .lines()
        .map(|line| match line.starts_with("use = \"rules-judge\"") {
            true => judge.to_owned(),
            false => line.to_owned(),
        });
    let text: Vec<String> = lines.collect();
    let lists = studies.join("lists.jsonl");
    let lists = lists.display().to_string();
    text.join("\n").replace("lists.jsonl", &lists)
}

fn planted(habit: &str) -> String {
    format!("use = \"planted-judge\"\nhabit = \"{habit}\"")
}

/// How many claims of a family about the judge in the place of `rules` have this verdict.
fn count(findings: &Value, family: &str, verdict: &str) -> usize {
    let claims = findings["claims"].as_array().unwrap().iter();
    let own = claims.filter(|claim| claim["family"] == family);
    own.filter(|claim| claim["verdict"] == verdict).count()
}

#[test]
fn the_study_of_sensitivity_upholds_no_claim_of_a_judge_that_does_not_look() {
    for habit in [
        "constant",
        "middle-picker",
        "first-picker",
        "random",
        "length-lover",
    ] {
        let folder = TestFolder::new();
        let (said, findings) = folder.run(&shipped_with("sensitivity.toml", &planted(habit)));
        assert_eq!(
            count(&findings, "on target", "upheld"),
            0,
            "{habit}: {said}"
        );
        let stays = count(&findings, "off target, who moves", "upheld");
        let refuted = count(&findings, "off target, who moves", "refuted");
        match habit {
            // Nothing moves, and that is what they are upheld for: it takes both families.
            "constant" | "first-picker" => assert!(stays >= 10, "{habit}: {said}"),
            // A letter for a letter is as long as it was.
            "length-lover" => assert!(refuted >= 8, "{habit} {stays} {refuted}: {said}"),
            _ => assert!(
                (stays, refuted) == (0, 12),
                "{habit} {stays} {refuted}: {said}"
            ),
        }
    }
}

#[test]
fn the_study_of_sensitivity_upholds_everything_of_a_perfect_judge_out_of_a_table() {
    let folder = TestFolder::new();
    folder.run(&shipped_with("sensitivity.toml", &planted("constant")));
    let files = folder
        .path()
        .join("run/6-report/results/sensitivity_analysis");
    let mut table = String::from("id,ladder,severity,T,B,E\n");
    // Some errors are graver than others: a judge without any spread would be judged as one.
    for (subtype, own, weight) in SUBTYPES {
        for k in 0..=5 {
            let name = format!("{own}_{subtype}_k{k}_perturbed.jsonl");
            let lines = fs::read_to_string(files.join(&name)).unwrap();
            for (at, line) in lines.lines().enumerate() {
                let grave = weight * (1.0 + 0.02 * (at % 7) as f64);
                let row: Value = serde_json::from_str(line).unwrap();
                if row["injection_failed"] == true {
                    continue;
                }
                assert_eq!(row["k_errors_injected"], k, "{name}");
                let quality = |dimension: &str| match dimension == own {
                    true => 100.0 * (-grave * f64::from(k) / 2.0).exp(),
                    false => 100.0,
                };
                table += &format!(
                    "{},{subtype},{k},{},{},{}\n",
                    row["unique_dataset_id"].as_str().unwrap(),
                    quality("T"),
                    quality("B"),
                    quality("E")
                );
            }
        }
    }
    folder.write("ratings.csv", &table);
    let judge =
        "use = \"recorded-ratings\"\nfiles = \"ratings.csv\"\ndimensions = [\"T\", \"B\", \"E\"]";
    let study = shipped_with("sensitivity.toml", judge);
    // The table knows the twelve subtypes of the claims.
    let study = ["sycophancy", "confirmation"]
        .iter()
        .fold(study, |study, subtype| {
            let ladder = format!(
                "[ladder.{subtype}]\nuse = \"inject-{subtype}\"\nseverities = [1, 2, 3, 4, 5]\n"
            );
            assert!(study.contains(&ladder));
            study.replace(&ladder, "")
        });
    // Errors that a table was rated with were put in elsewhere.
    let injected = |subtype: &str| format!("use = \"inject-{}\"", subtype.replace('_', "-"));
    let study = SUBTYPES.iter().fold(study, |study, (subtype, ..)| {
        study.replace(&injected(subtype), "use = \"elsewhere\"")
    });
    folder.write("perfect.toml", &study);
    let said = folder.done(&["run", "perfect.toml", "--out", "perfect"]);
    let findings = folder.findings("perfect");
    assert_eq!(count(&findings, "on target", "upheld"), 12, "{said}");
    assert!(
        count(&findings, "off target, who moves", "upheld") >= 10,
        "{said}"
    );
    for family in ["on target", "off target", "off target, who moves"] {
        assert_eq!(count(&findings, family, "refuted"), 0, "{said}");
    }
    let report = "perfect/6-report/results/sensitivity_analysis/sensitivity_report.json";
    let report: Value = serde_json::from_str(&folder.read(report)).unwrap();
    let target = &report["T_factual_error"]["target_gauge"];
    // Six points that fall without exception: τ = −1 with p = 2 / 6!.
    assert_eq!(target["kendall_tau"], -1.0);
    assert!((target["kendall_pvalue"].as_f64().unwrap() - 2.0 / 720.0).abs() < 1e-12);
    assert_eq!(target["monotonic"], true);

    // The same table without a study.
    let said = folder.done(&[
        "gauge",
        "ratings.csv",
        "--only",
        "quality,dose-kendall,moved-share",
    ]);
    assert!(
        said.contains("ratings in T, B, E · doses of 12 kinds of error"),
        "{said}"
    );
    assert!(said.contains("T, factual_error"), "{said}");
    let json = folder.done(&["gauge", "ratings.csv", "--only", "dose-slope", "--json"]);
    let gauged: Value = serde_json::from_str(&json).unwrap();
    let one = gauged["gauges"].as_array().unwrap().iter();
    let mut one = one.filter(|one| one["dimension"] == "T" && one["ladder"] == "factual_error");
    let slope = one.next().unwrap()["value"]["value"].as_f64().unwrap();
    let in_study = findings["estimates"].as_array().unwrap().iter();
    let mut in_study = in_study.filter(|one| {
        one["gauge"] == "T-slope" && one["place"]["under"].to_string().contains("factual_error")
    });
    let in_study = in_study.next().unwrap()["value"]["value"].as_f64().unwrap();
    assert!((slope - in_study).abs() < 1e-12, "{slope} {in_study}");
}

#[test]
fn the_study_of_specificity_notices_a_coin_and_that_of_bias_a_lover_of_length() {
    let folder = TestFolder::new();
    let (said, findings) = folder.run(&shipped_with("specificity.toml", &planted("random")));
    let upheld = findings["claims"].as_array().unwrap().iter();
    let upheld = upheld.filter(|claim| claim["verdict"] == "upheld").count();
    assert_eq!(upheld, 0, "{said}");
    // The judge of lists is replaced too, and a coin is moved by their order.
    let lists = |claim: &&Value| claim["name"] == "reordered-list moves few";
    let mut claims = findings["claims"].as_array().unwrap().iter();
    let lists = claims.find(lists).unwrap();
    assert_eq!(lists["verdict"], "refuted", "{said}");
    // Whoever lowers or raises everything alike lowers nothing more than the others.
    for habit in ["length-lover", "constant"] {
        let folder = TestFolder::new();
        let (said, findings) = folder.run(&shipped_with("specificity.toml", &planted(habit)));
        let more = count(&findings, "more than the others", "upheld");
        assert_eq!(more, 0, "{habit}: {said}");
    }
    let folder = TestFolder::new();
    let (said, findings) = folder.run(&shipped_with("bias.toml", &planted("length-lover")));
    // Five of the six lures lengthen a response; marks of formatting hardly do.
    assert_eq!(count(&findings, "lures", "refuted"), 5, "{said}");
    let claims = findings["claims"].as_array().unwrap().iter();
    let upheld: Vec<&str> = claims
        .filter(|claim| claim["family"] == "lures" && claim["verdict"] == "upheld")
        .map(|claim| claim["name"].as_str().unwrap())
        .collect();
    assert_eq!(upheld, ["formatting does not raise the score"], "{said}");
}
