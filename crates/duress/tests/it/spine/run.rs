//! The run: trouble stays in its cell, threads change nothing, and nothing is asked twice.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use duress::ledger::Ledger;
use duress::run::{Event, Folder, Options, Outcome};
use duress_core::subject::FailureKind;
use duress_findings::{AbsenceReason, Doubt, Findings, Under};

use super::{estimate, findings_in, found, name, parts, planned, run_in, run_with, small, under};

/// Another actor beside the one that answers.
fn beside(does: &str) -> String {
    small(&format!(
        "[subject.other]\nuse = \"actor\"\ndoes = \"{does}\"\n"
    ))
}

#[test]
fn a_subject_in_trouble_fails_its_own_cells_with_the_reason_and_the_study_goes_on() {
    let check = |does: &str, expected: &str| {
        let findings = found(&format!("{}\n[run]\nlimit = 0.5\n", beside(does)));
        let whys: Vec<String> = findings
            .failures
            .iter()
            .map(|failed| failed.failure.to_string())
            .collect();
        assert_eq!(whys, [expected; 6], "{does}");
        assert!(
            findings
                .failures
                .iter()
                .all(|failed| failed.place.subject.as_str() == "other")
        );
        assert_eq!(
            (
                findings.cells.planned,
                findings.cells.answered,
                findings.cells.failed
            ),
            (12, 6, 6)
        );
        let well = estimate(&findings, "accuracy", "actor", &under("shove", 0.2));
        assert_eq!(well.quantity.value.value(), Some(0.8));
    };
    check("panic", "crashed: forgot the lines");
    check(
        "panic-fitting",
        "crashed: while it was fitted: assertion `left != right` failed: stage fright\n  left: \"panic-fitting\"\n right: \"panic-fitting\"",
    );
    check("refuse", "unable: not in this costume");
    check("hang", "timed out: nothing within 0.5 s");
    check(
        "too-few",
        "answered nonsense: 2 numbers for 10 items × 2 classes",
    );
    check(
        "nan",
        "answered nonsense: item 0 has probabilities [NaN, 1.0] (sum NaN)",
    );
    check(
        "sum-to-two",
        "answered nonsense: item 0 has probabilities [1.0, 1.0] (sum 2)",
    );
    check(
        "wrong-question",
        "answered nonsense: answered text when asked for classes",
    );
}

#[test]
fn a_stressor_that_breaks_its_promise_fails_the_cells_it_pressed() {
    let findings = found(&small("").replace(
        "use = \"shove\"",
        "use = \"shove\"\nbreaks-its-promise = true",
    ));
    let whys: Vec<String> = findings
        .failures
        .iter()
        .map(|failed| failed.failure.to_string())
        .collect();
    // Items move by 0.5: too far at 0.2, and just allowed at 0.5.
    assert_eq!(
        whys,
        ["over budget: item `item 0` moved by 0.5, allowed is 0.2"; 2]
    );
    assert_eq!(findings.cells.answered, 4);
}

#[test]
fn failed_cells_are_listed_and_never_averaged() {
    let text = beside("panic");
    let findings = found(&text);
    let clean = estimate(&findings, "accuracy", "other", &under("shove", 0.0));
    let why = AbsenceReason::CellFailed {
        failure: FailureKind::Crashed,
        why: "forgot the lines".into(),
    };
    assert_eq!(why.to_string(), "crashed: forgot the lines");
    let undefined = duress_findings::Reading::Undefined(why.clone());
    assert_eq!(clean.quantity.value, undefined);
    assert_eq!(clean.quantity.interval, Err(why.clone()));
    assert_eq!(
        clean.by_seed,
        [(1, undefined.clone()), (2, undefined.clone())]
    );
    let against = findings
        .contrasts
        .iter()
        .filter(|contrast| contrast.of.subject.as_str() == "other");
    assert!(against.clone().count() > 0);
    against.for_each(|contrast| assert_eq!(contrast.quantity.value, undefined));
    assert!(
        findings
            .caveats
            .iter()
            .any(|caveat| caveat.doubt == Doubt::CellsWithoutAnswers { failed: 6 })
    );
}

const REAL: &str = r#"
name = "real"
seeds = [1, 2]

[dataset.digits]
use = "digits"
fit-share = 0.2

[dataset.sensors]
use = "temporal-sem"
windows = 40
test-windows = 10

[subject.linear]
use = "trained"
on = "digits"
network = "linear"
epochs = 3

[subject.correlation]
use = "correlation"
on = "sensors"

[ladder.noise]
use = "gaussian-noise"
severities = [0.2, 0.4]

