//! The studies of causal graphs that ship: the quick forms run from file to report, the full ones
//! are sound; and what is asked of data that cannot answer.

#![expect(
    clippy::unwrap_used,
    reason = "what a test makes up is known to be right"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use duress::plan::Plan;
use duress::run::{Event, Folder, Options};
use duress::study::{Rejected, Study};
use duress_findings::{Findings, Sight, Under};
use duress_parts::registry::Registry;

const STUDIES: [&str; 5] = [
    "missingness",
    "corruption-matrix",
    "unseen-regime",
    "leave-one-regime-out",
    "shift",
];

fn studies() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/causal")
}

fn plan_of(study: Result<Study, Rejected>) -> Result<Plan, Rejected> {
    duress::plan::make(study?, &Registry::standard())
}

fn parsed(text: &str) -> Result<Plan, Rejected> {
    plan_of(Study::parse(
        Path::new("study.toml"),
        text,
        &Registry::standard(),
    ))
}

fn sound(plan: Result<Plan, Rejected>) -> Arc<Plan> {
    Arc::new(plan.unwrap_or_else(|rejected| panic!("{:#?}", rejected.problems)))
}

/// Runs a plan into a folder, report included.
fn run(plan: &Arc<Plan>, folder: &Path) -> Findings {
    let folder = Folder::take(folder, plan).unwrap();
    let ledger = folder.ledger().unwrap();
    let options = Options {
        jobs: 2,
        retry: false,
        cache: None,
        batch: None,
    };
    duress::run::run(
        plan,
        &ledger,
        &options,
        &|_: &Event| {},
        &AtomicBool::new(false),
    )
    .unwrap();
    duress::analysis::analyse(plan, &ledger, &duress::analysis::History::default()).unwrap()
}

/// The quick form of a study, run and reported.
fn quick(name: &str) -> (Findings, tempfile::TempDir) {
    let file = studies().join(format!("quick/{name}.toml"));
    let plan = sound(plan_of(Study::read(&file, &Registry::standard())));
    let folder = tempfile::tempdir().unwrap();
    let findings = run(&plan, &folder.path().join("run"));
    assert_eq!(
        (findings.cells.failed, findings.cells.answered),
        (0, findings.cells.planned),
        "{name}"
    );
    duress_report::write(&findings, &folder.path().join("report")).unwrap();
    (findings, folder)
}

fn table(folder: &tempfile::TempDir, name: &str) -> Vec<Vec<String>> {
    let path = folder.path().join("report/artifacts/robustness").join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    let cells = |line: &str| line.split(',').map(String::from).collect();
    text.lines().map(cells).collect()
}

/// The values of a column in the rows that hold `with`; `None` where there is no value.
fn column(table: &[Vec<String>], name: &str, with: &str) -> Vec<Option<f64>> {
    let at = table[0].iter().position(|head| head == name).unwrap();
    let rows = table[1..]
        .iter()
        .filter(|row| row.iter().any(|cell| cell == with));
    let value = |row: &Vec<String>| match row[at].as_str() {
        "" => None,
        text => Some(text.parse().unwrap_or_else(|_| panic!("{row:?}"))),
    };
    rows.map(value).collect()
}

#[test]
fn the_full_forms_are_sound_and_ask_for_five_seeds() {
    for name in STUDIES {
        let study = Study::read(
            &studies().join(format!("{name}.toml")),
            &Registry::standard(),
        );
        let study = study.unwrap_or_else(|rejected| panic!("{name}: {:#?}", rejected.problems));
        assert_eq!(study.seeds.len(), if name == "shift" { 3 } else { 5 });
        assert!(
            study
                .expectations
                .iter()
                .all(|one| one.source.contains("never measured"))
        );
    }
}

