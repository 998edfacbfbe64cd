//! Several datasets of one subject: what is taken off on another one, which of them a ladder
//! presses, and a temperature that is fitted on one and used on the others.

use std::path::Path;

use duress_core::place::{Place, Under};
use duress_findings::{ClaimFinding, Findings, Reading};

use super::{found, name, planned, planned_at};

/// Two small classifiers, tested on the same lesions with two kinds of artefacts and on others.
fn study(seeds: &str, more: &str) -> String {
    let dataset = |name: &str, line: &str| {
        format!("[dataset.{name}]\nuse = \"generated-lesions\"\ntrain = 60\ntest = 40\n{line}\n")
    };
    let subject = |name: &str, epochs: usize| {
        format!(
            "[subject.{name}]\nuse = \"trained\"\non = \"lesions\"\ntest-on = [\"lesions\", \"correlated\", \"validation\"]\n\
             network = \"linear\"\nepochs = {epochs}\n"
        )
    };
    [
        format!("name = \"compared\"\nseeds = {seeds}\n"),
        dataset("lesions", ""),
        dataset("correlated", "artefacts = \"correlated\""),
        dataset("validation", "patients = \"validation\""),
        subject("one", 2),
        subject("two", 6),
        "[analysis]\ngauges = [\"accuracy\", \"nll\", \"temperature\"]\n".into(),
        more.into(),
    ]
    .concat()
}

const RELIANCE: &str = "[[claim]]\nname = \"c\"\ngauge = \"accuracy\"\non = \"correlated\"\nminus-on = \"lesions\"\nof = \"one\"\n";

fn wrong_with(text: &str) -> String {
    let rejected = planned_at(Path::new("study.toml"), text).err().unwrap();
    let problems = rejected.problems.iter().map(ToString::to_string);
    problems.collect::<Vec<_>>().join("\n")
}

/// The clean readings of a gauge, seed by seed.
fn readings(findings: &Findings, gauge: &str, subject: &str, dataset: &str) -> Vec<Reading> {
    let place = Place {
        subject: name(subject),
        dataset: name(dataset),
        under: Under::Clean,
    };
    let mut estimates = findings.estimates.iter();
    let found = estimates.find(|one| one.gauge == gauge && one.place == place);
    let found = found.unwrap_or_else(|| panic!("{gauge} at {place:?}"));
    found.by_seed.iter().map(|(_, one)| one.clone()).collect()
}

fn values(findings: &Findings, gauge: &str, subject: &str, dataset: &str) -> Vec<f64> {
    let all = readings(findings, gauge, subject, dataset).into_iter();
    all.map(|reading| reading.value().unwrap()).collect()
}

