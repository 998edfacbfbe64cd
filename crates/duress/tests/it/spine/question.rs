//! Several questions of one subject, and answers that come item by item.

use duress::ledger::{Kept, Ledger, LedgerEntry};
use duress::plan::Plan;
use duress::run::{Options, RunPaths};
use duress_core::question::Question;
use duress_findings::{Findings, Under};

use super::{estimate, findings_in, parts, planned, run_in, run_with, under};

/// One actor under two rungs, with these gauges.
fn study(does: &str, tally: &str, gauges: &str) -> String {
    let trust = match gauges.contains("trust") {
        true => "[gauge.trust]\nuse = \"quality\"\ndimension = \"T\"\n",
        false => "",
    };
    format!(
        r#"
name = "questions"
seeds = [1]

[dataset.tiny]
use = "tiny"

[subject.actor]
use = "actor"
does = "{does}"
tally = "{tally}"

[ladder.shove]
use = "shove"
severities = [0.2, 0.5]

{trust}
[analysis]
gauges = [{gauges}]
"#
    )
}

const BOTH: &str = r#""accuracy", "trust""#;

fn value(findings: &Findings, gauge: &str, under: &Under) -> f64 {
    let estimate = estimate(findings, gauge, "actor", under);
    estimate.quantity.value.value().unwrap()
}

#[test]
fn a_subject_is_asked_every_question_that_a_gauge_reads_and_no_other() {
    let both = planned(&study("two-questions", "all questions", BOTH));
    assert_eq!(both.count().cells, 6);
    assert_eq!(both.cells().count(), 6);
    let one = planned(&study("two-questions", "all questions", r#""trust""#));
    assert!(one.cells().all(|cell| cell.question == Question::Ratings));
    let folder = tempfile::tempdir().unwrap();
    run_in(&both, folder.path());
    let findings = findings_in(&both, folder.path());
    assert_eq!(value(&findings, "accuracy", &under("shove", 0.5)), 0.5);
    assert_eq!(value(&findings, "trust", &Under::Clean), 50.0);
    assert_eq!(
        parts::fitted("all questions"),
        1,
        "one preparation serves both"
    );
}

#[test]
fn a_question_that_comes_later_asks_only_itself() {
    let folder = tempfile::tempdir().unwrap();
    let first = planned(&study("two-questions", "later", r#""accuracy""#));
    run_in(&first, folder.path());
    assert_eq!((parts::asked("later"), parts::fitted("later")), (3, 1));
    let then = planned(&study("two-questions", "later", BOTH));
    run_in(&then, folder.path());
    assert_eq!((parts::asked("later"), parts::fitted("later")), (6, 1));
    let findings = findings_in(&then, folder.path());
    assert_eq!(findings.cells.answered, 6);
    assert_eq!(value(&findings, "accuracy", &Under::Clean), 1.0);
}

fn kept(plan: &Plan, folder: &std::path::Path) -> Vec<Kept> {
    let ledger = Ledger::open(&RunPaths::new(folder).ledger());
    let entry = |cell| match ledger.entry(plan.id(cell)).unwrap() {
        Some(LedgerEntry::Answered(kept)) => *kept,
        _ => panic!("a cell has no answers"),
    };
    plan.cells().map(entry).collect()
}

#[test]
fn what_was_answered_before_a_subject_broke_is_kept_and_only_the_rest_is_asked() {
    let options = |retry| Options {
        jobs: 1,
        retry,
        cache: None,
        batch: None,
    };
    let plan = planned(&study(
        "item-by-item-breathless",
        "breathless",
        r#""accuracy""#,
    ));
    let folder = tempfile::tempdir().unwrap();
    let (outcome, _) = run_with(&plan, folder.path(), &options(false));
    assert_eq!((outcome.answered, outcome.failed), (2, 1));
    let asked = parts::asked("breathless");
    assert_eq!(asked, parts::BREATH + 1 + 20);
    let (outcome, _) = run_with(&plan, folder.path(), &options(true));
    assert_eq!((outcome.answered, outcome.failed), (3, 0));
    assert_eq!(
        parts::asked("breathless") - asked,
        10 - parts::BREATH,
        "nothing that was answered is asked again"
    );
    let whole = planned(&study("item-by-item", "in one breath", r#""accuracy""#));
    let other = tempfile::tempdir().unwrap();
    run_in(&whole, other.path());
    let answers = |kept: &Kept| kept.answers.clone();
    let broken: Vec<_> = kept(&plan, folder.path()).iter().map(answers).collect();
    let unbroken: Vec<_> = kept(&whole, other.path()).iter().map(answers).collect();
    assert_eq!(broken, unbroken);
    let cost = kept(&plan, folder.path())[0].cost.unwrap();
    assert_eq!((cost.requests, cost.input_tokens), (10, Some(70)));
    let partial = RunPaths::new(folder.path()).ledger().join("partial");
    let left = std::fs::read_dir(partial)
        .unwrap()
        .flatten()
        .flat_map(|shelf| std::fs::read_dir(shelf.path()).unwrap().flatten());
    assert_eq!(left.count(), 0, "a whole cell leaves no pieces");
}

#[test]
fn a_damaged_or_swapped_file_is_noticed() {
    let plan = planned(&study("answer", "bad disk", r#""accuracy""#));
    let folder = tempfile::tempdir().unwrap();
    run_in(&plan, folder.path());
    let ledger = Ledger::open(&RunPaths::new(folder.path()).ledger());
    let path = |cell| {
        let name = plan.id(cell).to_string();
        let shelf = RunPaths::new(folder.path()).ledger().join("cells");
        shelf.join(&name[..2]).join(format!("{name}.parquet"))
    };
    let cells: Vec<_> = plan.cells().collect();
    let (first, second) = (path(cells[0]), path(cells[1]));
    let good = std::fs::read(&first).unwrap();
    let mut noticed = 0;
    for at in (4..good.len()).step_by(7) {
        let mut bad = good.clone();
        bad[at] ^= 1;
        std::fs::write(&first, &bad).unwrap();
        match ledger.entry(plan.id(cells[0])) {
            Err(_) => noticed += 1,
            Ok(entry) => {
                let Some(LedgerEntry::Answered(kept)) = entry else {
                    panic!("the cell is there")
                };
                std::fs::write(&first, &good).unwrap();
                let Ok(Some(LedgerEntry::Answered(whole))) = ledger.entry(plan.id(cells[0])) else {
                    panic!("the cell is there")
                };
                assert_eq!(*kept, *whole, "byte {at} changed what was kept");
            }
        }
    }
    assert!(noticed > 50, "{noticed}");
    std::fs::copy(&second, &first).unwrap();
    let Err(swapped) = ledger.entry(plan.id(cells[0])) else {
        panic!("another cell's file was read")
    };
    assert!(swapped.why.contains("another cell's file"), "{swapped}");
}
