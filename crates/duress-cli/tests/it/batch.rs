//! Language models through files: what is missing is written once, what came back is read as a reply
//! is, and what is wrong with a file is said before anything is run.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use duress_stand_in::{Act, StandIn, chat_reply};
use serde_json::{Value, json};

use crate::endpoint::{Asking, ITEMS, KEY};
use crate::harness::Said;

/// A study that is asked through files, and a server that nobody may ask.
struct Batched {
    asking: Asking,
    server: StandIn,
}

impl Batched {
    fn new(keys: &str) -> Batched {
        let server = StandIn::start(|_| Act::says("nobody should ask"));
        let asking = Asking::new(&server, keys);
        Batched { asking, server }
    }

    fn run(&self, further: &[&str]) -> Said {
        self.asking.run(&[&["--batch", "batch"], further].concat())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.asking.folder.path().join("batch").join(name)
    }

    /// The requests in an input.
    fn input(&self, nth: usize) -> Vec<Value> {
        let text = fs::read_to_string(self.file(&format!("stand-in-{nth}-input.jsonl"))).unwrap();
        let lines = text.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// How many inputs there are.
    fn inputs(&self) -> usize {
        let exists = |nth: &usize| self.file(&format!("stand-in-{nth}-input.jsonl")).exists();
        (1..).take_while(exists).count()
    }

    fn put(&self, name: &str, rows: &[Value]) {
        let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
        fs::write(self.file(name), lines).unwrap();
    }

    /// How many items entered the accuracy without stress.
    fn clean_items(&self) -> usize {
        let findings = self.asking.findings();
        findings["estimates"][0]["items"].as_u64().unwrap() as usize
    }
}

/// What is true about the item of a request.
fn right(asked: &Value) -> &'static str {
    let prompt = asked["body"]["messages"][0]["content"].as_str().unwrap();
    match prompt.contains("wond") || prompt.contains("onderful") {
        true => "positive",
        false => "negative",
    }
}

/// A row as vLLM writes it: every null is there.
fn answered(asked: &Value, body: Value) -> Value {
    json!({
        "id": "vllm-1", "custom_id": asked["custom_id"],
        "response": {"status_code": 200, "request_id": "r", "body": body}, "error": null,
    })
}

/// A row as OpenAI writes it of a request that it had no time for.
fn expired(asked: &Value) -> Value {
    json!({
        "id": "b", "custom_id": asked["custom_id"], "response": null,
        "error": {"code": "batch_expired", "message": "This request could not be executed in time."},
    })
}

fn rightly(asked: &Value) -> Value {
    answered(asked, chat_reply(right(asked)))
}

fn ids(rows: &[Value]) -> Vec<String> {
    let id = |row: &Value| row["custom_id"].as_str().unwrap().to_string();
    rows.iter().map(id).collect()
}

