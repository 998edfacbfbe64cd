//! Items that belong together: what changes when a study says so, and what must not.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use duress::plan::Plan;
use duress::table_reading::{self, GaugeOptions};
use duress_core::seed::Seed;
use duress_findings::{
    AbsenceReason, Doubt, Findings, Gauged, Quantity, Range, Resampled, VarianceSource, Verdict,
};
use duress_stats::dist::StudentT;

use super::{estimate, findings_in, planned_at, run_in, under};

/// An item: its id, its true class, the patient it is of, and what each subject makes of it.
#[derive(Clone)]
struct Item {
    id: String,
    label: &'static str,
    patient: String,
    /// By subject, how sure it is of the true class.
    sure: BTreeMap<&'static str, f64>,
}

const SUBJECTS: [&str; 2] = ["one", "two"];

/// Items of patients, some of whom are easier than others.
fn items(patients: usize, each: usize, seed: u64) -> Vec<Item> {
    let mut draws = Seed::new(seed).child("items").draws();
    let mut all = Vec::new();
    for patient in 0..patients {
        let ease = SUBJECTS.map(|_| draws.uniform());
        for nth in 0..each {
            let own = |ease: f64, draw: f64| (0.5 * ease + 0.5 * draw).clamp(0.02, 0.98);
            let sure = SUBJECTS
                .iter()
                .zip(ease)
                .map(|(subject, ease)| (*subject, own(ease, draws.uniform())));
            all.push(Item {
                id: format!("p{patient}-{nth}"),
                label: if (patient + nth) % 2 == 0 { "a" } else { "b" },
                patient: format!("p{patient}"),
                sure: sure.collect(),
            });
        }
    }
    all
}

/// Three seeds that differ a little about each item.
const SEEDS: [u64; 3] = [1, 2, 3];

fn write(folder: &Path, items: &[Item]) {
    let mut labels = "id,label,patient\n".to_string();
    for item in items {
        writeln!(labels, "{},{},{}", item.id, item.label, item.patient).unwrap();
    }
    fs::write(folder.join("labels.csv"), labels).unwrap();
    for subject in SUBJECTS {
        for seed in SEEDS {
            let mut said = "id,a,b\n".to_string();
            for item in items {
                // By what the item was before it was copied, so that copies are answered alike.
                let first = item.id.split('#').next().unwrap();
                let draw = Seed::new(seed)
                    .child(subject)
                    .child(first)
                    .draws()
                    .uniform();
                let sure = (item.sure[subject] + 0.2 * (draw - 0.5)).clamp(0.01, 0.99);
                let (a, b) = match item.label {
                    "a" => (sure, 1.0 - sure),
                    _ => (1.0 - sure, sure),
                };
                writeln!(said, "{},{a},{b}", item.id).unwrap();
            }
            fs::write(folder.join(format!("{subject}_{seed}.csv")), said).unwrap();
        }
    }
}

fn study(seeds: &[u64], of_dataset: &str, more: &str) -> String {
    let subject = |name: &str| {
        format!(
            "[subject.{name}]\nuse = \"recorded\"\nfiles = \"{name}_{{seed}}.csv\"\nclasses = [\"a\", \"b\"]\n"
        )
    };
    format!(
        "name = \"toy\"\nseeds = {seeds:?}\n[dataset.toy]\nuse = \"labelled\"\nfile = \"labels.csv\"\n{of_dataset}\n{}{}\n\
         [analysis]\nresamples = 200\n{more}",
        subject("one"),
        subject("two")
    )
}

const GAUGES: &str = "gauges = [\"accuracy\", \"auroc-macro\", \"ece\", \"aurc\"]\n";

fn planned(folder: &Path, text: &str) -> Arc<Plan> {
    let plan = planned_at(&folder.join("study.toml"), text);
    Arc::new(plan.unwrap_or_else(|rejected| panic!("{:#?}", rejected.problems)))
}