#[test]
fn missingness_gives_its_curves_and_its_summary() {
    let (findings, folder) = quick("missingness");
    let summary = table(&folder, "robustness_summary.csv");
    let drops = column(&summary, "drop_points_mean", "missing 0.6");
    assert_eq!(
        drops.len(),
        9 * 5,
        "two learners on four datasets, one on the clean one, five gauges"
    );
    assert!(
        drops.iter().flatten().count() >= 8 * 4,
        "only precision may have no value"
    );
    // The source has a comma in it, so the last cell is found from the end.
    let expected: Vec<&Vec<String>> = summary
        .iter()
        .filter(|row| row.iter().any(|cell| cell.contains("not measured)")))
        .collect();
    let judged = |row: &Vec<String>| {
        row.last().is_some_and(|word| {
            ["within", "beyond", " but the interval reaches in\""].contains(&word.as_str())
        })
    };
    assert!(
        !expected.is_empty() && expected.iter().all(|row| judged(row)),
        "{expected:?}"
    );
    let short = fs::read_to_string(
        folder
            .path()
            .join("report/artifacts/robustness/robustness_summary.md"),
    );
    let short = short.unwrap();
    let rungs = short
        .lines()
        .filter(|line| line.contains("| missing 0.6 |"));
    assert_eq!(
        rungs
            .filter(|line| line.contains("| rc-gnn on clean |"))
            .count(),
        2,
        "both gauges that something was expected of: {short}"
    );
    let page = fs::read_to_string(folder.path().join("report/index.html")).unwrap();
    assert!(page.contains("What stress cost"));
    no_step_is_a_cliff(&findings);
    for figure in ["missingness_curve.png", "missingness_curve_extreme.png"] {
        let png = fs::read(
            folder
                .path()
                .join("report/artifacts/robustness")
                .join(figure),
        )
        .unwrap();
        assert!(png.starts_with(b"\x89PNG"));
    }
    let remarks = |name: &str| {
        findings
            .datasets
            .iter()
            .find(|card| card.name.as_str() == name)
            .unwrap()
            .remarks
            .join("\n")
    };
    assert!(remarks("clean").contains("R²-sortability") && remarks("clean").contains("3 regimes"));
    let extreme = remarks("extreme");
    assert!(
        extreme.contains("5 regimes") && extreme.contains("% of the values fitted are hidden"),
        "{extreme}"
    );
    assert!(remarks("one-regime").contains("one regime"));
}

#[test]
fn the_matrix_has_its_bars_and_the_interaction_an_interval() {
    let (findings, folder) = quick("corruption-matrix");
    assert!(
        folder
            .path()
            .join("report/artifacts/robustness/corruption_comparison.png")
            .exists()
    );
    let both = findings
        .estimates
        .iter()
        .find(|one| one.gauge == "mnar-with-bias")
        .unwrap();
    let range = both.quantity.interval.as_ref().unwrap();
    assert!(range.low <= range.high);
    let read = |gauge: &str, under: &str| {
        let long = table(&folder, "robustness_long.csv");
        let row =
            |row: &&Vec<String>| row[0] == "correlation" && row[4] == under && row[5] == gauge;
        long.iter()
            .filter(row)
            .map(|row| row[7].parse::<f64>().unwrap())
            .collect::<Vec<f64>>()
    };
    let (clean, mnar) = (read("directed-f1", "clean"), read("directed-f1", "mnar"));
    let (bias, together) = (
        read("directed-f1", "bias"),
        read("directed-f1", "mnar-and-bias"),
    );
    for (seed, value) in read("mnar-with-bias", "everything").iter().enumerate() {
        let apart = mnar[seed] + bias[seed] - clean[seed] - together[seed];
        assert!((value - apart).abs() < 1e-9, "seed {seed}: {value} {apart}");
    }
    assert_eq!(findings.claims.len(), 1);
    // In the order of the study, and each with what its press came to.
    let conditions: Vec<&str> = findings
        .conditions
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    let tables = fs::read_to_string(folder.path().join("report/tables/tables.md")).unwrap();
    let head = tables
        .lines()
        .find(|line| line.starts_with('|') && line.contains("noise-0.5"))
        .unwrap();
    let heads: Vec<&str> = head
        .split('|')
        .map(str::trim)
        .filter(|head| conditions.contains(head))
        .collect();
    assert_eq!(heads, conditions, "{head}");
    let pressed = |name: &str| {
        let here = |under: &Under| matches!(under, Under::Condition(own) if own.as_str() == name);
        findings
            .realised
            .iter()
            .find(|one| here(&one.under))
            .unwrap()
            .mean
    };
    assert_eq!(findings.realised.len(), conditions.len());
    assert!((pressed("mnar").hidden - 0.3).abs() < 0.02 && pressed("mnar").changed == 0.0);
    assert!(
        pressed("bias").hidden == 0.0
            && pressed("bias").changed > 0.99
            && pressed("bias").moved > 0.1
    );
    let both = pressed("mnar-and-bias");
    assert!(
        (both.hidden - 0.3).abs() < 0.02 && both.changed > 0.99,
        "{both:?}"
    );
    let page = fs::read_to_string(folder.path().join("report/index.html")).unwrap();
    assert!(page.contains("What the stress came to"));
}

