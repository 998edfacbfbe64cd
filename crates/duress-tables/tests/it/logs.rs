//! Logs that harnesses wrote: what was said is read, and what is no answer is told apart from it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use duress_core::answer::AbsenceKind;
use duress_tables::logs::batch::{BatchContent, read_rows};
use duress_tables::logs::{EvalLog, LogProgram, LoggedAnswer, read};
use serde_json::Value;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/logs")
        .join(name)
}

fn log(name: &str) -> EvalLog {
    read(&path(name)).unwrap()
}

/// The answer about an item, the first time it was asked about.
fn about<'a>(log: &'a EvalLog, item: &str) -> &'a LoggedAnswer {
    let mut answers = log.answers.iter();
    answers
        .find(|one| one.item == item && one.epoch == 1)
        .unwrap()
}

/// Why there is no answer about an item.
fn kind(log: &EvalLog, item: &str) -> Option<AbsenceKind> {
    about(log, item)
        .said
        .as_ref()
        .err()
        .map(|absence| absence.kind)
}

/// The value of a score, or why there is none.
fn scored(log: &EvalLog, item: &str, score: &str) -> Result<f64, AbsenceKind> {
    about(log, item).scores[score]
        .clone()
        .map_err(|absence| absence.kind)
}

fn lines(name: &str) -> Vec<Value> {
    let text = fs::read_to_string(path(name)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn choices_of_lm_eval_are_the_likeliest_and_right_as_often_as_it_says() {
    let log = log("lm_eval_mc.jsonl");
    assert_eq!((log.program, log.answers.len()), (LogProgram::LmEval, 12));
    for line in lines("lm_eval_mc.jsonl") {
        let answer = about(&log, line["doc"]["id"].as_str().unwrap());
        let (class, sure) = answer.chosen.clone().unwrap().unwrap();
        let right = f64::from(u8::from(Some(class) == answer.right));
        assert_eq!(right, line["acc"].as_f64().unwrap(), "{}", answer.item);
        assert_eq!(
            answer.choices.len(),
            line["resps"].as_array().unwrap().len()
        );
        let least = 1.0 / answer.choices.len() as f64;
        assert!(sure.is_some_and(|sure| sure >= least && sure <= 1.0));
    }
    let first = about(&log, "mc-01");
    assert_eq!(first.choices, ["mouse", "horse", "cat", "bee"]);
    assert_eq!(
        (first.right, first.target.as_slice()),
        (Some(1), &["horse".to_string()][..])
    );
    assert!(first.text.contains("Which animal is the largest?"));
}

#[test]
fn filters_of_lm_eval_are_scores_and_what_they_could_not_read_is_unparsable() {
    let log = log("lm_eval_gen.jsonl");
    assert_eq!(log.answers.len(), 16, "8 documents, asked about twice");
    let scores: Vec<&str> = log.scores().into_iter().collect();
    assert_eq!(
        scores,
        [
            "exact_match,both",
            "exact_match,flexible",
            "exact_match,strict"
        ]
    );
    assert_eq!(scored(&log, "gen-01", "exact_match,strict"), Ok(1.0));
    assert_eq!(scored(&log, "gen-04", "exact_match,strict"), Ok(0.0));
    let unread = Err(AbsenceKind::Unparsable);
    assert_eq!(scored(&log, "gen-03", "exact_match,strict"), unread);
    assert_eq!(scored(&log, "gen-03", "exact_match,flexible"), Ok(1.0));
    let times: Vec<u32> = log
        .answers
        .iter()
        .filter(|one| one.item == "gen-01")
        .map(|one| one.epoch)
        .collect();
    assert_eq!(times, [1, 2]);
    let chat = self::log("lm_eval_chat.jsonl");
    assert!(
        chat.answers[0].text.contains("Answer with a number."),
        "{}",
        chat.answers[0].text
    );
}

#[test]
fn samples_of_lm_eval_before_0_4_4_say_no_filter_and_have_numbers_for_targets() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("samples_old.jsonl");
    let rows = lines("lm_eval_gen.jsonl").into_iter().map(|mut line| {
        let map = line.as_object_mut().unwrap();
        map.remove("filter");
        map.remove("metrics");
        let target = map["target"].as_str().unwrap().parse::<i64>();
        map.insert("target".into(), target.map_or(Value::Null, Value::from));
        line.to_string() + "\n"
    });
    fs::write(&old, rows.collect::<String>()).unwrap();
    let log = read(&old).unwrap();
    assert_eq!(
        scored(&log, "gen-03", "exact_match,filter 1"),
        Err(AbsenceKind::Unparsable)
    );
    assert_eq!(scored(&log, "gen-03", "exact_match,filter 2"), Ok(1.0));
    assert_eq!(about(&log, "gen-01").target, ["7"]);
}

#[test]
fn a_log_of_inspect_is_read_through_zstandard_and_literal_nan() {
    let log = log("inspect_one_epoch.eval");
    assert_eq!((log.program, log.answers.len()), (LogProgram::Inspect, 12));
    assert!(log.remarks.is_empty());
    assert_eq!(
        about(&log, "q01").said.as_deref(),
        Ok("Two spiders have 16 legs.")
    );
    assert_eq!(scored(&log, "q01", "includes"), Ok(1.0));
    assert_eq!(scored(&log, "q01", "match"), Ok(0.0));
    assert_eq!(scored(&log, "q01", "shape.length"), Ok(25.0));
    assert_eq!(about(&log, "9").target, ["done"], "an id may be a number");
    assert_eq!(about(&log, "q03").target, ["green", "Green"]);
    assert!(
        about(&log, "q06").text.contains("Answer in one"),
        "messages are texts"
    );
    assert_eq!(kind(&log, "q08"), Some(AbsenceKind::Failed));
    assert_eq!(kind(&log, "q11"), Some(AbsenceKind::Refused));
    assert_eq!(kind(&log, "q12"), Some(AbsenceKind::CutOff));
    let ungraded = scored(&log, "q10", "model_graded_qa");
    assert_eq!(ungraded, Err(AbsenceKind::Failed), "NaN is no zero");
    let refused = scored(&log, "q11", "model_graded_qa");
    assert_eq!(
        refused,
        Err(AbsenceKind::Refused),
        "whatever the grader made of it"
    );
}

#[test]
fn what_an_interface_refused_or_cut_is_no_answer_in_inspect() {
    let log = log("inspect_two_epochs.eval");
    assert_eq!(log.answers.len(), 24);
    assert_eq!(kind(&log, "q11"), Some(AbsenceKind::Refused));
    assert_eq!(kind(&log, "q12"), Some(AbsenceKind::CutOff));
    assert_eq!(
        kind(&log, "q05"),
        Some(AbsenceKind::TooLong),
        "an error in place of an answer"
    );
    assert!(log.answers.iter().any(|one| one.epoch == 2));
}

#[test]
fn choices_of_inspect_are_letters_and_several_right_ones_are_none() {
    let log = log("inspect_mc.eval");
    let second = about(&log, "2");
    assert_eq!(
        (second.right, second.chosen.clone()),
        (Some(1), Some(Ok((1, None))))
    );
    assert_eq!(about(&log, "10").right, None, "two are right");
    let unread = about(&log, "8").chosen.clone().unwrap().unwrap_err();
    assert_eq!(unread.kind, AbsenceKind::Unparsable);
}

/// Five samples of a log in an archive as old versions write it, deflated; a killed run has no header.
fn five_samples(from: &str, to: &Path, header: Option<&str>) {
    let mut archive = ZipArchive::new(File::open(path(from)).unwrap()).unwrap();
    let mut out = ZipWriter::new(File::create(to).unwrap());
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let names: Vec<String> = archive
        .file_names()
        .flatten()
        .map(|name| name.into_owned())
        .collect();
    let samples = names.iter().filter(|name| name.starts_with("samples/"));
    for name in samples.take(5) {
        let at = archive.index_for_name(name).unwrap();
        let bytes = zstd::decode_all(archive.by_index_raw(at).unwrap()).unwrap();
        out.start_file(name.as_str(), options).unwrap();
        out.write_all(&bytes).unwrap();
    }
    out.start_file("_journal/start.json", options).unwrap();
    out.write_all(b"{\"version\": 2, \"eval\": {}}").unwrap();
    if let Some(header) = header {
        out.start_file("header.json", options).unwrap();
        out.write_all(header.as_bytes()).unwrap();
    }
    out.finish().unwrap();
}

#[test]
fn a_run_that_was_killed_is_read_as_far_as_it_came_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("killed.eval");
    five_samples("inspect_one_epoch.eval", &file, None);
    let log = read(&file).unwrap();
    assert_eq!(log.answers.len(), 5);
    assert!(
        log.remarks[0].contains("ended before it was done"),
        "{:?}",
        log.remarks
    );
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    assert!(read(&file).unwrap_err().to_string().contains("damaged"));
}