fn found(items: &[Item], text: &str) -> Findings {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), items);
    let (plan, run) = (planned(folder.path(), text), folder.path().join("run"));
    run_in(&plan, &run);
    findings_in(&plan, &run)
}

/// What is wrong with a study.
fn refused(items: &[Item], text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), items);
    match planned_at(&folder.path().join("study.toml"), text) {
        Ok(_) => panic!("it was taken"),
        Err(rejected) => rejected
            .problems
            .iter()
            .map(|problem| format!("{problem} {}\n", problem.hint.clone().unwrap_or_default()))
            .collect(),
    }
}

fn range(quantity: &Quantity) -> Range {
    *quantity
        .interval
        .as_ref()
        .unwrap_or_else(|why| panic!("{why}"))
}

fn width(quantity: &Quantity) -> f64 {
    range(quantity).high - range(quantity).low
}

fn doubts(findings: &Findings) -> Vec<&str> {
    let caveats = findings.caveats.iter();
    caveats.map(|caveat| caveat.doubt.kind()).collect()
}

#[test]
fn every_gauge_is_less_sure_of_itself_when_items_of_patients_are_counted_together() {
    let items = items(25, 8, 1);
    let alone = found(&items, &study(&SEEDS, "cluster = \"none\"", GAUGES));
    let together = found(
        &items,
        &study(&SEEDS, "", &format!("cluster = \"patient\"\n{GAUGES}")),
    );
    for gauge in ["accuracy", "auroc-macro", "ece", "aurc"] {
        let read = |findings| &estimate(findings, gauge, "one", &under("", 0.0)).quantity;
        let (alone, together) = (read(&alone), read(&together));
        assert_eq!(alone.value, together.value, "{gauge}");
        assert!(
            width(together) > 1.2 * width(alone),
            "{gauge}: {} against {}",
            width(together),
            width(alone)
        );
        assert_eq!(
            together.unit,
            Resampled::CrossedClusters {
                clusters: 25,
                column: "patient".into(),
                items: 200,
                seeds: 3
            }
        );
    }
    for (alone, together) in alone.contrasts.iter().zip(&together.contrasts) {
        assert!(
            width(&together.quantity) > width(&alone.quantity),
            "{}",
            alone.id
        );
    }
}

#[test]
fn clusters_of_one_item_give_exactly_what_items_give() {
    let mut items = items(60, 1, 2);
    items
        .iter_mut()
        .for_each(|item| item.patient = item.id.clone());
    let ladderless = |cluster: &str| found(&items, &study(&SEEDS, cluster, GAUGES));
    let (alone, together) = (
        ladderless("cluster = \"none\""),
        ladderless("cluster = \"patient\""),
    );
    assert_eq!(alone.estimates, together.estimates);
    assert_eq!(alone.contrasts, together.contrasts);
}

#[test]
fn copies_of_items_add_nothing_to_what_clusters_say() {
    let items = items(40, 1, 3);
    let copies: Vec<Item> = items
        .iter()
        .flat_map(|item| {
            (0..3).map(|copy| Item {
                id: format!("{}#{copy}", item.id),
                patient: item.id.clone(),
                ..item.clone()
            })
        })
        .collect();
    // Not `aurc`, whose mean over coverages k/n is another of three times as many items.
    let gauges =
        "gauges = [\"accuracy\", \"auroc-macro\", \"ece\", \"mce\", \"mcc\", \"f1-weighted\"]\n";
    let once = found(&items, &study(&SEEDS, "cluster = \"none\"", gauges));
    let thrice = found(&copies, &study(&SEEDS, "cluster = \"patient\"", gauges));
    let pairs = once
        .estimates
        .iter()
        .map(|one| (&one.id, &one.quantity))
        .chain(once.contrasts.iter().map(|one| (&one.id, &one.quantity)))
        .zip(
            thrice
                .estimates
                .iter()
                .map(|one| &one.quantity)
                .chain(thrice.contrasts.iter().map(|one| &one.quantity)),
        );
    let mut compared = 0;
    for ((id, once), thrice) in pairs {
        let (a, b) = (range(once), range(thrice));
        assert!(
            (a.low - b.low).abs() < 1e-9 && (a.high - b.high).abs() < 1e-9,
            "{id}: {a:?} {b:?}"
        );
        compared += 1;
    }
    assert_eq!(compared, 6 * 3);
}

