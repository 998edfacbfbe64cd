//! The files that readers of the layout `sensitivity` look for.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::Value;

use crate::harness::TestFolder;

const FILES: &str = "run/6-report/results/sensitivity_analysis";

/// Two judges, twice over, on samples with the keys of TrustScore.
const STUDY: &str = r#"
name = "files"
seeds = [1, 2]

[dataset.samples]
use = "judged-responses"
file = "sampled_dataset.jsonl"

[subject.rules]
use = "rules-judge"
on = "samples"

[subject.flat]
use = "planted-judge"
habit = "constant"
on = "samples"

[ladder.spelling]
use = "inject-spelling"
severities = [1, 2]

[gauge.T]
use = "quality"
dimension = "T"

[gauge.T-tau-items]
use = "dose-kendall"
of = "T"
over = "items"

[analysis]
units = "items"
gauges = ["T", "T-tau-items"]

[report]
layouts = ["sensitivity"]
"#;

fn samples() -> String {
    let text = "The river measures 14 kilometres from the mountain to the harbour and carries twelve barges every summer.";
    let models = ["M1", "M2", "M3"].iter();
    models
        .map(|model| {
            let row = serde_json::json!({
                "sample_id": "s1", "unique_dataset_id": format!("s1-{model}"), "prompt": "p", "model": model,
                "response": format!("{text} It was {model} who wrote about the harbour afterwards."),
                "source_article": format!("{text} {model} wrote."), "has_source": true,
            });
            format!("{row}\n")
        })
        .collect()
}

fn rows(folder: &TestFolder, file: &str) -> Vec<Value> {
    let text = folder.read(&format!("{FILES}/{file}"));
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn files_of_several_judges_and_seeds_stand_apart_and_keep_the_keys_of_the_samples() {
    let folder = TestFolder::new();
    folder.write("sampled_dataset.jsonl", samples());
    folder.run(STUDY);
    for judge in ["rules", "flat"] {
        let sampled = rows(&folder, &format!("{judge}/seed-1/sampled_dataset.jsonl"));
        assert_eq!(sampled.len(), 3);
        assert_eq!(sampled[1]["sample_id"], "s1");
        assert_eq!(sampled[1]["unique_dataset_id"], "s1-M2");
        assert_eq!(sampled[1]["model"], "M2");
        let results = rows(
            &folder,
            &format!("{judge}/seed-2/T_spelling_k2_results.jsonl"),
        );
        assert_eq!(results[2]["sample_id"], "s1");
        assert!(results[2]["agg_quality_T"].is_number(), "{results:?}");
    }
    let perturbed = |seed: u32| {
        let file = format!("rules/seed-{seed}/T_spelling_k1_perturbed.jsonl");
        rows(&folder, &file)[0]["response"].clone()
    };
    assert_ne!(perturbed(1), perturbed(2));
    let log = folder.read(&format!("{FILES}/execution.log"));
    assert!(
        log.contains("rules/seed-2/T_spelling_k1: 3 rated, 0 without a rating"),
        "{log}"
    );
}

#[test]
fn a_report_has_the_means_of_the_target_by_k_and_readings_per_sample() {
    let folder = TestFolder::new();
    folder.write("sampled_dataset.jsonl", samples());
    folder.run(STUDY);
    let report: Value =
        serde_json::from_str(&folder.read(&format!("{FILES}/rules/sensitivity_report.json")))
            .unwrap();
    let spelling = &report["T_spelling"];
    let mean = |k: &str| spelling["mean_scores_by_k"][k].as_f64().unwrap();
    assert!(mean("0") > mean("1") && mean("1") > mean("2"), "{spelling}");
    assert_eq!(spelling["num_samples"], 3);
    assert_eq!(spelling["k_max"], 2);
    assert_eq!(spelling["target_gauge"]["kendall_tau_per_sample"], -1.0);
    // What the study does not read is null, not left out.
    assert!(spelling["target_gauge"]["kendall_pvalue"].is_null());
    assert!(spelling["off_target_gauges"]["E"]["mean_scores_by_k"].is_object());
}
