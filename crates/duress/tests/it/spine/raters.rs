//! Raters that are subjects: readied, asked, failed and resumed like any other.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use duress::plan::{Cell, Plan};
use duress::run::{Event, Folder, Options, Outcome};

use super::{estimate, findings_in, found, parts, planned, planned_at, run_in, run_with, under};

/// Texts under four conditions (clean, and three arrangements with one inversion), rated by `rater`.
fn rated_by(rater: &str) -> String {
    format!(
        "name = \"rated\"\nseeds = [1]\n[dataset.idioms]\nuse = \"idioms\"\n[subject.lookup]\nuse = \"lookup\"\n\
         [ladder.scrambled]\nuse = \"arrangement\"\nseverities = [1]\n[rater.critic]\n{rater}\n\
         [analysis]\ngauges = [\"s-acc\"]\n"
    )
}

fn critic(does: &str, tally: &str) -> String {
    rated_by(&format!(
        "use = \"critic\"\ndoes = \"{does}\"\ntally = \"{tally}\""
    ))
}

fn ratings(plan: &Plan) -> Vec<Cell> {
    let rated = |cell: &Cell| cell.rater.is_some();
    plan.cells().filter(rated).collect()
}

const AGAIN: Options = Options {
    jobs: 2,
    retry: true,
    cache: None,
    batch: None,
};

#[test]
fn a_subject_that_answers_ratings_rates_what_another_said_beside_item_and_reference() {
    let findings = found(&critic("rate", "told"));
    let rated = estimate(&findings, "s-acc", "lookup", &under("scrambled", 1.0));
    assert_eq!(rated.quantity.value.value(), Some(0.5));
    assert_eq!((parts::fitted("told"), parts::asked("told")), (1, 4));
}

#[test]
fn the_judge_that_follows_rules_can_rate_and_says_what_it_lacks() {
    let text =
        rated_by("use = \"rules-judge\"").replace("gauges = [\"s-acc\"]", "gauges = [\"quality\"]");
    let (plan, folder) = (planned(&text), tempfile::tempdir().unwrap());
    assert_eq!(run_in(&plan, folder.path()).answered, 8);
}

#[test]
fn a_rater_that_fails_on_one_cell_fails_it_alone_and_only_that_is_tried_again() {
    let (plan, folder) = (
        planned(&critic("panic-once", "sleepy")),
        tempfile::tempdir().unwrap(),
    );
    let first = run_in(&plan, folder.path());
    assert_eq!((first.answered, first.failed, first.missing), (7, 1, 0));
    let failures = findings_in(&plan, folder.path()).failures;
    assert_eq!(failures[0].failure.to_string(), "crashed: fell asleep");
    let (second, events) = run_with(&plan, folder.path(), &AGAIN);
    assert_eq!((second.answered, second.failed), (8, 0));
    let answered = |event: &&Event| matches!(event, Event::Answered { .. });
    assert_eq!(events.iter().filter(answered).count(), 1);
    // Its checkpoint was taken up.
    assert_eq!((parts::fitted("sleepy"), parts::asked("sleepy")), (1, 5));
}

#[test]
fn a_rater_that_hangs_loses_no_answer_and_no_rating_of_another() {
    let text = critic("hang", "hanging").replace(
        "[analysis]",
        "[rater.words]\nuse = \"lexical\"\n[run]\nlimit = 0.5\n[analysis]",
    );
    let folder = tempfile::tempdir().unwrap();
    let text = own_idioms(folder.path(), &text);
    let (path, run) = (folder.path().join("study.toml"), folder.path().join("run"));
    let plan = Arc::new(planned_at(&path, &text).unwrap());
    let outcome = run_in(&plan, &run);
    assert_eq!((outcome.answered, outcome.failed), (8, 4));
    let findings = findings_in(&plan, &run);
    let whys = findings.failures.iter();
    let whys = whys.map(|failed| failed.failure.to_string());
    assert_eq!(
        HashSet::<String>::from_iter(whys),
        HashSet::from(["timed out: nothing within 0.5 s".to_string()])
    );
}

#[test]
fn a_rater_of_nonsense_fails_with_the_reason() {
    let findings = found(&critic("classes", "nonsense"));
    let whys: Vec<String> = findings
        .failures
        .iter()
        .map(|one| one.failure.to_string())
        .collect();
    let why = "answered nonsense: answered classes when asked for ratings";
    assert_eq!(whys, [why; 4]);
}