#[test]
fn the_order_of_items_changes_nothing() {
    let items = items(30, 4, 4);
    let mut mixed = items.clone();
    Seed::new(4).child("order").draws().shuffle(&mut mixed);
    let text = study(
        &SEEDS,
        "cluster = \"patient\"",
        "gauges = [\"accuracy\", \"auroc-macro\"]\n",
    );
    let (plain, mixed) = (found(&items, &text), found(&mixed, &text));
    for (one, other) in plain.estimates.iter().zip(&mixed.estimates) {
        let (a, b) = (range(&one.quantity), range(&other.quantity));
        assert!((a.low - b.low).abs() < 1e-12 && (a.high - b.high).abs() < 1e-12);
    }
}

#[test]
fn a_difference_of_one_seed_has_the_cluster_robust_error_of_its_formula() {
    let items = items(12, 5, 5);
    let text = study(&[1], "cluster = \"patient\"", "gauges = [\"accuracy\"]\n");
    let findings = found(&items, &text);
    let contrast = &findings.contrasts[0].quantity;
    // Read back what was written, item by item.
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &items);
    let right = |subject: &str| -> Vec<f64> {
        let text = fs::read_to_string(folder.path().join(format!("{subject}_1.csv"))).unwrap();
        let rows = text.lines().skip(1).zip(&items);
        rows.map(|(row, item)| {
            let values: Vec<f64> = row.split(',').skip(1).map(|x| x.parse().unwrap()).collect();
            let said = if values[0] >= values[1] { "a" } else { "b" };
            f64::from(u8::from(said == item.label))
        })
        .collect()
    };
    let (two, one) = (right("two"), right("one"));
    let difference: Vec<f64> = two.iter().zip(&one).map(|(a, b)| a - b).collect();
    let (n, clusters) = (60.0, 12.0);
    let mean = difference.iter().sum::<f64>() / n;
    let sums = difference
        .chunks(5)
        .map(|own| own.iter().map(|d| d - mean).sum::<f64>());
    let squares: f64 = sums.map(|sum| sum * sum).sum();
    let error = (clusters / (clusters - 1.0) * squares).sqrt() / n;
    let half = StudentT::new(11.0).unwrap().upper_quantile(0.025).unwrap() * error;
    let found = range(contrast);
    assert!(
        (found.low - (mean - half)).abs() < 1e-12,
        "{found:?} {mean} {half}"
    );
    assert!((found.high - (mean + half)).abs() < 1e-12);
    assert_eq!(
        contrast.method.to_string(),
        "t over clusters, kept within −1 and 1"
    );
    assert_eq!(
        contrast.unit.to_string(),
        "12 clusters by patient (60 items), for this seed only"
    );
}

#[test]
fn one_cluster_has_a_value_and_no_interval_over_items() {
    let mut items = items(3, 4, 6);
    items.iter_mut().for_each(|item| item.patient = "p".into());
    let findings = found(&items, &study(&SEEDS, "cluster = \"patient\"", GAUGES));
    for one in &findings.estimates {
        assert!(one.quantity.value.value().is_some(), "{}", one.id);
        let column = "patient".to_string();
        assert_eq!(
            one.quantity.interval,
            Err(AbsenceReason::OneCluster { column }),
            "{}",
            one.id
        );
    }
    let seeds = study(
        &SEEDS,
        "cluster = \"patient\"",
        &format!("scope = \"replicates\"\n{GAUGES}"),
    );
    let findings = found(&items, &seeds);
    assert!(
        findings.estimates[0].quantity.interval.is_ok(),
        "new seeds, these items"
    );
}

