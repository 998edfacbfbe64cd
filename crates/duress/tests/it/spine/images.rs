//! Adversarial images that a study keeps, and what is exported of them; certificates beside an attack.

use std::path::Path;

use duress::ledger::Ledger;
use duress::ledger::export_images::images_into;
use duress::run::RunPaths;
use duress_tables::formats::npz::{Tensor, tensors};

use super::{estimate, found, linear_on_digits, planned, planned_at, run_in, under};

fn study(keep: &str) -> String {
    linear_on_digits(
        "kept-images",
        &format!(
            r#"
[ladder.pgd]
use = "pgd"
severities = [0.05, 0.1]
{keep}

[analysis]
gauges = ["accuracy"]
scope = "items"
"#
        ),
    )
}

#[test]
fn kept_images_come_out_with_their_norms_answers_and_losses() {
    let text = study("keep = \"adversarial\"");
    let plan = planned(&text);
    let (run, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run_in(&plan, run.path());
    let ledger = Ledger::open(&RunPaths::new(run.path()).ledger());
    let exported = images_into(&plan, &ledger, out.path()).unwrap();
    assert_eq!((exported.archives, exported.without), (2, 0));
    assert!(
        exported.pictures > 0 && exported.pictures <= exported.broken,
        "{exported:?}"
    );
    let mut files = std::fs::read_dir(out.path()).unwrap().flatten();
    let hardest = files.find(|file| {
        let name = file.file_name().to_string_lossy().into_owned();
        name.contains("0.1") && name.ends_with("seed1.npz")
    });
    let held = tensors(&hardest.unwrap().path()).unwrap();
    let values = |name: &str| -> &Tensor { &held[name] };
    let count = values("labels").values.len();
    assert_eq!(values("images").shape, [count, 1, 8, 8]);
    assert!(values("linf").values.iter().all(|far| *far <= 0.1 + 1e-6));
    assert!(
        values("l1")
            .values
            .iter()
            .zip(&values("l2").values)
            .all(|(l1, l2)| l1 + 1e-12 >= *l2)
    );
    let pairs = values("answers")
        .values
        .iter()
        .zip(&values("labels").values);
    let broken = pairs.filter(|(answer, label)| answer != label).count();
    assert!(
        (1..=exported.broken).contains(&broken),
        "{broken} {exported:?}"
    );
    assert_eq!(values("logits").shape, [count, 10]);
    assert_eq!(values("losses").values.len(), count);
    let audit = ledger.audit().unwrap();
    assert!(audit.unreadable.is_empty() && audit.strange.is_empty());
}

#[test]
fn images_are_not_kept_unless_the_study_says_so_and_only_of_attacks() {
    let plan = planned(&study(""));
    let (run, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run_in(&plan, run.path());
    let ledger = Ledger::open(&RunPaths::new(run.path()).ledger());
    let exported = images_into(&plan, &ledger, out.path()).unwrap();
    assert_eq!((exported.archives, exported.without), (0, 2));
    let blind =
        study("keep = \"adversarial\"").replace("use = \"pgd\"", "use = \"gaussian-noise\"");
    let wrong = planned_at(Path::new("study.toml"), &blind).err().unwrap();
    let said = format!("{:?}", wrong.problems);
    assert!(said.contains("is no attack"), "{said}");
}

#[test]
fn what_is_certified_stands_under_the_attack_on_the_same_smoothed_classifier() {
    let findings = found(
        r#"
name = "smoothed"
seeds = [1]

[dataset.digits]
use = "digits"
fit-share = 0.95

[subject.smoothed]
use = "trained"
on = "digits"
network = "linear"
smoothing = 0.25
smoothing-draws = 100

[ladder.pgd]
use = "pgd"
norm = "l2"
steps = 5
severities = [0.1, 0.3]

[analysis]
gauges = ["accuracy", "certified-accuracy"]
scope = "items"
"#,
    );
    let value = |gauge: &str, severity: f64| {
        let one = estimate(&findings, gauge, "smoothed", &under("pgd", severity));
        one.quantity.value.value().unwrap()
    };
    for severity in [0.1, 0.3] {
        let (attacked, certified) = (
            value("accuracy", severity),
            value("certified-accuracy", severity),
        );
        assert!(certified <= attacked, "{severity}: {certified} {attacked}");
    }
    assert!(
        value("certified-accuracy", 0.1) > 0.3,
        "it certifies something"
    );
    assert!(value("certified-accuracy", 0.3) < value("certified-accuracy", 0.1));
}