/// The claim of the study compares each rung with the one before it.
fn no_step_is_a_cliff(findings: &Findings) {
    let f1 = |under: &str| {
        let at = |one: &&duress_findings::Estimate| {
            one.gauge == "directed-f1"
                && one.place.subject.as_str() == "rc-gnn"
                && one.place.under.to_string() == under
        };
        let found = findings.estimates.iter().find(at).unwrap();
        found.quantity.value.value().unwrap()
    };
    let [claim] = &findings.claims[..] else {
        panic!("one claim");
    };
    let steps = [("missing 0.2", "clean"), ("missing 0.6", "missing 0.2")];
    assert_eq!(claim.parts.len(), steps.len());
    for (part, (to, from)) in claim.parts.iter().zip(steps) {
        let lost = part.quantity.value.value().unwrap();
        assert!((lost - (f1(to) - f1(from))).abs() < 1e-9, "{to}");
        assert!(part.sentence.contains("what it was at the rung before"));
    }
}

#[test]
fn several_runs_make_one_summary() {
    let (missing, _) = quick("missingness");
    let (shift, _) = quick("shift");
    let folder = tempfile::tempdir().unwrap();
    duress_report::write_stress_summary(&[missing, shift], folder.path()).unwrap();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    for (name, ends) in [("stress_summary.md", "|"), ("index.html", "<")] {
        let text = read(name);
        for said in [
            "missingness-quick",
            "shift-quick",
            "missing 0.6",
            "synthetic → compound-full",
            "never measured",
        ] {
            assert!(text.contains(said), "{name}: {said}");
        }
        assert!(text.contains(ends));
    }
    let csv = read("stress_summary.csv");
    assert!(
        csv.lines()
            .any(|line| line.starts_with("shift-quick,rc-gnn-extreme,"))
    );
}

#[test]
fn regimes_left_out_are_read_in_three_forms() {
    let (_, folder) = quick("unseen-regime");
    let loro = table(&folder, "loro.csv");
    assert_eq!(
        loro.len() - 1,
        (3 * (3 + 1) + (5 + 1)) * 5,
        "three learners, three regimes and their average, one of them on five regimes too; two gauges in two forms and one in a third"
    );
    let of_first = &loro[1..5];
    assert_eq!(of_first[0][3], "1 2", "fitted on the other two");
    assert_eq!(of_first[3][4], "average");
    let left_out = |row: usize| of_first[row][10].parse::<f64>().unwrap();
    let mean = (left_out(0) + left_out(1) + left_out(2)) / 3.0;
    assert!((left_out(3) - mean).abs() < 1e-6, "{of_first:?}");
    let (_, folder) = quick("leave-one-regime-out");
    let loro = table(&folder, "loro.csv");
    let form = |start: &str, world: &str, gauge: &str| -> Vec<&Vec<String>> {
        let row =
            |row: &&Vec<String>| row[5].starts_with(start) && row[2] == world && row[6] == gauge;
        loro.iter().filter(row).collect()
    };
    let (whole, own) = (
        form("a:", "intervened", "directed-f1"),
        form("b:", "intervened", "directed-f1"),
    );
    assert_eq!((whole.len(), own.len()), (8, 8));
    // The columns of the two forms stand in the same order, so the last three say whether the truth
    // made a difference.
    assert!(
        whole
            .iter()
            .zip(&own)
            .any(|(whole, own)| whole[11] != own[11]),
        "regimes that cut edges have a truth of their own"
    );
    assert!(
        form("c:", "intervened", "held-out-likelihood")
            .iter()
            .all(|row| row[13].is_empty() && row[14].is_empty())
    );
}

#[test]
fn what_is_carried_over_is_compared_with_a_fit_on_the_target() {
    let (findings, folder) = quick("shift");
    let summary = table(&folder, "robustness_summary.csv");
    let carried = column(&summary, "drop_points_mean", "synthetic → compound-full");
    assert_eq!(carried.len(), 3 * 3, "three learners, three gauges");
    let f1 = |dataset: &str| {
        let at = |one: &&duress_findings::Estimate| {
            one.gauge == "directed-f1"
                && one.place.subject.as_str() == "lagged"
                && one.place.dataset.as_str() == dataset
        };
        findings
            .estimates
            .iter()
            .find(at)
            .unwrap()
            .quantity
            .value
            .value()
            .unwrap()
    };
    assert_eq!(
        f1("synthetic"),
        f1("compound-full"),
        "the same graph against the same truth"
    );
    assert_ne!(
        f1("synthetic"),
        f1("intervened-regime-1"),
        "the truth of a regime that cuts edges differs"
    );
}