#[test]
fn a_study_goes_out_in_a_file_and_comes_back_in_another() {
    let batched = Batched::new("max-tokens = 4\nbody = { user = \"me\" }");
    let first = batched.run(&[]);
    assert_eq!(first.code, Some(3), "{}{}", first.out, first.complaint);
    let note = "stand-in-1-input.jsonl: 24 requests written, without key and headers";
    assert!(first.complaint.contains(note), "{}", first.complaint);
    let asked = batched.input(1);
    assert_eq!(asked.len(), 2 * ITEMS);
    assert_eq!(
        (&asked[0]["method"], &asked[0]["url"]),
        (&json!("POST"), &json!("/v1/chat/completions"))
    );
    assert_eq!(
        (&asked[0]["body"]["max_tokens"], &asked[0]["body"]["user"]),
        (&json!(4), &json!("me"))
    );
    let ids: BTreeSet<&str> = asked
        .iter()
        .map(|row| row["custom_id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), asked.len());
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    assert!(
        ids.iter().all(|id| id.len() <= 64 && id.chars().all(plain)),
        "{ids:?}"
    );
    let mut rows: Vec<Value> = asked.iter().map(rightly).collect();
    rows.reverse();
    batched.put("whatever.jsonl", &rows);
    let second = batched.run(&[]);
    assert_eq!(second.code, Some(0), "{}{}", second.out, second.complaint);
    let clean = &batched.asking.findings()["estimates"][0];
    assert_eq!(
        (&clean["items"], &clean["value"]["value"]),
        (&json!(ITEMS), &json!(1.0))
    );
    assert_eq!(batched.run(&[]).code, Some(0));
    assert!(!batched.file("stand-in-2-input.jsonl").exists());
    assert!(batched.server.seen().is_empty(), "somebody was asked");
}

#[test]
fn what_waits_for_its_output_is_not_written_twice() {
    let batched = Batched::new("");
    assert_eq!(batched.run(&[]).code, Some(3));
    let again = batched.run(&[]);
    assert_eq!(again.code, Some(3));
    assert!(
        again.complaint.contains("24 requests without an output"),
        "{}",
        again.complaint
    );
    assert!(!batched.file("stand-in-2-input.jsonl").exists());
    assert!(again.out.contains("not asked"), "{}", again.out);
}

#[test]
fn rows_that_are_missing_or_ran_out_of_time_go_out_again_and_the_others_are_kept() {
    let batched = Batched::new("");
    batched.run(&[]);
    let asked = batched.input(1);
    let mut rows: Vec<Value> = asked[2..].iter().map(rightly).collect();
    rows.push(expired(&asked[1]));
    batched.put("output.jsonl", &rows);
    let second = batched.run(&[]);
    assert_eq!(second.code, Some(3), "{}{}", second.out, second.complaint);
    assert!(
        second
            .complaint
            .contains("1 request not in its output; written again"),
        "{}",
        second.complaint
    );
    let told = "1 request not answered in time; written again";
    assert!(second.complaint.contains(told), "{}", second.complaint);
    let open: Vec<String> = ids(&batched.input(2));
    let expected = ids(&asked[..2]).into_iter().map(|id| id + "-try-2");
    assert_eq!(open, expected.collect::<Vec<_>>());
    // They wait now: a run before their output has come writes nothing.
    let waiting = batched.run(&[]);
    assert_eq!((waiting.code, batched.inputs()), (Some(3), 2));
    let told = "stand-in-2-input.jsonl: 2 requests without an output";
    assert!(waiting.complaint.contains(told), "{}", waiting.complaint);
    let rest: Vec<Value> = batched.input(2).iter().map(rightly).collect();
    batched.put("output-2.jsonl", &rest);
    let third = batched.run(&[]);
    assert_eq!(third.code, Some(0), "{}{}", third.out, third.complaint);
    assert_eq!(batched.clean_items(), ITEMS);
}

#[test]
fn requests_that_ran_out_of_time_twice_go_out_a_third_time_and_once_each() {
    let batched = Batched::new("");
    batched.run(&[]);
    for nth in 1..=2 {
        let rows: Vec<Value> = batched.input(nth).iter().map(expired).collect();
        batched.put(&format!("output-{nth}.jsonl"), &rows);
        for _ in 0..2 {
            assert_eq!(batched.run(&[]).code, Some(3));
            assert_eq!(batched.inputs(), nth + 1, "written once, then waited for");
        }
    }
    // The first output comes after all, beside the third: whichever has a reply is read.
    let asked = batched.input(1);
    let first: Vec<Value> = asked[..20].iter().map(rightly).collect();
    batched.put("late.jsonl", &first);
    let rest: Vec<Value> = batched.input(3)[20..].iter().map(rightly).collect();
    batched.put("output-3.jsonl", &rest);
    let end = batched.run(&[]);
    assert_eq!(end.code, Some(0), "{}{}", end.out, end.complaint);
    assert_eq!(batched.clean_items(), ITEMS);
}

#[test]
fn errors_in_rows_are_absent_answers_of_their_kind_and_retry_writes_what_failed_again() {
    let batched = Batched::new("");
    batched.run(&[]);
    let asked = batched.input(1);
    let mut rows: Vec<Value> = asked.iter().map(rightly).collect();
    // As vLLM writes them: an object inside another, and a plain text; and as OpenAI does.
    let failed = |row: usize, response: Value, error: Value| json!({"custom_id": asked[row]["custom_id"], "response": response, "error": error});
    let too_long = json!({"error": {"message": "maximum context length is 8192", "code": 400}});
    rows[0] = failed(0, json!({"status_code": 400, "body": null}), too_long);
    rows[1] = failed(1, Value::Null, json!("the engine is dead"));
    let refused = json!({"error": {"message": "no such key", "type": "invalid_request_error"}});
    rows[2] = failed(2, json!({"status_code": 400, "body": refused}), Value::Null);
    batched.put("output.jsonl", &rows);
    let second = batched.run(&[]);
    assert_eq!(second.code, Some(0), "{}{}", second.out, second.complaint);
    let kinds = batched.asking.findings()["absences"].to_string();
    assert!(
        kinds.contains("\"too-long\":1") && kinds.contains("\"failed\":2"),
        "{kinds}"
    );
    assert_eq!(batched.run(&[]).code, Some(0));
    assert_eq!(
        batched.inputs(),
        1,
        "without `--retry` nothing is asked again"
    );
    let third = batched.run(&["--retry"]);
    assert_eq!(third.code, Some(3), "{}{}", third.out, third.complaint);
    assert!(
        third.out.contains("their answers of before stand"),
        "{}",
        third.out
    );
    let told = "stand-in-1-input.jsonl: 2 requests failed; written again";
    assert!(third.complaint.contains(told), "{}", third.complaint);
    assert_eq!(batched.input(2).len(), 2, "what is too long stays so");
    assert_eq!(batched.run(&["--retry"]).code, Some(3));
    assert_eq!(batched.inputs(), 2, "it waits");
    let rest: Vec<Value> = batched.input(2).iter().map(rightly).collect();
    batched.put("output-2.jsonl", &rest);
    assert_eq!(batched.run(&["--retry"]).code, Some(0));
    let kinds = batched.asking.findings()["absences"].to_string();
    assert!(
        kinds.contains("\"too-long\":1") && !kinds.contains("failed"),
        "{kinds}"
    );
}

#[test]
fn a_reply_that_cannot_be_read_goes_out_once_more_with_what_is_wrong() {
    let batched = Batched::new("");
    let drafted = ["init", "endpoint", "--out", "drafted.toml"];
    assert_eq!(batched.asking.end(&drafted).code, Some(0));
    let path = batched.asking.folder.path().join("drafted.toml");
    let study = fs::read_to_string(&path).unwrap();
    fs::write(&path, study.replace("\"local\"", "\"stand-in\"")).unwrap();
    let run = || {
        let run = ["run", "drafted.toml", "--out", "run", "--batch", "batch"];
        batched.asking.end(&run)
    };
    let first = run();
    assert_eq!(first.code, Some(3), "{}{}", first.out, first.complaint);
    let said = |asked: &Value, text: &str| answered(asked, chat_reply(text));
    let asked = batched.input(1);
    let rows = asked.iter().map(|asked| said(asked, "four of five"));
    batched.put("output.jsonl", &rows.collect::<Vec<_>>());
    assert_eq!(run().code, Some(3));
    let repairs = batched.input(2);
    assert_eq!(repairs.len(), asked.len());
    let messages = |row: &Value| row["body"]["messages"].as_array().unwrap().len();
    assert_eq!(messages(&repairs[0]), messages(&asked[0]) + 2);
    let named = repairs[0]["custom_id"].as_str().unwrap();
    assert!(named.ends_with("-repair"), "{named}");
    let rows = repairs
        .iter()
        .map(|asked| said(asked, "{\"T\": 90, \"B\": 80}"));
    batched.put("output-2.jsonl", &rows.collect::<Vec<_>>());
    let third = run();
    assert_eq!(third.code, Some(0), "{}{}", third.out, third.complaint);
    let absent = batched.asking.findings()["absences"].to_string();
    assert!(!absent.contains("unparsable"), "{absent}");
}

#[test]
fn another_model_than_was_asked_for_is_said() {
    let batched = Batched::new("");
    batched.run(&[]);
    let other = |asked: &Value| {
        let mut reply = chat_reply(right(asked));
        reply["model"] = json!("another-model");
        answered(asked, reply)
    };
    let rows: Vec<Value> = batched.input(1).iter().map(other).collect();
    batched.put("output.jsonl", &rows);
    assert_eq!(batched.run(&[]).code, Some(0));
    let caveats = batched.asking.findings()["caveats"].to_string();
    assert!(caveats.contains("another-model"), "{caveats}");
}

#[test]
fn what_is_wrong_with_files_is_said_with_file_and_line_before_anything_is_run() {
    let batched = Batched::new("");
    batched.run(&[]);
    let asked = batched.input(1);
    let good: Vec<Value> = asked.iter().map(rightly).collect();
    let check = |rows: &[Value], expected: &[&str]| {
        batched.put("output.jsonl", rows);
        let end = batched.run(&[]);
        assert_eq!(end.code, Some(2), "{}{}", end.out, end.complaint);
        for words in expected {
            assert!(end.complaint.contains(words), "{words}: {}", end.complaint);
        }
    };
    let mut strange = good.clone();
    strange[3]["custom_id"] = json!("request-4");
    let unknown = [
        "output.jsonl:4",
        "\"request-4\" is in no input here",
        "`run --batch` wrote",
    ];
    check(&strange, &unknown);
    let mut twice = good.clone();
    twice.push(answered(&asked[0], chat_reply("who knows?")));
    check(
        &twice,
        &[
            "output.jsonl:25",
            "has another reply in output.jsonl on line 1",
        ],
    );
    check(&[json!({"id": 1})], &["output.jsonl:1", "no `custom_id`"]);
    let mut strange = good.clone();
    strange[1]["response"]["status_code"] = json!(99999);
    check(&strange, &["output.jsonl:2", "`status_code` is 99999"]);
    check(
        &[json!({"custom_id": "a"})],
        &["output.jsonl:1", "neither `method`"],
    );
    fs::write(batched.file("output.jsonl"), "{\"custom_id\": \n").unwrap();
    let end = batched.run(&[]);
    assert_eq!(end.code, Some(2));
    assert!(end.complaint.contains("no JSON"), "{}", end.complaint);
    // The same reply twice is no contradiction.
    let same: Vec<Value> = good.iter().chain(&good).cloned().collect();
    batched.put("output.jsonl", &same);
    assert_eq!(batched.run(&[]).code, Some(0));
}

#[test]
fn two_runs_do_not_use_one_batch_folder_at_once() {
    let batched = Batched::new("");
    let folder = batched.asking.folder.path().join("batch");
    let held = duress::run::BatchLock::take(&folder).unwrap();
    let refused = batched.run(&[]);
    refused.assert_complains(2, &["batch", "another duress is running", "`--batch`"]);
    drop(held);
    assert_eq!(batched.run(&[]).code, Some(3));
    assert_eq!(batched.input(1).len(), 2 * ITEMS);
}

#[test]
fn a_batch_folder_that_cannot_be_written_is_named_before_anything_is_run() {
    let batched = Batched::new("");
    fs::write(batched.asking.folder.path().join("batch"), "no folder").unwrap();
    let refused = batched.run(&[]);
    refused.assert_complains(2, &["batch: it cannot be written", "nothing was run"]);
}

#[test]
fn a_budget_bounds_what_is_written() {
    let batched = Batched::new("budget = { requests = 5 }");
    assert_eq!(batched.run(&[]).code, Some(3));
    assert_eq!(batched.input(1).len(), 5);
}

#[test]
fn no_key_is_in_a_file_and_a_body_with_one_is_not_written() {
    let batched = Batched::new("headers = { x-team = \"env:DURESS_TEST_KEY\" }");
    batched.run(&[]);
    let text = fs::read_to_string(batched.file("stand-in-1-input.jsonl")).unwrap();
    assert!(!text.contains(KEY.1) && !text.contains("x-team"));
    let secret = Batched::new("body = { user = \"env:DURESS_TEST_KEY\" }");
    let end = secret.run(&[]);
    assert_eq!(end.code, Some(3), "{}{}", end.out, end.complaint);
    assert!(!secret.file("stand-in-1-input.jsonl").exists());
    let told = end.out + &end.complaint;
    assert!(told.contains("a batch file must not"), "{told}");
    let messages = Batched::new("wire = \"anthropic\"").run(&[]);
    let told = messages.out + &messages.complaint;
    assert!(
        told.contains("batch files are in OpenAI's format"),
        "{told}"
    );
}