[ladder.pgd]
use = "pgd"
steps = 2
severities = ["8/255", "16/255"]

[ladder.missing]
use = "missing-mcar"
on = "train"
severities = [0.5]

[analysis]
gauges = ["accuracy", "attack-success-rate", "ece", "area", "directed-f1"]
resamples = 100
"#;

fn found_with(text: &str, jobs: usize) -> Findings {
    let (plan, folder) = (planned(text), tempfile::tempdir().unwrap());
    run_with(
        &plan,
        folder.path(),
        &Options {
            jobs,
            retry: false,
            cache: None,
            batch: None,
        },
    );
    findings_in(&plan, folder.path())
}

/// One actor, clean and under seven severities.
fn long(does: &str, limit: f64) -> String {
    let long = small("")
        .replace("[0.2, 0.5]", "[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]")
        .replace("[1, 2]", "[1]")
        .replace(
            "use = \"actor\"",
            &format!("use = \"actor\"\ndoes = \"{does}\""),
        );
    format!("{long}\n[run]\nlimit = {limit}\n")
}

#[test]
fn waiting_for_a_turn_is_not_thinking() {
    // Eight answers of 0.15 s, one after the other, take longer than any of them may.
    for jobs in [1, 8] {
        let findings = found_with(&long("one-at-a-time", 1.0), jobs);
        let whys: Vec<String> = findings
            .failures
            .iter()
            .map(|failed| failed.failure.to_string())
            .collect();
        assert_eq!(whys, [""; 0], "{jobs} threads");
        assert_eq!(findings.cells.answered, 8);
    }
}

#[test]
fn a_subject_that_hangs_in_its_turn_is_given_up() {
    let findings = found_with(&long("hang-alone", 0.5), 8);
    let mut whys: Vec<String> = findings
        .failures
        .iter()
        .map(|failed| failed.failure.to_string())
        .collect();
    whys.sort_unstable();
    let waited = "timed out: it was still busy with an earlier question 0.5 s after that one's time was over";
    assert_eq!(whys[..7], [waited; 7]);
    assert_eq!(whys[7..], ["timed out: nothing within 0.5 s"]);
}

#[test]
fn questions_that_are_answered_elsewhere_wait_together_whatever_the_threads() {
    // Each waits for three others: with fewer under way at once, none would ever be answered.
    let findings = found_with(&long("four-elsewhere", 60.0), 1);
    assert_eq!(findings.cells.answered, 8);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for text in [REAL.to_string(), beside("panic"), beside("one-at-a-time")] {
        let alone = found_with(&text, 1);
        for jobs in [2, 8] {
            assert_eq!(found_with(&text, jobs), alone, "{jobs} threads");
        }
    }
}

#[test]
fn what_an_attack_asked_is_kept_item_by_item_and_found() {
    let findings = found(REAL);
    let rungs: Vec<(String, f64, f64)> = findings
        .efforts
        .iter()
        .map(|one| (format!("{:?}", one.place.under), one.queries, one.gradients))
        .collect();
    assert_eq!(
        rungs.len(),
        2,
        "one for each rung of the attack, none for what asks nothing: {rungs:?}"
    );
    assert!(
        rungs[0].0.contains("8/255") && rungs[1].0.contains("16/255"),
        "{rungs:?}"
    );
    assert!(
        rungs[1].1 > rungs[0].1 && rungs[1].2 > rungs[0].2,
        "counted from the start of the ladder: {rungs:?}"
    );
    assert!(
        rungs
            .iter()
            .all(|(_, queries, gradients)| queries > gradients && *gradients > 0.0),
        "{rungs:?}"
    );
    assert!(
        findings.efforts.iter().all(|one| one.most <= 1 + 1 + 3 * 3),
        "three looks a start, three starts at most"
    );
}

/// The small study, with an actor that is counted.
fn counted(tally: &str) -> String {
    small("").replace(
        "use = \"actor\"",
        &format!("use = \"actor\"\ntally = \"{tally}\""),
    )
}

