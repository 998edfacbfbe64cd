//! Fitting: learning curves in findings, weights as files, and clusters that are held out whole.

use duress::ledger::Ledger;
use duress::ledger::export_weights::weights_into;
use duress::plan::Preparation;

use super::*;

const DIGITS: &str = r#"
name = "taught"
seeds = [1, 2]

[dataset.digits]
use = "digits"
fit-share = 0.3

[subject.mlp]
use = "trained"
on = "digits"
epochs = 2
hidden = [8]
validation = 0.2

[analysis]
gauges = ["accuracy"]
"#;

#[test]
fn what_is_taught_is_found_again_as_curves_and_as_files() {
    let (plan, folder) = (planned(DIGITS), tempfile::tempdir().unwrap());
    run_in(&plan, folder.path());
    let findings = findings_in(&plan, folder.path());
    let told: Vec<(&Name, u64)> = findings
        .fittings
        .iter()
        .map(|one| (&one.subject, one.seed))
        .collect();
    assert_eq!(told, [(&name("mlp"), 1), (&name("mlp"), 2)]);
    let curve = &findings.fittings[0].curve;
    assert_eq!(curve.step, "epoch");
    let values = |at: usize| curve.series[at].values.clone();
    assert_eq!(values(0).len(), 2);
    assert!(values(0)[1] < values(0)[0], "{curve:?}");
    let ledger = Ledger::open(&folder.path().join("4-ledger"));
    let weights = folder.path().join("weights");
    let exported = weights_into(&plan, &ledger, &weights).unwrap();
    let files = ["mlp_seed1_best.safetensors", "mlp_seed2_best.safetensors"];
    assert_eq!(exported.files, files);
    assert_eq!(exported.without, 0);
    assert!(files.iter().all(|file| weights.join(file).exists()));
}

#[test]
fn what_is_half_fitted_is_kept_in_the_ledger_until_it_is_whole() {
    let (plan, folder) = (planned(DIGITS), tempfile::tempdir().unwrap());
    let folder = folder.path();
    let ledger = Ledger::create(&folder.join("4-ledger")).unwrap();
    let subject = plan.subjects.positions().next().unwrap();
    let replicate = plan.study.seeds.positions().next().unwrap();
    let id = plan.preparation_id(Preparation::clean(subject, replicate));
    // Bytes that are no half of this fitting are as if they were not there.
    ledger.keep_half_done(id, b"of another time").unwrap();
    run_in(&plan, folder);
    assert!(ledger.half_done(id).unwrap().is_none());
    assert!(ledger.checkpoint(id).unwrap().is_some());
}

#[test]
fn how_items_belong_together_decides_what_is_learnt_where_some_are_held_out() {
    let lesions = |validation: &str, cluster: &str| {
        format!(
            r#"
name = "held-out"
seeds = [1]

[dataset.lesions]
use = "generated-lesions"
size = 32
train = 12
test = 8
{cluster}

[subject.linear]
use = "trained"
on = "lesions"
network = "linear"
epochs = 1
{validation}

[analysis]
gauges = ["accuracy"]
"#
        )
    };
    let id = |validation: &str, cluster: &str| {
        let plan = planned(&lesions(validation, cluster));
        let subject = plan.subjects.positions().next().unwrap();
        let replicate = plan.study.seeds.positions().next().unwrap();
        plan.preparation_id(Preparation::clean(subject, replicate))
    };
    let alone = "cluster = \"none\"";
    let by_lesion = "cluster = \"lesion\"";
    let share = "validation = 0.25";
    assert_eq!(id("", alone), id("", ""));
    assert_ne!(id(share, alone), id(share, ""));
    assert_ne!(id(share, by_lesion), id(share, ""));
    assert_ne!(id(share, by_lesion), id(share, alone));
}