/// What a subject owes to artefacts that go with the label, seed by seed.
fn owed(findings: &Findings, subject: &str) -> Vec<f64> {
    let with = values(findings, "accuracy", subject, "correlated");
    let without = values(findings, "accuracy", subject, "lesions");
    with.iter().zip(without).map(|(a, b)| a - b).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn estimate(claim: &ClaimFinding) -> f64 {
    claim.quantity.value.value().unwrap()
}

#[test]
fn what_a_subject_owes_to_artefacts_is_compared_with_what_another_owes() {
    let against = format!("{RELIANCE}against = \"two\"\nside = \"less\"\n");
    let findings = found(&study("[1, 2, 3]", &against));
    let claim = &findings.claims[0];
    let (one, two) = (owed(&findings, "one"), owed(&findings, "two"));
    assert!((estimate(claim) - (mean(&one) - mean(&two))).abs() < 1e-12);
    assert_eq!(
        claim.sentence,
        "accuracy of one on correlated minus lesions when clean is less than that of two"
    );
    assert_eq!(claim.minus_on.as_ref().unwrap().as_str(), "lesions");
    assert_eq!(claim.places().len(), 4);
    // Each seed drew items of its own: t over the differences of three seeds.
    let differences: Vec<f64> = one.iter().zip(&two).map(|(a, b)| a - b).collect();
    let spread = {
        let centre = mean(&differences);
        let squares = differences.iter().map(|one| (one - centre).powi(2));
        (squares.sum::<f64>() / 2.0).sqrt()
    };
    let interval = claim.judged_by.as_ref().unwrap();
    // The 95 % point of Student's t at two degrees of freedom.
    let half = 2.919_985_580_353_725 * spread / 3.0_f64.sqrt();
    assert!(
        (interval.high - interval.low - 2.0 * half).abs() < 1e-9,
        "{interval:?}"
    );
}

#[test]
fn of_one_seed_the_difference_is_one_of_items() {
    let findings = found(&study("[1]", RELIANCE));
    let claim = &findings.claims[0];
    assert!((estimate(claim) - owed(&findings, "one")[0]).abs() < 1e-12);
    // Most lesions are answered alike with both kinds of artefacts: paired, the interval is far
    // narrower than that of a difference of two separate shares, 2 · 1.64 · √(2 · 0.25 / 40).
    let interval = claim.judged_by.as_ref().unwrap();
    let width = interval.high - interval.low;
    assert!(width > 0.0 && width < 0.37, "{interval:?}");
}

#[test]
fn only_the_same_items_can_be_taken_off() {
    let other = RELIANCE.replace("minus-on = \"lesions\"", "minus-on = \"validation\"");
    let told = wrong_with(&study("[1]", &other));
    assert!(
        told.contains("claim `c`: `correlated` and `validation` do not show the same items"),
        "{told}"
    );
    let itself = RELIANCE.replace("minus-on = \"lesions\"", "minus-on = \"correlated\"");
    let told = wrong_with(&study("[1]", &itself));
    assert!(told.contains("`correlated` minus itself"), "{told}");
    let counted = format!("{RELIANCE}against = \"two\"\ntest = \"mcnemar\"\n");
    let told = wrong_with(&study("[1]", &counted));
    assert!(
        told.contains("`mcnemar` compares two answers to an item"),
        "{told}"
    );
}

#[test]
fn a_ladder_presses_the_datasets_it_names_and_no_others() {
    let ladder =
        "[ladder.noise]\nuse = \"gaussian-noise\"\nseverities = [0.1]\ndatasets = [\"lesions\"]\n";
    let plan = planned(&study("[1]", ladder));
    let pressed = plan.cells().filter(|cell| cell.stress.is_some());
    let pressed: Vec<_> = pressed
        .map(|cell| plan.study.datasets[cell.test].name.clone())
        .collect();
    assert_eq!(pressed.len(), 2);
    assert!(pressed.iter().all(|name| name.as_str() == "lesions"));
    assert_eq!(plan.cells().count(), plan.count().cells);
    let claim = "[[claim]]\nname = \"c\"\ngauge = \"accuracy\"\non = \"correlated\"\nof = \"one\"\nat = { ladder = \"noise\", severity = 0.1 }\n";
    let told = wrong_with(&study("[1]", &format!("{ladder}{claim}")));
    assert!(
        told.contains("`noise` does not press dataset `correlated`"),
        "{told}"
    );
    let nobody = study("[1]", ladder).replace("test-on = [\"lesions\", ", "test-on = [");
    let told = wrong_with(&nobody);
    assert!(told.contains("`noise` presses no subject"), "{told}");
}

#[test]
fn a_temperature_is_fitted_on_one_dataset_and_used_on_the_others() {
    let scaled = "[gauge.nll-scaled]\nuse = \"nll\"\ntemperature-on = \"validation\"\n";
    let findings = found(&study("[1, 2, 3]", scaled));
    for subject in ["one", "two"] {
        let raw = values(&findings, "nll", subject, "lesions");
        let at_fitted = values(&findings, "nll-scaled", subject, "lesions");
        let fitted = values(&findings, "temperature", subject, "validation");
        let best = values(&findings, "temperature", subject, "lesions");
        for seed in 0..3 {
            assert_ne!(raw[seed], at_fitted[seed]);
            // Convex in 1/T: nearer to the best temperature than 1 is, on its side of it, is lower.
            let (wanted, used) = (1.0 / best[seed], 1.0 / fitted[seed]);
            let between = (used - 1.0) * (used - wanted) <= 0.0;
            if between {
                assert!(at_fitted[seed] < raw[seed], "{subject}, seed {seed}");
            }
        }
        let there = readings(&findings, "nll-scaled", subject, "validation");
        for reading in there {
            assert!(format!("{reading:?}").contains("fitted on these items"));
        }
    }
    let narrow = study("[1]", scaled).replace(", \"validation\"]", "]");
    let told = wrong_with(&narrow);
    assert!(
        told.contains("on which subject `one` is not tested"),
        "{told}"
    );
}

#[test]
fn layouts_can_be_about_one_of_the_datasets() {
    let findings = found(&study("[1]", RELIANCE));
    let on_lesions = findings.on_dataset(&name("lesions"));
    assert_eq!(on_lesions.datasets.len(), 1);
    assert_eq!(on_lesions.estimates.len(), findings.estimates.len() / 3);
    let mut places = on_lesions.estimates.iter().map(|one| &one.place);
    assert!(places.all(|place| place.dataset.as_str() == "lesions"));
    assert_eq!(on_lesions.claims, findings.claims);
}