#[test]
fn running_again_asks_nothing_twice() {
    let (plan, folder) = (planned(&counted("again")), tempfile::tempdir().unwrap());
    assert_eq!(
        run_in(&plan, folder.path()),
        Outcome {
            answered: 6,
            failed: 0,
            missing: 0
        }
    );
    let before = findings_in(&plan, folder.path());
    assert_eq!((parts::asked("again"), parts::fitted("again")), (6, 2));
    let (outcome, events) = run_with(
        &plan,
        folder.path(),
        &Options {
            jobs: 2,
            retry: true,
            cache: None,
            batch: None,
        },
    );
    assert_eq!(outcome.answered, 6);
    assert_eq!((parts::asked("again"), parts::fitted("again")), (6, 2));
    assert_eq!(findings_in(&plan, folder.path()), before);
    let quiet = [
        Event::Started {
            study: plan.study.hash.clone(),
            cells: 6,
            kept: 6,
        },
        Event::Ended {
            answered: 6,
            failed: 0,
            missing: 0,
        },
    ];
    assert_eq!(events, quiet);
}

#[test]
fn cells_with_one_identity_are_asked_once_and_shown_under_both_names() {
    let fog = "[condition.fog]\npress = [{ use = \"shove\", severity = 0.2 }]\n";
    let (plan, folder) = (
        planned(&(counted("twin") + fog)),
        tempfile::tempdir().unwrap(),
    );
    let options = Options {
        jobs: 2,
        retry: false,
        cache: None,
        batch: None,
    };
    let (outcome, events) = run_with(&plan, folder.path(), &options);
    assert_eq!(outcome.answered, 8);
    assert_eq!(parts::asked("twin"), 6);
    let answered = |shared: bool| {
        let with = move |event: &&Event| matches!(event, Event::Answered { shared: it, .. } if *it == shared);
        events.iter().filter(with).count()
    };
    assert_eq!((answered(false), answered(true)), (6, 2));
    let findings = findings_in(&plan, folder.path());
    let value = |under| {
        let found = estimate(&findings, "accuracy", "actor", &under);
        found.quantity.value.value()
    };
    assert_eq!(value(under("shove", 0.2)), Some(0.8));
    assert_eq!(value(Under::Condition(name("fog"))), Some(0.8));
    assert_eq!((findings.cells.planned, findings.cells.answered), (8, 8));
}

#[test]
fn the_failure_of_a_cell_is_shown_under_both_its_names() {
    let fog = "[condition.fog]\npress = [{ use = \"shove\", severity = 0.2 }]\n";
    let text =
        counted("failed twin").replace("use = \"actor\"", "use = \"actor\"\ndoes = \"panic\"");
    let findings = found(&(text + fog));
    assert_eq!(parts::asked("failed twin"), 6);
    assert_eq!(findings.failures.len(), 8);
}

#[test]
fn subjects_that_are_the_same_are_fitted_once() {
    let again = "[subject.understudy]\nuse = \"actor\"\ntally = \"same\"\n";
    let plan = planned(&(counted("same") + again));
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(plan.count().preparations, 2);
    assert_eq!(run_in(&plan, folder.path()).answered, 12);
    assert_eq!((parts::asked("same"), parts::fitted("same")), (6, 2));
    let findings = findings_in(&plan, folder.path());
    for subject in ["actor", "understudy"] {
        let found = estimate(&findings, "accuracy", subject, &under("shove", 0.5));
        assert_eq!(found.quantity.value.value(), Some(0.5), "{subject}");
    }
}

#[test]
fn a_cell_that_is_gone_is_asked_again_with_the_checkpoint_that_is_there() {
    let (plan, folder) = (planned(&counted("gone")), tempfile::tempdir().unwrap());
    run_in(&plan, folder.path());
    let before = findings_in(&plan, folder.path());
    fs::remove_file(cell_file(
        folder.path(),
        &plan.id(plan.cells().last().unwrap()).to_string(),
    ))
    .unwrap();
    run_in(&plan, folder.path());
    assert_eq!((parts::asked("gone"), parts::fitted("gone")), (7, 2));
    assert_eq!(findings_in(&plan, folder.path()), before);
}

fn cell_file(folder: &Path, id: &str) -> std::path::PathBuf {
    folder
        .join("4-ledger/cells")
        .join(&id[..2])
        .join(format!("{id}.parquet"))
}

#[test]
fn more_severities_ask_only_for_what_is_new() {
    let folder = tempfile::tempdir().unwrap();
    run_in(&planned(&counted("more")), folder.path());
    let more = planned(&counted("more").replace("[0.2, 0.5]", "[0.1, 0.2, 0.5]"));
    run_in(&more, folder.path());
    assert_eq!((parts::asked("more"), parts::fitted("more")), (8, 2));
}