#[test]
fn what_is_known_of_clusters_is_said_before_and_after_the_run() {
    let mut some = items(6, 4, 7);
    let text = |cluster: &str| study(&SEEDS, cluster, "gauges = [\"accuracy\"]\n");
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &some);
    let remarks = |text: &str| planned(folder.path(), text).remarks();
    assert!(remarks(&text(""))[0].contains("24 items in 6 groups by `patient`"));
    assert_eq!(remarks(&text("cluster = \"none\"")), Vec::<String>::new());
    assert_eq!(
        remarks(&text("cluster = \"patient\"")),
        Vec::<String>::new()
    );
    assert!(doubts(&found(&some, &text(""))).contains(&"ignores-groups"));
    assert!(!doubts(&found(&some, &text("cluster = \"none\""))).contains(&"ignores-groups"));
    let few = found(&some, &text("cluster = \"patient\""));
    assert!(doubts(&few).contains(&"clusters-are-few"));
    assert!(!doubts(&few).contains(&"ignores-groups"));
    // Twenty of one size are enough; the same with half of all items in one of them are not.
    let mut many = items(20, 4, 7);
    assert!(!doubts(&found(&many, &text("cluster = \"patient\""))).contains(&"clusters-are-few"));
    let first = many[0].patient.clone();
    many.iter_mut()
        .step_by(2)
        .for_each(|item| item.patient = first.clone());
    let uneven = found(&many, &text("cluster = \"patient\""));
    assert!(doubts(&uneven).contains(&"clusters-are-few"));
    // Forty are enough too, and not where half of them have seven items in eight: worth 26.
    let mut forty = items(40, 4, 7);
    assert!(!doubts(&found(&forty, &text("cluster = \"patient\""))).contains(&"clusters-are-few"));
    for at in (80..160).filter(|at| at % 4 > 0) {
        forty[at].patient = forty[at - 80].patient.clone();
    }
    let uneven = found(&forty, &text("cluster = \"patient\""));
    assert!(doubts(&uneven).contains(&"clusters-are-few"));
    some[0].patient = String::new();
    some[1].patient = "NA".into();
    write(folder.path(), &some);
    let clustered = text("cluster = \"patient\"");
    assert!(remarks(&clustered)[0].contains("2 of 24 items have no value in `patient`"));
    let findings = found(&some, &clustered);
    assert!(findings.caveats.iter().any(|one| matches!(
        &one.doubt,
        Doubt::ItemsWithoutCluster {
            items: 2,
            of: 24,
            ..
        }
    )));
    let unit = &estimate(&findings, "accuracy", "one", &under("", 0.0))
        .quantity
        .unit;
    assert!(
        matches!(unit, Resampled::CrossedClusters { clusters: 8, .. }),
        "{unit}"
    );
}

#[test]
fn a_column_that_is_not_there_and_tests_that_pair_items_are_refused() {
    let items = items(6, 4, 8);
    let text = |cluster: &str, more: &str| {
        study(&SEEDS, cluster, &format!("gauges = [\"accuracy\"]\n{more}"))
    };
    let wrong = refused(&items, &text("cluster = \"patiant\"", ""));
    assert!(
        wrong.contains("no column `patiant`") && wrong.contains("patient"),
        "{wrong}"
    );
    let claim = "[[claim]]\nname = \"H\"\ngauge = \"accuracy\"\nof = \"two\"\nagainst = \"one\"\n";
    let by_items = format!("{claim}test = \"paired-t\"\nunit = \"items\"\n");
    let wrong = refused(&items, &text("cluster = \"patient\"", &by_items));
    assert!(
        wrong.contains("claim `H` counts items as independent") && wrong.contains("are clustered"),
        "{wrong}"
    );
    found(&items, &text("cluster = \"none\"", &by_items));
    found(
        &items,
        &text(
            "cluster = \"patient\"",
            &format!("{claim}test = \"paired-t\"\nunit = \"seeds\"\n"),
        ),
    );
}