#[test]
fn a_run_that_failed_is_read_as_far_as_it_came_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("failed.eval");
    let remarks = |status: &str| {
        let header = format!("{{\"version\": 2, \"status\": \"{status}\"}}");
        five_samples("inspect_one_epoch.eval", &file, Some(&header));
        let log = read(&file).unwrap();
        assert_eq!(log.answers.len(), 5);
        log.remarks
    };
    assert!(remarks("error")[0].contains("its status is \"error\""));
    assert!(remarks("success").is_empty());
}

#[test]
fn rows_of_promptfoo_are_told_by_provider_and_prompt_and_reasons_are_no_errors() {
    let log = log("promptfoo.jsonl");
    let series: Vec<&str> = log.series().into_iter().collect();
    assert_eq!(
        series,
        ["echo-a chat", "echo-a plain", "odd chat", "odd plain"]
    );
    let of = |series: &str, item: &str| {
        let mut all = log.answers.iter();
        all.find(|one| one.series == series && one.item == item)
            .unwrap()
    };
    assert!(
        of("echo-a plain", "test-1").said.is_ok(),
        "an assertion's reason is no failed call"
    );
    let why = |series: &str, item: &str| of(series, item).said.clone().unwrap_err().kind;
    assert_eq!(why("odd chat", "test-5"), AbsenceKind::Failed);
    assert_eq!(why("odd plain", "test-5"), AbsenceKind::Refused);
    assert_eq!(why("odd plain", "test-4"), AbsenceKind::CutOff);
    assert!(
        of("odd plain", "test-0")
            .said
            .as_ref()
            .unwrap()
            .contains("fruit"),
        "an object"
    );
    assert_eq!(of("echo-a plain", "test-1").scores["equals"], Ok(0.0));
    assert_eq!(of("echo-a plain", "test-1").scores["success"], Ok(0.0));
}