#[test]
fn a_failure_is_kept_until_it_is_to_be_tried_again() {
    let text = counted("once").replace("use = \"actor\"", "use = \"actor\"\ndoes = \"panic-once\"");
    let (plan, folder) = (
        planned(&text.replace("[1, 2]", "[1]")),
        tempfile::tempdir().unwrap(),
    );
    let options = |retry| Options {
        jobs: 1,
        retry,
        cache: None,
        batch: None,
    };
    let alone = |retry| run_with(&plan, folder.path(), &options(retry)).0;
    for _ in 0..2 {
        assert_eq!(
            alone(false),
            Outcome {
                answered: 2,
                failed: 1,
                missing: 0
            }
        );
    }
    assert_eq!(parts::asked("once"), 3);
    assert_eq!(
        alone(true),
        Outcome {
            answered: 3,
            failed: 0,
            missing: 0
        }
    );
    assert_eq!(parts::asked("once"), 4);
    assert_eq!(findings_in(&plan, folder.path()).failures, []);
}

#[test]
fn a_run_that_is_stopped_ends_soon_and_goes_on_later() {
    let text = counted("stopped").replace(
        "[subject.actor]",
        "[subject.sleeper]\nuse = \"actor\"\ndoes = \"hang\"\n\n[subject.actor]",
    );
    let (plan, folder) = (planned(&text), tempfile::tempdir().unwrap());
    let held = Folder::take(folder.path(), &plan).unwrap();
    let (ledger, stop) = (held.ledger().unwrap(), AtomicBool::new(false));
    // The sleeper comes first and never answers: stopping is the only way out.
    let tell = |event: &Event| {
        if matches!(event, Event::Prepared { .. }) {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let outcome = duress::run::run(
        &plan,
        &ledger,
        &Options {
            jobs: 1,
            retry: false,
            cache: None,
            batch: None,
        },
        &tell,
        &stop,
    )
    .unwrap();
    // That this is reached at all shows that the sleeper was not waited for: it may take an hour,
    // and would then be a failure.
    assert_eq!(
        outcome,
        Outcome {
            answered: 0,
            failed: 0,
            missing: 12
        }
    );
    drop(held);
    // The same cells are there to be asked by a study without the sleeper.
    assert_eq!(
        run_in(&planned(&counted("stopped")), folder.path()).answered,
        6
    );
}

#[test]
fn ledgers_merge_by_copying_their_files() {
    let seeds = |seeds: &str| {
        planned(&counted("merged").replace("seeds = [1, 2]", &format!("seeds = {seeds}")))
    };
    let [whole, one, two, both] = [(); 4].map(|()| tempfile::tempdir().unwrap());
    let all = seeds("[1, 2, 3, 4]");
    run_in(&all, whole.path());
    run_in(&seeds("[1, 2]"), one.path());
    run_in(&seeds("[4, 3]"), two.path());
    for half in [&one, &two] {
        copy(&half.path().join("4-ledger"), &both.path().join("4-ledger"));
    }
    let asked = parts::asked("merged");
    assert_eq!(run_in(&all, both.path()).answered, 12);
    assert_eq!(parts::asked("merged"), asked);
    assert_eq!(
        findings_in(&all, both.path()),
        findings_in(&all, whole.path())
    );
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, to) = (
            entry.as_ref().unwrap().path(),
            to.join(entry.as_ref().unwrap().file_name()),
        );
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
        }
    }
}

#[test]
fn cells_that_were_copied_without_their_dataset_can_still_be_read() {
    let (plan, folder) = (planned(&counted("truth")), tempfile::tempdir().unwrap());
    run_in(&plan, folder.path());
    let before = findings_in(&plan, folder.path());
    fs::remove_dir_all(folder.path().join("4-ledger/datasets")).unwrap();
    run_in(&plan, folder.path());
    assert_eq!(parts::asked("truth"), 6);
    assert_eq!(findings_in(&plan, folder.path()), before);
}

#[test]
fn a_folder_is_held_by_one_run_at_a_time() {
    let (plan, folder) = (planned(&small("")), tempfile::tempdir().unwrap());
    let held = Folder::take(folder.path(), &plan).unwrap();
    let Err(refused) = Folder::take(folder.path(), &plan) else {
        panic!("two runs in one folder")
    };
    assert!(
        refused
            .to_string()
            .contains("another duress is running in this folder"),
        "{refused}"
    );
    drop(held);
    assert!(Folder::take(folder.path(), &plan).is_ok());
}