#[test]
fn clusters_are_told_from_their_items_where_variance_comes_from() {
    let items = items(40, 10, 9);
    let text = study(&SEEDS, "cluster = \"patient\"", "gauges = [\"brier\"]\n");
    let findings = found(&items, &text);
    let parts = &estimate(&findings, "brier", "one", &under("", 0.0)).variance;
    let sources: Vec<VarianceSource> = parts.iter().map(|part| part.source).collect();
    assert_eq!(
        sources,
        [
            VarianceSource::Cluster,
            VarianceSource::Item,
            VarianceSource::Replicate,
            VarianceSource::Rest
        ]
    );
    let sum = |pick: fn(&duress_findings::VariancePart) -> f64| parts.iter().map(pick).sum::<f64>();
    assert!((sum(|part| part.share) - 1.0).abs() < 1e-12);
    assert!((sum(|part| part.error_share) - 1.0).abs() < 1e-12);
    // Half of how sure a subject is comes from the patient; of the error, nearly all.
    assert!((0.25..0.75).contains(&parts[0].share), "{parts:?}");
    assert!(parts[0].error_share > 0.7, "{parts:?}");
    let alone = found(
        &items,
        &study(&SEEDS, "cluster = \"none\"", "gauges = [\"brier\"]\n"),
    );
    assert_eq!(alone.contrasts[0].variance.len(), 3);
}

fn gauged(folder: &Path, file: &str, cluster: Option<&str>) -> Gauged {
    let options = GaugeOptions {
        hints: table_reading::TableHints {
            cluster: cluster.map(String::from),
            ..table_reading::TableHints::default()
        },
        resamples: 200,
        ..GaugeOptions::default()
    };
    table_reading::gauge(&folder.join(file), &options, &super::parts::registry()).unwrap()
}

#[test]
fn a_table_is_gauged_by_clusters_as_a_study_of_one_seed_is() {
    let items = items(15, 6, 10);
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &items);
    let said = fs::read_to_string(folder.path().join("one_1.csv")).unwrap();
    let rows = said.lines().skip(1).zip(&items);
    let table = rows.fold(
        "id,a,b,label,patient\n".to_string(),
        |mut table, (row, item)| {
            writeln!(table, "{row},{},{}", item.label, item.patient).unwrap();
            table
        },
    );
    fs::write(folder.path().join("all.csv"), table).unwrap();
    let study = found(&items, &study(&[1], "cluster = \"patient\"", GAUGES));
    let clustered = gauged(folder.path(), "all.csv", Some("patient"));
    assert!(
        clustered
            .found
            .iter()
            .any(|line| line.contains("15 clusters by `patient`"))
    );
    for gauge in ["accuracy", "auroc-macro", "ece", "aurc"] {
        let own = clustered
            .gauges
            .iter()
            .find(|one| one.gauge == gauge)
            .unwrap();
        let other = &estimate(&study, gauge, "one", &under("", 0.0)).quantity;
        assert_eq!(range(&own.quantity), range(other), "{gauge}");
        assert!(matches!(
            own.quantity.unit,
            Resampled::Clusters { clusters: 15, .. }
        ));
    }
    let ignored = gauged(folder.path(), "all.csv", None);
    assert!(
        ignored
            .found
            .iter()
            .any(|line| line.contains("`--cluster patient`")),
        "{:?}",
        ignored.found
    );
}