#[test]
fn repeats_of_promptfoo_are_tests_with_the_same_variables() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("repeat.jsonl");
    let row = |test: usize, word: &str| {
        let row = serde_json::json!({
            "testIdx": test, "promptIdx": 0, "vars": {"word": word}, "provider": {"id": "echo"},
            "prompt": {"raw": word, "label": "plain"}, "response": {"output": word}, "success": true,
        });
        row.to_string() + "\n"
    };
    let rows: String = [(0, "red"), (1, "blue"), (2, "red")]
        .map(|(test, word)| row(test, word))
        .concat();
    fs::write(&file, rows).unwrap();
    let log = read(&file).unwrap();
    let items: Vec<(&str, u32)> = log
        .answers
        .iter()
        .map(|one| (one.item.as_str(), one.epoch))
        .collect();
    assert_eq!(items, [("test-0", 1), ("test-1", 1), ("test-0", 2)]);
    assert!(log.remarks[0].contains("does not mark them"));
}

#[test]
fn samples_of_every_eval_ever_have_a_score_per_metric_and_epochs_in_their_metadata() {
    let log = log("eee_mc_samples.jsonl");
    assert_eq!(log.answers.len(), 12);
    assert_eq!(
        log.scores().into_iter().collect::<Vec<_>>(),
        ["acc", "acc_norm"]
    );
    let first = about(&log, "0");
    assert_eq!(
        (first.right, first.chosen.clone()),
        (Some(1), Some(Ok((2, None))))
    );
    let generated = self::log("eee_gen_samples.jsonl");
    assert_eq!(
        scored(&generated, "2", "exact_match:strict"),
        Err(AbsenceKind::Unparsable)
    );
    let epochs = self::log("eee_two_epochs_samples.jsonl");
    assert_eq!(epochs.answers.len(), 24);
    assert_eq!(kind(&epochs, "q12"), Some(AbsenceKind::CutOff));
    assert_eq!(kind(&epochs, "q05"), Some(AbsenceKind::TooLong));
}