#[test]
fn a_rater_has_turns_of_its_own() {
    let (plan, folder) = (
        planned(&critic("one-at-a-time", "alone")),
        tempfile::tempdir().unwrap(),
    );
    let many = Options {
        jobs: 4,
        retry: false,
        cache: None,
        batch: None,
    };
    assert_eq!(run_with(&plan, folder.path(), &many).0.failed, 0);
}

#[test]
fn what_is_not_answered_is_not_rated_for_the_same_reason() {
    let text = rated_by("use = \"critic\"\ntally = \"idle\"").replace(
        "use = \"lookup\"",
        "use = \"command\"\ncommand = [\"false\"]\naccepts = \"texts\"\nanswers = \"text\"\nrestarts = 0",
    );
    let (plan, folder) = (planned(&text), tempfile::tempdir().unwrap());
    assert_eq!(run_in(&plan, folder.path()).failed, 8);
    let findings = findings_in(&plan, folder.path());
    let failures = &findings.failures;
    assert!(
        failures
            .iter()
            .all(|failed| failed.failure == failures[0].failure)
    );
    assert_eq!(parts::asked("idle"), 0);
    // An answer that failed is one failure, whoever would have rated it.
    let cells = &findings.cells;
    assert_eq!((cells.planned, cells.failed, failures.len()), (4, 4, 4));
    let mut said = findings.caveats.iter().map(|one| one.doubt.to_string());
    assert!(said.any(|text| text.contains("4 cells have no answers")));
}

/// A run that its critic stops.
fn stopped_run(plan: &Arc<Plan>, folder: &Path) -> Outcome {
    let folder = Folder::take(folder, plan).unwrap();
    let options = Options {
        jobs: 1,
        retry: false,
        cache: None,
        batch: None,
    };
    let ledger = folder.ledger().unwrap();
    duress::run::run(plan, &ledger, &options, &|_| {}, &parts::STOP).unwrap()
}

#[test]
fn a_run_that_was_stopped_rates_only_what_is_missing() {
    let (plan, folder) = (
        planned(&critic("stop-at-the-second", "stopped critic")),
        tempfile::tempdir().unwrap(),
    );
    // Four answers, and then two of their four ratings.
    let first = stopped_run(&plan, folder.path());
    assert_eq!((first.answered, first.missing), (6, 2));
    let (second, events) = run_with(&plan, folder.path(), &AGAIN);
    assert_eq!(second.answered, 8);
    assert_eq!(parts::asked("stopped critic"), 4);
    let prepared =
        |event: &&Event| matches!(event, Event::Prepared { subject, .. } if subject != "critic");
    // What is rated is there: its subject need not even be readied.
    assert_eq!(events.iter().filter(prepared).count(), 0);
}

#[test]
fn a_rater_that_learns_is_fitted_on_what_it_says() {
    let learns = "use = \"critic\"\nlearns = true\ntally = \"taught\"";
    let findings = found(&rated_by(&format!("{learns}\non = \"idioms\"")));
    assert_eq!(findings.cells.failed, 0);
    assert_eq!(parts::fitted("taught"), 1);
    // The only dataset goes without saying.
    assert_eq!(found(&rated_by(learns)).cells.failed, 0);
}

/// The same study about three idioms, in a table in `folder`.
fn own_idioms(folder: &Path, text: &str) -> String {
    let three = "idiom,explanation\n一心一意,wholehearted\n半途而废,to give up halfway\n画蛇添足,to overdo it\n";
    fs::write(folder.join("own.csv"), three).unwrap();
    text.replace("use = \"idioms\"", "use = \"idioms\"\nfile = \"own.csv\"")
}

/// Rates every text so, one by one, and knows the protocol only as far as that.
fn judge(rating: f64) -> String {
    format!(
        "read -r hello\nprintf '{{\"hello\":1,\"dimensions\":[\"s-acc\"]}}\\n'\n\
         while read -r line; do\n\
         id=$(printf '%s' \"$line\" | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/')\n\
         case \"$line\" in *'\"reference\"'*) ;; *) exit 3;; esac\n\
         printf '{{\"id\":%s,\"ratings\":[[{rating}]]}}\\n' \"$id\"\ndone\n"
    )
}