#[test]
fn two_runs_are_compared_by_clusters() {
    let items = items(20, 6, 11);
    let compared = |cluster: &str| {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &items);
        let text = study(&SEEDS, cluster, "gauges = [\"accuracy\"]\n");
        let plan = planned(folder.path(), &text);
        run_in(&plan, &folder.path().join("before"));
        // The later run has answers of its own, to fewer items.
        write(folder.path(), &items[..100]);
        for seed in SEEDS {
            let from = folder.path().join(format!("two_{seed}.csv"));
            fs::copy(from, folder.path().join(format!("one_{seed}.csv"))).unwrap();
        }
        let later = planned(folder.path(), &text);
        run_in(&later, &folder.path().join("after"));
        let ledger =
            |run: &str| duress::ledger::Ledger::open(&folder.path().join(run).join("4-ledger"));
        duress::compare::compare((&plan, &ledger("before")), (&later, &ledger("after"))).unwrap()
    };
    let (alone, together) = (
        compared("cluster = \"none\""),
        compared("cluster = \"patient\""),
    );
    let (alone, together) = (&alone.changes[0], &together.changes[0]);
    assert!(width(&together.difference) > 1.1 * width(&alone.difference));
    assert!(
        matches!(
            together.difference.unit,
            Resampled::CrossedClusters { clusters: 17, .. }
        ),
        "{}",
        together.difference.unit
    );
}

/// Answers of two subjects that are equally good, of patients whose items are alike: two items of one
/// patient agree with correlation one half.
fn equal_subjects(seed: u64) -> Vec<Item> {
    let mut draws = Seed::new(seed).child("world").draws();
    let mut all = items(40, 10, seed);
    for patient in all.chunks_mut(10) {
        for subject in SUBJECTS {
            let whole = draws.uniform() < 0.7;
            for item in patient.iter_mut() {
                let own = draws.uniform() < 0.7;
                let right = if draws.uniform() < 0.5_f64.sqrt() {
                    whole
                } else {
                    own
                };
                item.sure.insert(subject, if right { 0.8 } else { 0.2 });
            }
        }
    }
    all
}

#[test]
fn cover_and_false_claims_are_right_with_clusters_and_wrong_without() {
    const STUDIES: usize = 150;
    let folder = tempfile::tempdir().unwrap();
    let mut text = format!("name = \"world\"\nseeds = {SEEDS:?}\n");
    for world in 0..STUDIES {
        let within = folder.path().join(format!("w{world}"));
        fs::create_dir(&within).unwrap();
        write(&within, &equal_subjects(100 + world as u64));
        write!(
            text,
            "[dataset.w{world}]\nuse = \"labelled\"\nfile = \"w{world}/labels.csv\"\n"
        )
        .unwrap();
    }
    for world in 0..STUDIES {
        for subject in SUBJECTS {
            write!(
                text,
                "[subject.{subject}-{world}]\nuse = \"recorded\"\non = \"w{world}\"\nfiles = \"w{world}/{subject}_{{seed}}.csv\"\nclasses = [\"a\", \"b\"]\n"
            )
            .unwrap();
        }
        write!(
            text,
            "[[claim]]\nname = \"H{world}\"\nfamily = \"H{world}\"\ngauge = \"accuracy\"\nof = \"two-{world}\"\nagainst = \"one-{world}\"\n"
        )
        .unwrap();
    }
    let with = |cluster: &str| {
        format!("{text}[analysis]\ngauges = [\"accuracy\"]\ncluster = \"{cluster}\"\n")
    };
    let run = folder.path().join("run");
    let together = planned(folder.path(), &with("patient"));
    run_in(&together, &run);
    let shares = |plan: &Plan| {
        let findings = findings_in(plan, &run);
        let held = findings.contrasts.iter().filter(|one| {
            let range = range(&one.quantity);
            (range.low..=range.high).contains(&0.0)
        });
        let upheld = findings
            .claims
            .iter()
            .filter(|one| one.verdict == Verdict::Upheld);
        let share = |count: usize| count as f64 / STUDIES as f64;
        (share(held.count()), share(upheld.count()))
    };
    let (held, upheld) = shares(&together);
    assert!(held >= 0.9 && upheld <= 0.1, "{held} {upheld}");
    // The same ledger, read as if items were independent.
    let (held, upheld) = shares(&planned(folder.path(), &with("none")));
    assert!(held < 0.75 && upheld > 0.12, "{held} {upheld}");
}
