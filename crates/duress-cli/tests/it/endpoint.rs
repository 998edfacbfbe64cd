//! Language models through the command: nothing that was paid for is lost, only what is missing is
//! asked again, and no key is written anywhere.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::process::{Child, Command, Stdio};

use duress_stand_in::{Act, Asked, StandIn};
use serde_json::Value;

use crate::harness::{Said, duress_in, files, said};

/// The variable with the key, and the key, which is nobody's.
pub(crate) const KEY: (&str, &str) = ("DURESS_TEST_KEY", "not-a-real-key-4711-4711");

/// So many items, each asked about clean and misspelt.
pub(crate) const ITEMS: usize = 12;

/// A study of texts with classes, and its table.
pub(crate) struct Asking {
    pub(crate) folder: tempfile::TempDir,
}

impl Asking {
    pub(crate) fn new(server: &StandIn, keys: &str) -> Asking {
        let folder = tempfile::tempdir().unwrap();
        let row = |i: usize| {
            let (label, word) = [("negative", "dreadful"), ("positive", "wonderful")][i % 2];
            format!("{i},The {word} evening number {i} happened beside the harbour,{label}\n")
        };
        let rows: String = (0..ITEMS).map(row).collect();
        fs::write(
            folder.path().join("films.csv"),
            format!("id,text,label\n{rows}"),
        )
        .unwrap();
        let asking = Asking { folder };
        asking.write_study(server, keys);
        asking
    }

    pub(crate) fn write_study(&self, server: &StandIn, keys: &str) {
        let study = format!(
            r#"name = "asked"
seeds = [1]
[dataset.films]
use = "labelled"
file = "films.csv"
text = "text"
[subject.model]
use = "endpoint"
on = "films"
base-url = "{}"
model = "stand-in"
key-env = "{}"
answers = "classes"
classes = ["negative", "positive"]
first-wait = 0.001
{keys}
[ladder.spelling]
use = "inject-spelling"
severities = [1]
[analysis]
gauges = ["accuracy"]
units = "items"
"#,
            server.base(),
            KEY.0
        );
        fs::write(self.folder.path().join("study.toml"), study).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = duress_in(self.folder.path(), args);
        command.env(KEY.0, KEY.1);
        command
    }

    pub(crate) fn end(&self, args: &[&str]) -> Said {
        said(self.command(args).output().unwrap())
    }

    pub(crate) fn run(&self, further: &[&str]) -> Said {
        self.end(&[&["run", "study.toml", "--out", "run"], further].concat())
    }