#[test]
fn a_process_rates_and_another_script_is_another_rater() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("judge.sh");
    let text = own_idioms(
        folder.path(),
        &rated_by(
            "use = \"command\"\ncommand = [\"sh\", \"judge.sh\"]\naccepts = \"texts\"\nanswers = \"ratings\"\nbatch = 1",
        ),
    );
    let plan = || Arc::new(planned_at(&folder.path().join("study.toml"), &text).unwrap());
    let s_acc = |plan: &Plan| {
        let findings = findings_in(plan, &folder.path().join("run"));
        let clean = estimate(&findings, "s-acc", "lookup", &under("scrambled", 0.0));
        clean.quantity.value.value()
    };

    fs::write(&script, judge(0.25)).unwrap();
    let first = plan();
    let outcome = run_in(&first, &folder.path().join("run"));
    assert_eq!(
        (outcome.answered, outcome.failed),
        (8, 0),
        "{:?}",
        findings_in(&first, &folder.path().join("run")).failures
    );
    assert_eq!(s_acc(&first), Some(0.25));

    fs::write(&script, judge(0.75)).unwrap();
    let second = plan();
    let ids = |plan: &Plan, rated: bool| -> Vec<String> {
        let cells = plan.cells().filter(|cell| cell.rater.is_some() == rated);
        cells.map(|cell| plan.id(cell).to_string()).collect()
    };
    assert_eq!(ids(&first, false), ids(&second, false));
    let both: HashSet<String> = [&first, &second]
        .into_iter()
        .flat_map(|plan| ids(plan, true))
        .collect();
    assert_eq!(both.len(), 8);
    let (again, events) = run_with(&second, &folder.path().join("run"), &AGAIN);
    assert_eq!((again.answered, again.failed), (8, 0));
    let answered = |event: &&Event| matches!(event, Event::Answered { .. });
    assert_eq!(events.iter().filter(answered).count(), 4);
    assert_eq!(s_acc(&second), Some(0.75));
}

#[test]
fn the_files_of_a_rater_are_found_again_in_the_kept_plan() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("judge.sh"), judge(0.5)).unwrap();
    let text = rated_by(
        "use = \"command\"\ncommand = [\"sh\", \"judge.sh\"]\naccepts = \"texts\"\nanswers = \"ratings\"",
    );
    let path = folder.path().join("study.toml");
    let plan = planned_at(&path, &text).unwrap();
    let axes = serde_json::from_value(serde_json::to_value(plan.axes()).unwrap()).unwrap();
    fs::remove_file(folder.path().join("judge.sh")).unwrap();
    let registry = parts::registry();
    let study = duress::study::Study::parse(&path, &text, &registry).unwrap();
    let reopened = duress::plan::reopen(study, &registry, &axes).unwrap();
    let ids = |plan: &Plan| -> Vec<_> {
        ratings(plan)
            .into_iter()
            .map(|cell| plan.id(cell))
            .collect()
    };
    assert_eq!(ids(&reopened), ids(&plan));
}

#[test]
fn what_cannot_rate_is_refused_and_both_kinds_that_can_are_named() {
    let check = |rater: &str, says: &str| {
        let Err(rejected) = planned_at(Path::new("study.toml"), &rated_by(rater)) else {
            panic!("{rater} was accepted")
        };
        let all = format!("{rejected:?}");
        assert!(all.contains(says), "{rater}: {all}");
    };
    let both = "a rater, or a subject that answers ratings about texts";
    check(
        "use = \"lookup\"",
        "subject `lookup` does not answer ratings",
    );
    check("use = \"lookup\"", both);
    check("use = \"accuracy\"", "`accuracy` is a gauge, not a rater");
    check("use = \"accuracy\"", both);
    check("use = \"lexica\"", "lexical");
    check("use = \"rules-judg\"", "rules-judge");
    let command = "use = \"command\"\ncommand = [\"true\"]\n";
    let text = format!("{command}accepts = \"texts\"\nanswers = \"text\"");
    check(&text, "subject `command` answers text");
    check(&text, both);
    let images = format!("{command}accepts = \"images\"\nanswers = \"ratings\"");
    check(&images, "subject `command` accepts images");
    check("use = \"critic\"\non = \"idioms\"", "learns nothing");
    check("use = \"lexical\"\non = \"idiom\"", "idioms");
}

#[test]
fn the_schema_lists_what_may_rate() {
    let schema = duress::study::schema::schema(&parts::registry());
    let listed = &schema["properties"]["rater"]["additionalProperties"]["oneOf"];
    let used: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["properties"]["use"]["const"].as_str().unwrap())
        .collect();
    for may in [
        "lexical",
        "recovery",
        "graph-likelihood",
        "command",
        "rules-judge",
        "critic",
    ] {
        assert!(used.contains(&may), "{may} in {used:?}");
    }
    assert!(
        !used.contains(&"lookup") && !used.contains(&"actor"),
        "{used:?}"
    );
}
