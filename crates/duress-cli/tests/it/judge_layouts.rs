//! Judgements that others have published, in the layouts they come in: every number beside
//! `python peers/judge/layouts.py crates/duress-cli/tests/judge_layouts`, which knows nothing of duress.

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{TestFolder, ended_at_width};

fn layouts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judge_layouts")
}

fn folder_with(files: &[&str]) -> TestFolder {
    let folder = TestFolder::new();
    for file in files {
        let text = fs::read_to_string(layouts().join(file)).unwrap();
        folder.write(file, text);
    }
    folder
}

/// A judge of pairs, read in both orders.
fn study_of_pairs(pairs: &str, judge: &str, ladder: &str) -> String {
    let gauges =
        "\"order-consistency\", \"first-slot-preference\", \"tie-share\", \"both-orders-accuracy\"";
    format!(
        "name = \"pairs\"\nseeds = [1]\n[dataset.pairs]\nuse = \"judged-pairs\"\nfile = \"{pairs}\"\n\
         [subject.judge]\n{judge}\n[ladder.swapped]\nuse = \"{ladder}\"\nseverities = [1]\n\
         [analysis]\nunits = \"items\"\ngauges = [{gauges}]\n"
    )
}

/// Each gauge with how many items it is of.
fn read(folder: &TestFolder, study: &str) -> Vec<(u64, f64)> {
    let (_, findings) = folder.run(study);
    let estimates = findings["estimates"].as_array().unwrap().iter();
    let number = |one: &serde_json::Value| {
        let value = one["value"]["value"].as_f64().unwrap();
        (one["items"].as_u64().unwrap(), value)
    };
    estimates.map(number).collect()
}

#[test]
fn judgements_in_both_orders_are_those_that_an_independent_reading_has() {
    let check = |pairs: &str, judged: &str, expected: [(u64, f64); 4]| {
        let folder = folder_with(&[pairs, judged]);
        let judge = format!("use = \"recorded-judgements\"\nfile = \"{judged}\"");
        let read = read(&folder, &study_of_pairs(pairs, &judge, "elsewhere"));
        for ((items, value), (expected_items, expected)) in read.iter().zip(expected) {
            assert_eq!(*items, expected_items, "{judged}: {read:?}");
            assert!((value - expected).abs() < 1e-9, "{judged}: {read:?}");
        }
        assert_eq!(read.len(), 4);
    };
    check(
        "judgebench.jsonl",
        "judgebench_judged.jsonl",
        [(8, 0.625), (8, 0.093_75), (8, 0.0625), (8, 0.5)],
    );
    check(
        "llmbar.json",
        "llmbar_judged.json",
        [(6, 2.0 / 3.0), (6, 1.0 / 6.0), (6, 0.0), (6, 2.0 / 3.0)],
    );
    check(
        "mtbench_people.jsonl",
        "mtbench_gpt4.json",
        [(15, 1.0), (15, 0.0), (15, 7.0 / 15.0), (9, 1.0 / 9.0)],
    );
    check(
        "mtbench_people.jsonl",
        "fastchat_pairs.jsonl",
        [(6, 2.0 / 3.0), (6, -1.0 / 6.0), (6, 1.0 / 3.0), (4, 0.0)],
    );
}

#[test]
fn pairs_of_both_rewardbenches_are_read_and_a_first_picker_is_right_in_no_two_orders() {
    for (file, items) in [("rewardbench_1.jsonl", 10), ("rewardbench_2.jsonl", 41)] {
        let folder = folder_with(&[file]);
        let judge = "use = \"planted-judge\"\nhabit = \"first-picker\"";
        let read = read(&folder, &study_of_pairs(file, judge, "swap-responses"));
        let expected = [(items, 0.0), (items, 0.5), (items, 0.0), (items, 0.0)];
        assert_eq!(read, expected, "{file}");
    }
}

#[test]
fn scores_of_single_answers_by_fastchat_are_ratings_and_minus_one_is_none() {
    let folder = folder_with(&["fastchat_single.jsonl"]);
    let answer = |question: u32| {
        format!("{{\"id\": \"{question}/1/handmade-a\", \"response\": \"Answer {question}.\"}}\n")
    };
    folder.write("answers.jsonl", (81..89).map(answer).collect::<String>());
    let study = "name = \"single\"\nseeds = [1]\n[dataset.answers]\nuse = \"judged-responses\"\nfile = \"answers.jsonl\"\n\
        [subject.judge]\nuse = \"recorded-ratings\"\nfiles = \"fastchat_single.jsonl\"\n\
        [gauge.score]\nuse = \"mean-rating\"\ndimension = \"score\"\n[analysis]\nunits = \"items\"\ngauges = [\"score\"]\n";
    let read = read(&folder, study);
    assert_eq!(read.len(), 1);
    assert!(
        read[0].0 == 7 && (read[0].1 - 44.0 / 7.0).abs() < 1e-9,
        "{read:?}"
    );
    let absent = folder.read("run/6-report/tables/absent.csv");
    assert!(absent.contains("unparsable"), "{absent}");
}

#[test]
fn tables_of_peoples_labels_are_read_with_their_gaps() {
    for (file, line, value, items) in [
        ("human_vs_judge_binary.csv", "kappa", "0.490", "n = 37"),
        ("human_vs_judge_long.csv", "kappa", "0.441", "n = 11"),
        (
            "human_vs_judge_scores.csv",
            "kappa-quadratic",
            "0.889",
            "n = 26",
        ),
    ] {
        let (code, said, wrong) = ended_at_width(&layouts(), 100, &["agree", file]);
        assert_eq!(code, 0, "{wrong}");
        let found = said.lines().find(|one| one.trim().starts_with(line));
        let found = found.unwrap_or_default();
        assert!(
            found.contains(value) && found.contains(items),
            "{file}: {said}"
        );
    }
}