#[test]
fn edges_are_as_sure_as_bootstraps_of_the_windows_agree() {
    let text = r#"
        name = "sure"
        seeds = [1, 2, 3, 4, 5, 6]
        vary = ["stress"]
        [dataset.sensors]
        use = "temporal-sem"
        variables = 6
        edges = 6
        windows = 40
        [subject.lagged]
        use = "lagged-regression"
        [ladder.bootstrap]
        use = "resample-windows"
        on = "train"
        severities = [1]
        [analysis]
        gauges = ["directed-f1"]
    "#;
    let folder = tempfile::tempdir().unwrap();
    let findings = run(&sound(parsed(text)), folder.path());
    let Sight::Graph {
        shares: Some(shares),
        pressed,
        ..
    } = &findings.exhibits[0].sight
    else {
        panic!("{:?}", findings.exhibits[0].sight)
    };
    assert_eq!(shares.seeds, 6);
    assert!(
        shares.clean.iter().all(|(_, share)| *share == 1.0),
        "clean, every seed is the same"
    );
    assert!(
        shares.pressed.iter().any(|(_, share)| *share < 1.0),
        "bootstraps differ: {shares:?}"
    );
    assert!(
        pressed
            .iter()
            .all(|edge| shares.pressed.iter().any(|(other, _)| other == edge))
    );
    duress_report::write(&findings, &folder.path().join("report")).unwrap();
    let page = fs::read_to_string(folder.path().join("report/index.html")).unwrap();
    assert!(page.contains("% of times"), "the figure says how often");
}

#[test]
fn a_regime_that_cannot_be_left_out_is_refused_before_anything_runs() {
    let check = |regimes: u32, held: u32, expected: &str| {
        let text = format!(
            "name = \"x\"\n[dataset.a]\nuse = \"temporal-sem\"\nwindows = 9\nregimes = {regimes}\n[dataset.b]\nbase = \"a\"\n\
             hold-out-regime = {held}\n[subject.s]\nuse = \"correlation\"\non = \"b\"\n[analysis]\ngauges = [\"shd\"]\n"
        );
        let rejected = parsed(&text).err().unwrap();
        assert!(
            rejected.problems[0].to_string().contains(expected),
            "{:?}",
            rejected.problems
        );
    };
    check(
        1,
        0,
        "all windows fitted on are in regime 0; expected two regimes or more",
    );
    check(
        3,
        3,
        "no window tested on is in regime 3; expected one of 0, 1, 2",
    );
    let unknown = "name = \"x\"\n[dataset.a]\nuse = \"temporal-sem\"\n[dataset.b]\nbase = \"a\"\npreset = \"compound_fill\"\n\
                   [subject.s]\nuse = \"correlation\"\non = \"b\"\n[analysis]\ngauges = [\"shd\"]\n";
    let rejected = parsed(unknown).err().unwrap();
    assert_eq!(
        rejected.problems[0].hint.as_deref(),
        Some("did you mean `compound_full`?")
    );
}

#[test]
fn data_that_cannot_be_learnt_from_fail_their_cell_with_the_reason() {
    let failures = |dataset: &str, press: &str| {
        let text = format!(
            "name = \"x\"\n[dataset.a]\nuse = \"temporal-sem\"\n{dataset}\n[dataset.b]\nbase = \"a\"\npress = [{press}]\n\
             [subject.s]\nuse = \"lagged-regression\"\non = \"b\"\n[analysis]\ngauges = [\"shd\"]\n"
        );
        let folder = tempfile::tempdir().unwrap();
        let findings = run(&sound(parsed(&text)), folder.path());
        findings
            .failures
            .into_iter()
            .map(|failed| failed.failure.to_string())
            .collect::<Vec<_>>()
            .join("\n")
    };
    let all_gone = r#"{ use = "missing-mcar", severity = 1 }"#;
    assert!(
        failures("windows = 20", all_gone).contains("`x0` has no two different observed values")
    );
    assert!(
        failures("windows = 20\nsteps = 1", "").contains("windows of 1 step have no earlier step")
    );
    assert!(failures("windows = 2\nsteps = 4\nvariables = 30", "").contains("6 steps"));
    assert_eq!(
        failures("windows = 20\nvariables = 1\nedges = 0", ""),
        "",
        "one variable has an empty graph"
    );
    let alone = "name = \"x\"\n[dataset.a]\nuse = \"temporal-sem\"\nvariables = 1\nedges = 0\n[dataset.b]\nbase = \"a\"\n\
                 press = [{ use = \"missing-structural\", severity = 0.2 }]\n[subject.s]\nuse = \"correlation\"\non = \"b\"\n\
                 [analysis]\ngauges = [\"shd\"]\n";
    let rejected = parsed(alone).err().unwrap();
    assert!(
        rejected.problems[0].message.contains("there is only one"),
        "{:?}",
        rejected.problems
    );
}