    fn begin(&self) -> Child {
        let mut command = self.command(&["run", "study.toml", "--out", "run"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    }

    pub(crate) fn findings(&self) -> Value {
        let findings = fs::read(self.folder.path().join("run/5-findings.json")).unwrap();
        serde_json::from_slice(&findings).unwrap()
    }
}

/// Says what is true.
fn right(asked: &Asked) -> Act {
    match asked.prompt().contains("onderful") || asked.prompt().contains("wond") {
        true => Act::says("positive"),
        false => Act::says("negative"),
    }
}

/// How often each prompt was asked.
fn times(server: &StandIn) -> BTreeMap<String, usize> {
    let mut times = BTreeMap::new();
    for asked in server.seen() {
        *times.entry(asked.prompt().to_string()).or_default() += 1;
    }
    times
}

#[test]
fn a_run_asks_each_item_once_and_a_second_run_nobody() {
    let server = StandIn::start(right);
    let asking = Asking::new(&server, "");
    let first = asking.run(&[]);
    assert_eq!(first.code, Some(0), "{}{}", first.out, first.complaint);
    assert_eq!(server.seen().len(), 2 * ITEMS);
    assert_eq!(asking.run(&[]).code, Some(0));
    assert_eq!(server.seen().len(), 2 * ITEMS);
    let clean = &asking.findings()["estimates"][0];
    assert_eq!(
        (&clean["gauge"], &clean["items"]),
        (&"accuracy".into(), &ITEMS.into())
    );
    assert_eq!(clean["value"]["value"], 1.0, "{clean}");
}

#[test]
fn after_kill_9_only_what_was_in_flight_is_asked_again() {
    let server = StandIn::start(|asked| right(asked).after(40));
    let asking = Asking::new(&server, "in-flight = 2");
    let mut child = asking.begin();
    server.wait_for(8);
    child.kill().unwrap();
    child.wait().unwrap();
    let end = asking.run(&[]);
    assert_eq!(end.code, Some(0), "{}{}", end.out, end.complaint);
    let times = times(&server);
    assert_eq!(times.len(), 2 * ITEMS);
    let twice = times.values().filter(|times| **times > 1).count();
    assert!(twice <= 3, "{twice} were asked twice: {times:?}");
}

#[test]
fn ctrl_c_hands_out_no_more_and_keeps_what_is_in_flight() {
    let server = StandIn::start(|asked| right(asked).after(40));
    let asking = Asking::new(&server, "in-flight = 2");
    let child = asking.begin();
    server.wait_for(6);
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(server.seen().len() < 2 * ITEMS);
    assert_eq!(asking.run(&[]).code, Some(0));
    let times = times(&server);
    assert_eq!(times.len(), 2 * ITEMS);
    assert!(times.values().all(|times| *times == 1), "{times:?}");
}

#[test]
fn a_spent_budget_keeps_what_was_paid_for_and_a_larger_one_goes_on() {
    let server = StandIn::start(right);
    let asking = Asking::new(&server, "in-flight = 1\nbudget = { requests = 5 }");
    let first = asking.run(&[]);
    assert_eq!(first.code, Some(3), "{}{}", first.out, first.complaint);
    assert_eq!(server.seen().len(), 5);
    asking.write_study(&server, "in-flight = 4\nbudget = { requests = 100 }");
    let second = asking.run(&[]);
    assert_eq!(second.code, Some(0), "{}{}", second.out, second.complaint);
    let times = times(&server);
    assert!(times.values().all(|times| *times == 1), "{times:?}");
}

#[test]
fn items_that_failed_are_counted_and_asked_again_with_retry() {
    let server = StandIn::start(|asked| match asked.number < 2 {
        true => Act::error(500, "broken"),
        false => right(asked),
    });
    let asking = Asking::new(&server, "in-flight = 1\nretries = 0");
    let first = asking.run(&[]);
    assert_eq!(first.code, Some(0), "{}{}", first.out, first.complaint);
    assert_eq!(server.seen().len(), 2 * ITEMS);
    let items = |findings: &Value| findings["estimates"][0]["items"].as_u64().unwrap() as usize;
    assert_eq!(items(&asking.findings()), ITEMS - 2);
    assert_eq!(asking.run(&["--retry"]).code, Some(0));
    assert_eq!(server.seen().len(), 2 * ITEMS + 2);
    assert_eq!(items(&asking.findings()), ITEMS);
}

#[test]
fn kinds_of_absent_answers_are_counted() {
    let server = StandIn::start(|asked| match asked.number {
        0 => Act::says(""),
        1 => Act::says("I would rather not say."),
        _ => right(asked),
    });
    let asking = Asking::new(&server, "in-flight = 1");
    let end = asking.run(&[]);
    assert_eq!(end.code, Some(0), "{}{}", end.out, end.complaint);
    let caveats = asking.findings()["caveats"].to_string();
    assert!(
        caveats.contains("clean 1 empty, 1 unparsable of 12"),
        "{caveats}"
    );
    let absences = &asking.findings()["absences"][0];
    assert_eq!(
        (&absences["asked"], &absences["kinds"]["empty"]),
        (&ITEMS.into(), &1.into())
    );
    let table = fs::read_to_string(asking.folder.path().join("run/6-report/tables/absent.csv"));
    assert!(table.unwrap().contains(",unparsable,1,12"));
    let page = fs::read_to_string(asking.folder.path().join("run/6-report/index.html")).unwrap();
    let section = page.split_once("<section id=\"absent\">").unwrap().1;
    let section = section.split_once("</section>").unwrap().0;
    for words in [
        "clean",
        "asked",
        "answered",
        "empty",
        "unparsable",
        ">12<",
        ">10<",
    ] {
        assert!(section.contains(words), "{words}: {section}");
    }
    assert!(
        !section.contains("refused"),
        "a kind that does not occur: {section}"
    );
}

#[test]
fn a_cache_serves_another_run_and_asks_nobody() {
    let server = StandIn::start(right);
    let asking = Asking::new(&server, "");
    assert_eq!(asking.run(&["--cache", "kept"]).code, Some(0));
    let again = asking.end(&["run", "study.toml", "--out", "other", "--cache", "kept"]);
    assert_eq!(again.code, Some(0), "{}{}", again.out, again.complaint);
    assert_eq!(server.seen().len(), 2 * ITEMS);
}

#[test]
fn check_says_what_a_run_costs_and_asks_nobody() {
    let server = StandIn::start(right);
    let asking = Asking::new(
        &server,
        "max-tokens = 4\nprice = { input = 1.0, output = 2.0 }",
    );
    let checked = asking.end(&["check", "study.toml"]);
    assert_eq!(
        checked.code,
        Some(0),
        "{}{}",
        checked.out,
        checked.complaint
    );
    assert!(
        checked.out.contains("model: 24 calls, about "),
        "{}",
        checked.out
    );
    assert!(
        checked.out.contains("at most 96 written, at most 0.00 at"),
        "{}",
        checked.out
    );
    assert!(server.seen().is_empty());
}

#[test]
fn a_key_that_stands_in_a_study_is_refused_and_not_repeated() {
    let server = StandIn::start(right);
    let asking = Asking::new(&server, "");
    // Spelled in halves, so that no search for keys finds this file.
    let key = format!("{}-{}", "sk", "a1B2c3D4e5F6g7H8i9J0");
    asking.write_study(&server, &format!("body = {{ user = \"{key}\" }}"));
    for verb in ["check", "run"] {
        let end = asking.end(&[verb, "study.toml"]);
        let told = end.out + &end.complaint;
        assert_eq!(end.code, Some(2), "{told}");
        assert!(told.contains("looks like the key of a service"), "{told}");
        assert!(!told.contains("a1B2c3D4"), "{told}");
    }
}

#[test]
fn a_key_that_is_sent_and_sent_back_is_in_no_output() {
    let server = StandIn::start(|asked| {
        let key = asked
            .header("authorization")
            .unwrap_or_default()
            .to_string();
        match asked.number % 4 {
            0 => Act::says(&format!("positive, and your key is {key}")),
            1 => Act::error(400, &format!("bad key {key}")),
            2 => Act::Reply(200, Vec::new(), format!("<html>{key}").into_bytes()),
            _ => Act::says(&key),
        }
    });
    let keys = "retries = 0\nstop-after = 1000\nheaders = { x-team = \"env:DURESS_TEST_KEY\" }";
    let asking = Asking::new(&server, keys);
    let end = asking.run(&["--cache", "kept"]);
    let told = end.out + &end.complaint;
    assert!(server.seen().iter().all(|asked| {
        asked.header("x-team") == Some(KEY.1) && asked.header("authorization").is_some()
    }));
    assert!(!told.contains(KEY.1), "{told}");
    let answers = asking.end(&["report", "run", "--answers", "answers.csv"]);
    assert!(!(answers.out + &answers.complaint).contains(KEY.1));
    let written = files(asking.folder.path());
    assert!(written.len() > 10);
    for file in written {
        let bytes = fs::read(&file).unwrap();
        let found = bytes
            .windows(KEY.1.len())
            .any(|some| some == KEY.1.as_bytes());
        assert!(!found, "the key is in {}", file.display());
    }
}

#[test]
fn what_init_drafts_runs_once_its_address_is_right() {
    let server = StandIn::start(|asked| match asked.prompt().len() % 2 {
        0 => Act::says("{\"T\": 90, \"B\": 80}"),
        _ => Act::says("```json\n{\"T\": 70, \"B\": 80}\n```"),
    });
    let asking = Asking::new(&server, "");
    let drafted = asking.end(&["init", "endpoint", "--out", "drafted.toml"]);
    assert_eq!(
        drafted.code,
        Some(0),
        "{}{}",
        drafted.out,
        drafted.complaint
    );
    let path = asking.folder.path().join("drafted.toml");
    let study = fs::read_to_string(&path).unwrap();
    let address = "http://127.0.0.1:8080/v1";
    assert!(study.contains(address));
    fs::write(&path, study.replace(address, &server.base())).unwrap();
    assert_eq!(asking.end(&["check", "drafted.toml"]).code, Some(0));
    let end = asking.end(&["run", "drafted.toml", "--out", "run"]);
    assert_eq!(end.code, Some(0), "{}{}", end.out, end.complaint);
    assert_eq!(server.seen().len(), 3 * 24);
}

#[test]
fn texts_can_be_kept_out_of_findings_and_report() {
    let server = StandIn::start(right);
    let asking = Asking::new(&server, "");
    let path = asking.folder.path().join("study.toml");
    let study = fs::read_to_string(&path).unwrap() + "[report]\ntexts = \"hide\"\n";
    fs::write(&path, study).unwrap();
    assert_eq!(asking.run(&[]).code, Some(0));
    let shown = asking.findings()["exhibits"].to_string();
    assert!(!shown.contains("harbour"), "{shown}");
    for file in files(&asking.folder.path().join("run/6-report")) {
        let text = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
        assert!(!text.contains("harbour"), "{}", file.display());
    }
}

#[test]
fn a_claim_on_a_place_with_too_many_absent_answers_is_undecided() {
    let server = StandIn::start(|asked| match asked.number % 3 {
        0 => Act::says(""),
        _ => right(asked),
    });
    let asking = Asking::new(&server, "in-flight = 1");
    let path = asking.folder.path().join("study.toml");
    let claim = "[[claim]]\nname = \"good\"\ngauge = \"accuracy\"\nof = \"model\"\nside = \"greater\"\nmargin = 0.1\n";
    let study = fs::read_to_string(&path).unwrap();
    fs::write(&path, study.clone() + claim).unwrap();
    let end = asking.run(&[]);
    assert_eq!(end.code, Some(0), "{}{}", end.out, end.complaint);
    let judged = |findings: Value| {
        let claim = &findings["claims"][0];
        (
            claim["verdict"].as_str().unwrap().to_string(),
            claim["why"].to_string(),
        )
    };
    let (verdict, why) = judged(asking.findings());
    assert_eq!(verdict, "undecided", "{why}");
    assert!(why.contains("too many answers are absent"), "{why}");
    let allowed = study.replace(
        "units = \"items\"",
        "units = \"items\"\nabsent-at-most = 0.5",
    );
    fs::write(&path, allowed + claim).unwrap();
    assert_eq!(asking.run(&[]).code, Some(0));
    assert_eq!(judged(asking.findings()).0, "upheld");
}

#[test]
fn repeats_that_were_kept_are_not_asked_again_after_kill_9() {
    let server = StandIn::start(|asked| right(asked).after(20));
    let asking = Asking::new(&server, "in-flight = 2\nrepeats = 3");
    let mut child = asking.begin();
    server.wait_for(10);
    child.kill().unwrap();
    child.wait().unwrap();
    let end = asking.run(&[]);
    assert_eq!(end.code, Some(0), "{}{}", end.out, end.complaint);
    let all = 2 * ITEMS * 3;
    let asked = server.seen().len();
    assert!((all..=all + 3).contains(&asked), "{asked} of {all}");
}

#[test]
fn a_cache_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let server = StandIn::start(right);
    let asking = Asking::new(&server, "");
    assert_eq!(asking.run(&["--cache", "kept"]).code, Some(0));
    let mode = fs::metadata(asking.folder.path().join("kept"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_server_that_dies_loses_nothing_and_running_again_goes_on() {
    let dead = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let is_dead = std::sync::Arc::clone(&dead);
    let server = StandIn::start(move |asked| match asked.number {
        7.. if is_dead.load(std::sync::atomic::Ordering::Relaxed) => Act::HangUp,
        _ => right(asked),
    });
    dead.store(true, std::sync::atomic::Ordering::Relaxed);
    let asking = Asking::new(&server, "in-flight = 1\nretries = 0\nstop-after = 2");
    let first = asking.run(&[]);
    assert_eq!(first.code, Some(3), "{}{}", first.out, first.complaint);
    assert!((first.out + &first.complaint).contains("given up after 2 failures in a row"));
    dead.store(false, std::sync::atomic::Ordering::Relaxed);
    let before = server.seen().len();
    let second = asking.run(&[]);
    assert_eq!(second.code, Some(0), "{}{}", second.out, second.complaint);
    assert_eq!(server.seen().len() - before, 2 * ITEMS - 7);
}

#[test]
fn once_the_key_is_set_running_again_asks() {
    let server = StandIn::start(right);
    let asking = Asking::new(&server, "");
    let mut command = asking.command(&["run", "study.toml", "--out", "run"]);
    let unset = said(command.env_remove(KEY.0).output().unwrap());
    assert_eq!(unset.code, Some(3), "{}{}", unset.out, unset.complaint);
    for words in [
        "DURESS_TEST_KEY is not set",
        "Running again asks what was not asked",
    ] {
        assert!(unset.out.contains(words), "{words}: {}", unset.out);
    }
    let end = asking.run(&[]);
    assert_eq!(end.code, Some(0), "{}{}", end.out, end.complaint);
    assert_eq!(server.seen().len(), 2 * ITEMS);
}

#[test]
fn a_rating_outside_its_range_is_asked_for_once_more_and_then_is_none() {
    let server = StandIn::start(|asked| match asked.number % 3 {
        0 => Act::says("{\"T\": 5000, \"B\": 50}"),
        _ => Act::says("{\"T\": 50, \"B\": 50}"),
    });
    let asking = Asking::new(&server, "");
    let drafted = ["init", "endpoint", "--out", "drafted.toml"];
    assert_eq!(asking.end(&drafted).code, Some(0));
    let path = asking.folder.path().join("drafted.toml");
    let study = fs::read_to_string(&path).unwrap();
    let study = study.replace("http://127.0.0.1:8080/v1", &server.base());
    let run = |study: &str, out: &str| {
        fs::write(&path, study).unwrap();
        let end = asking.end(&["run", "drafted.toml", "--out", out]);
        let findings = fs::read(asking.folder.path().join(out).join("5-findings.json")).unwrap();
        let findings: Value = serde_json::from_slice(&findings).unwrap();
        (end, findings)
    };
    let (end, findings) = run(&study, "run");
    assert_eq!(end.code, Some(0), "{}{}", end.out, end.complaint);
    assert!(server.seen().len() > 72, "some were asked for once more");
    assert_eq!(findings["estimates"][0]["value"]["value"], 50.0);
    // Where the study does not say so, it is a rating, and no quality.
    let (_, findings) = run(&study.replace("range = [0, 100]", ""), "run-2");
    let value = findings["estimates"][0]["value"].to_string();
    assert!(value.contains("ratings lie outside 0 to 100"), "{value}");
}