#[test]
fn outputs_of_batches_are_read_with_their_failures_and_what_was_asked() {
    let log = log("openai_chat_output.jsonl");
    assert_eq!(log.answers.len(), 8, "six outputs and two failures");
    assert_eq!(about(&log, "sum-2").said.as_deref(), Ok("13"));
    assert_eq!(about(&log, "sum-2").text, "What is 8 + 5?");
    let kinds: BTreeMap<&str, Option<AbsenceKind>> = ["lock-3", "long-4", "bad-7", "late-8"]
        .map(|item| (item, kind(&log, item)))
        .into();
    assert_eq!(kinds["lock-3"], Some(AbsenceKind::Refused));
    assert_eq!(kinds["long-4"], Some(AbsenceKind::CutOff));
    assert_eq!(kinds["bad-7"], Some(AbsenceKind::Failed));
    assert_eq!(kinds["late-8"], Some(AbsenceKind::Failed));
    let responses = self::log("openai_responses_output.jsonl");
    assert_eq!(kind(&responses, "sum-2"), Some(AbsenceKind::CutOff));
    assert_eq!(kind(&responses, "lock-3"), Some(AbsenceKind::Refused));
    let vllm = self::log("vllm_output.jsonl");
    assert_eq!(kind(&vllm, "json-6"), Some(AbsenceKind::TooLong));
    assert_eq!(
        kind(&vllm, "emb-7"),
        Some(AbsenceKind::Failed),
        "an error that is a text"
    );
    assert_eq!(kind(&vllm, "pear-1"), None);
    let input = read(&path("vllm_input.jsonl")).unwrap_err();
    assert!(input.to_string().contains("input of a batch"), "{input}");
}

#[test]
fn a_state_of_helm_has_a_series_for_each_perturbation() {
    let log = log("helm_scenario_state.json");
    assert_eq!(
        log.series().into_iter().collect::<Vec<_>>(),
        ["clean", "typos 0.1"]
    );
    let first = about(&log, "id60");
    assert_eq!(first.choices, ["Even", "Odd"]);
    assert_eq!(first.right, Some(0));
    assert!(
        first.chosen.clone().unwrap().is_err(),
        "`Answer:` is no letter"
    );
}

#[test]
fn what_is_no_log_says_what_would_be() {
    let folder = tempfile::tempdir().unwrap();
    let check = |name: &str, content: &str, expected: &str| {
        let file = folder.path().join(name);
        fs::write(&file, content).unwrap();
        let problem = read(&file).unwrap_err().to_string();
        assert!(problem.contains(expected), "{problem}");
    };
    check("a.jsonl", "{\"id\": 1}\n", "no log that is known");
    check("a.json", "[]", "no log that is known");
    check("a.jsonl", "{\"doc_id\": 0}\n", "no `resps`");
    check("a.jsonl", "{\"doc_id\": \n", "no JSON");
    check("a.eval", "not a zip", "no zip archive");
    check("a.txt", "", "ending");
    check("a.csv", "", "a table is no log");
    check("b.jsonl", "\n\n", "no log that is known");
}

#[test]
fn rows_of_batches_are_told_by_what_became_of_them() {
    let content = |name: &str, id: &str| {
        let rows = read_rows(&path(name)).unwrap();
        let found = rows.into_iter().find(|row| row.id == id);
        found.unwrap().content
    };
    let status = |content: BatchContent| match content {
        BatchContent::Came(status, body) => (status, body.to_string()),
        other => panic!("{other:?}"),
    };
    assert_eq!(content("vllm_input.jsonl", "pear-1"), BatchContent::Asked);
    let (ok, body) = status(content("openai_chat_output.jsonl", "sum-2"));
    assert!(ok == 200 && body.contains("\"13\""), "{body}");
    assert_eq!(
        content("openai_chat_errors.jsonl", "late-8"),
        BatchContent::NotAsked
    );
    assert_eq!(status(content("openai_chat_errors.jsonl", "bad-7")).0, 400);
    let (nested, body) = status(content("vllm_output.jsonl", "json-6"));
    assert!(nested == 400 && body.starts_with("{\"error\":{"), "{body}");
    assert!(body.contains("context length"), "{body}");
    let (plain, body) = status(content("vllm_output.jsonl", "emb-7"));
    assert!(plain >= 400 && body.starts_with("{\"error\":\""), "{body}");
}