#[test]
fn a_folder_of_something_else_is_left_alone() {
    let (plan, folder) = (planned(&small("")), tempfile::tempdir().unwrap());
    let check = |expected: &str| {
        let Err(refused) = Folder::take(folder.path(), &plan) else {
            panic!("{expected}")
        };
        assert!(refused.to_string().contains(expected), "{refused}");
    };
    fs::write(folder.path().join("thesis.tex"), "years of work").unwrap();
    check(
        "not a run folder: there is `thesis.tex` in it; expected an empty or new folder, or one of an earlier run",
    );
    let left: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(left, ["thesis.tex"]);
    fs::remove_file(folder.path().join("thesis.tex")).unwrap();
    fs::write(folder.path().join("1-study.toml"), "name = \"other\"").unwrap();
    check(
        "this run folder belongs to the study `other`, not to `small` (name another folder with `--out`)",
    );
}

#[test]
fn a_run_killed_before_its_study_was_written_can_begin_again() {
    let (plan, folder) = (planned(&small("")), tempfile::tempdir().unwrap());
    fs::create_dir(folder.path().join("4-ledger")).unwrap();
    fs::write(folder.path().join("4-ledger/lock"), "").unwrap();
    fs::write(folder.path().join("1-study.unfinished"), "name = ").unwrap();
    assert_eq!(run_in(&plan, folder.path()).answered, 6);
}

#[test]
fn a_stray_file_in_the_ledger_does_no_harm() {
    let (plan, folder) = (planned(&small("")), tempfile::tempdir().unwrap());
    run_in(&plan, folder.path());
    let shelf = folder.path().join("4-ledger/cells");
    fs::write(shelf.join(".DS_Store"), "left by a file manager").unwrap();
    let id = plan.id(plan.cells().next().unwrap()).to_string();
    fs::write(shelf.join(&id[..2]).join("notes.txt"), "left by a person").unwrap();
    assert_eq!(run_in(&plan, folder.path()).answered, 6);
}

#[test]
fn a_damaged_cell_is_named_set_aside_and_asked_again() {
    let (plan, folder) = (planned(&counted("damaged")), tempfile::tempdir().unwrap());
    run_in(&plan, folder.path());
    let before = findings_in(&plan, folder.path());
    let file = cell_file(
        folder.path(),
        &plan.id(plan.cells().next().unwrap()).to_string(),
    );
    let bytes = fs::read(&file).unwrap();
    for damaged in [&bytes[..bytes.len() / 2], b"", b"PAR1 but not really PAR1"] {
        fs::write(&file, damaged).unwrap();
        let ledger = Ledger::open(&folder.path().join("4-ledger"));
        let unreadable =
            duress::analysis::analyse(&plan, &ledger, &duress::analysis::History::default())
                .unwrap_err();
        assert_eq!(unreadable.path, file);
        assert!(
            unreadable
                .to_string()
                .starts_with(&format!("{}: ", file.display()))
        );
    }
    let heard = std::sync::Mutex::new(Vec::new());
    let tell = |event: &Event| heard.lock().unwrap().push(event.clone());
    let ledger = Ledger::open(&folder.path().join("4-ledger"));
    duress::run::set_aside_damaged(&plan, &ledger, &tell).unwrap();
    run_in(&plan, folder.path());
    let heard = heard.into_inner().unwrap();
    let named = |event: &&Event| matches!(event, Event::Damaged { file: named, .. } if *named == file.display().to_string());
    assert_eq!(heard.iter().filter(named).count(), 1, "{heard:?}");
    let aside = folder.path().join("4-ledger/damaged");
    let aside = fs::read(aside.join(file.file_name().unwrap())).unwrap();
    assert_eq!(aside, b"PAR1 but not really PAR1");
    assert_eq!(parts::asked("damaged"), 7);
    assert_eq!(findings_in(&plan, folder.path()), before);
}

#[test]
fn an_item_without_an_answer_is_left_out_and_said() {
    let findings = found(&beside("skip"));
    let clean = estimate(&findings, "accuracy", "other", &under("shove", 0.2));
    // Items 0 and 1 are turned; item 1 has no answer.
    assert_eq!(clean.quantity.value.value(), Some(8.0 / 9.0));
    assert!(
        findings
            .caveats
            .iter()
            .any(|caveat| caveat.doubt == Doubt::ItemsWithoutAnswer { absent: 1, of: 10 })
    );
}

#[test]
fn every_form_of_answer_reads_the_same() {
    for does in ["logits", "labels"] {
        let findings = found(&beside(does));
        for severity in [0.0, 0.2, 0.5] {
            let value = |subject| {
                estimate(&findings, "accuracy", subject, &under("shove", severity))
                    .quantity
                    .value
                    .value()
            };
            assert_eq!(value("other"), Some(1.0 - severity), "{does}");
            assert_eq!(value("other"), value("actor"));
        }
    }
}
