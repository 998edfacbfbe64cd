//! Explanations from a study's text to findings.

use std::path::Path;

use duress::ledger::{Ledger, LedgerEntry};
use duress::plan::{Cell, Plan};
use duress::run::{Options, RunPaths};
use duress_core::answer::Answers;
use duress_core::explanation::{Explanation, Towards};
use duress_core::question::Question;
use duress_findings::{Findings, Under};

use super::{
    estimate, findings_in, linear_on_digits, planned, planned_at, run_in, run_with, small, under,
};

const GRADIENTS: &str = "attribution = \"input-gradient\"\nitems = 40\n";

/// A linear network on digits under noise, with `gauges` behind.
pub(super) fn study(gauges: &str) -> String {
    let ladder = "\n[ladder.noise]\nuse = \"gaussian-noise\"\nseverities = [0.2]\n";
    linear_on_digits("explained", &format!("{ladder}\n{gauges}"))
}

fn rank_correlation() -> String {
    format!("[gauge.ranks]\nuse = \"explanation-stability\"\nmeasure = \"spearman\"\n{GRADIENTS}")
}

fn deletion() -> String {
    format!("[gauge.deletion]\nuse = \"deletion\"\nsteps = 4\n{GRADIENTS}")
}

pub(super) fn value(findings: &Findings, gauge: &str, under: &Under) -> f64 {
    let estimate = estimate(findings, gauge, "linear", under);
    estimate.quantity.value.value().unwrap()
}

fn answers(plan: &Plan, folder: &Path, cell: Cell) -> Answers {
    let ledger = Ledger::open(&RunPaths::new(folder).ledger());
    match ledger.entry(plan.id(cell)).unwrap() {
        Some(LedgerEntry::Answered(kept)) => kept.answers,
        _ => panic!("a cell has no answers"),
    }
}

#[test]
fn maps_are_asked_kept_and_read_for_the_items_that_are_explained() {
    let plan = planned(&study(&format!(
        "[analysis]\ngauges = [\"accuracy\"]\n{}",
        rank_correlation()
    )));
    let folder = tempfile::tempdir().unwrap();
    run_in(&plan, folder.path());
    let asks_maps = |cell: &Cell| matches!(cell.question, Question::Explanation(_));
    let cells: Vec<Cell> = plan.cells().filter(asks_maps).collect();
    assert_eq!(cells.len(), 2, "clean and under noise");
    for cell in &cells {
        let Answers::Maps(maps) = answers(&plan, folder.path(), *cell) else {
            panic!("maps")
        };
        assert_eq!((maps.height(), maps.width()), (8, 8));
        assert_eq!(maps.maps().iter().flatten().count(), 40);
    }
    let findings = findings_in(&plan, folder.path());
    // The slopes of a linear network towards one class are the same wherever they are taken: only
    // towards another class would the two maps differ.
    assert_eq!(value(&findings, "ranks", &under("noise", 0.2)), 1.0);
    let ranks = estimate(&findings, "ranks", "linear", &under("noise", 0.2));
    assert_eq!(ranks.quantity.items, 40);
}

#[test]
fn a_question_about_explanations_that_comes_later_asks_only_itself() {
    let folder = tempfile::tempdir().unwrap();
    let first = planned(&study(&rank_correlation()));
    run_in(&first, folder.path());
    let both = format!("{}\n{}", rank_correlation(), deletion());
    let then = planned(&study(&both));
    let options = Options {
        jobs: 2,
        retry: false,
        cache: None,
        batch: None,
    };
    let known = |plan: &Plan| {
        let ledger = Ledger::open(&RunPaths::new(folder.path()).ledger());
        let kept = |cell: &Cell| ledger.entry(plan.id(*cell)).unwrap().is_some();
        plan.cells().filter(kept).count()
    };
    assert_eq!(
        (known(&then), then.count().cells),
        (2, 8),
        "what is deleted in the order of the map and of two floors, clean and under noise"
    );
    let (outcome, _) = run_with(&then, folder.path(), &options);
    assert_eq!((outcome.answered, outcome.failed), (8, 0));
    let findings = findings_in(&then, folder.path());
    let area = value(&findings, "deletion", &Under::Clean);
    assert!((0.0..1.0).contains(&area), "{area}");
}

#[test]
fn findings_with_explanations_come_back_from_their_file() {
    let findings = {
        let plan = planned(&study(&rank_correlation()));
        let folder = tempfile::tempdir().unwrap();
        run_in(&plan, folder.path());
        findings_in(&plan, folder.path())
    };
    let text = serde_json::to_string(&findings).unwrap();
    let back: Findings = serde_json::from_str(&text).unwrap();
    assert_eq!(back, findings);
    let concept = Question::explanation(Explanation::Concept {
        concept: "hair".into(),
        towards: Towards::Class("MEL".into()),
        layer: None,
        sets: 5,
        images: 32,
        items: 0,
    });
    for question in [Question::Classes, concept] {
        let text = serde_json::to_string(&question).unwrap();
        assert_eq!(serde_json::from_str::<Question>(&text).unwrap(), question);
    }
}

#[test]
fn a_failed_explanation_is_listed_and_the_answers_are_read_all_the_same() {
    let cam = "[gauge.cam]\nuse = \"sparseness\"\nattribution = \"grad-cam\"\n";
    let plan = planned(&study(&format!(
        "[analysis]\ngauges = [\"accuracy\"]\n{cam}"
    )));
    let folder = tempfile::tempdir().unwrap();
    let outcome = run_in(&plan, folder.path());
    assert_eq!((outcome.answered, outcome.failed), (2, 2));
    let findings = findings_in(&plan, folder.path());
    assert!(
        findings.failures[0]
            .failure
            .to_string()
            .contains("no layer"),
        "{:?}",
        findings.failures[0]
    );
    assert!(value(&findings, "accuracy", &Under::Clean) > 0.8);
}

pub(super) fn wrong_with(text: &str) -> Vec<String> {
    match planned_at(Path::new("study.toml"), text) {
        Ok(_) => Vec::new(),
        Err(rejected) => rejected.problems.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn who_cannot_be_explained_is_told_before_the_run() {
    let told = wrong_with(&small(
        "\n[analysis]\ngauges = [\"accuracy\", \"sparseness\"]\n",
    ));
    assert_eq!(told.len(), 1);
    assert!(
        told[0].contains("gauge `sparseness` reads map by grad-cam"),
        "{told:?}"
    );
}

#[test]
fn what_is_chosen_on_other_items_needs_them() {
    let gate = "[gauge.gate]\nuse = \"gate-gain\"\nsteadiness = \"input-gradient\"\n";
    let told = wrong_with(&study(gate));
    assert!(told[0].contains("`chosen-on` names no dataset"), "{told:?}");
    let plain = "[gauge.plain]\nuse = \"accuracy\"\nchosen-on = \"digits\"\n";
    let told = wrong_with(&study(plain));
    assert!(told[0].contains("`plain` chooses nothing"), "{told:?}");
}
