//! The studies of recorded answers that come with the project, from their files to their findings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use duress_findings::{ClaimFinding, Findings, Reading, Resampled, Verdict};

use super::{estimate, findings_in, planned_at, run_in, under};

fn study(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../studies/classify/{name}/study.toml"))
}

/// What a study finds with few resamples: enough to see that all of it is there.
fn found(name: &str) -> Findings {
    let path = study(name);
    let text = std::fs::read_to_string(&path)
        .unwrap()
        .replace("resamples = 500", "resamples = 100");
    let plan =
        planned_at(&path, &text).unwrap_or_else(|rejected| panic!("{:#?}", rejected.problems));
    let (plan, folder) = (Arc::new(plan), tempfile::tempdir().unwrap());
    run_in(&plan, folder.path());
    let findings = findings_in(&plan, folder.path());
    assert_eq!(findings.failures, [], "every file is read");
    findings
}

fn claim<'a>(findings: &'a Findings, name: &str) -> &'a ClaimFinding {
    findings
        .claims
        .iter()
        .find(|claim| claim.name == name)
        .unwrap()
}

fn value(findings: &Findings, gauge: &str, subject: &str, severity: f64) -> f64 {
    let one = estimate(findings, gauge, subject, &under("pgd", severity));
    one.quantity
        .value
        .value()
        .unwrap_or_else(|| panic!("{gauge} of {subject}: {:?}", one.quantity.value))
}

#[test]
fn three_ways_to_train_are_told_apart_from_their_answers_alone() {
    let findings = found("recorded");
    // What the script that made the files printed, up to the rounding of logits.
    let clean = value(&findings, "accuracy", "baseline", 0.0);
    assert!((clean - 0.964).abs() < 0.01, "{clean}");
    let robust = |subject: &str| value(&findings, "accuracy", subject, 0.1);
    assert!(robust("baseline") < 0.55 && robust("trades") > 0.8 && robust("tri-objective") > 0.78);
    // Scaling changes no answer, only how sure each is.
    assert_eq!(
        value(&findings, "accuracy", "trades-scaled", 0.0),
        value(&findings, "accuracy", "trades", 0.0)
    );
    assert!(value(&findings, "nll", "trades-scaled", 0.0) < value(&findings, "nll", "trades", 0.0));
    assert!(findings.caveats.iter().any(|one| {
        let said = one.doubt.to_string();
        said.contains("temperature") && said.contains("validation.npz")
    }));
    let effect = findings.contrasts.iter().find(|one| {
        one.gauge == "ece"
            && one.of.subject.as_str() == "trades-scaled"
            && one.against.subject.as_str() == "trades"
    });
    assert!(
        effect.is_some(),
        "the effect of the temperature is a contrast"
    );
}

#[test]
fn significance_and_target_are_two_answers_to_each_hypothesis() {
    let findings = found("recorded");
    for (_, claim) in findings.claims.iter().flat_map(ClaimFinding::judged) {
        assert!(claim.test.is_ok(), "{}: {:?}", claim.name, claim.test);
        assert!(
            !claim.power.is_empty() && !claim.why.is_empty(),
            "{}",
            claim.name
        );
        assert_eq!(
            claim.verdict == Verdict::Undecided,
            claim.would_decide.is_some(),
            "{}",
            claim.name
        );
        assert!(
            matches!(claim.quantity.unit, Resampled::Crossed { seeds: 3, .. }),
            "{}: {}",
            claim.name,
            claim.quantity.unit
        );
    }
    let first = claim(&findings, "H1.1");
    let test = first.test.as_ref().unwrap();
    assert_eq!(
        (test.n, test.method.to_string().as_str()),
        (600, "crossed t")
    );
    assert!(
        test.correction
            .to_string()
            .contains("over 5 tests of the family `H1`"),
        "{}",
        test.correction
    );
    assert_eq!(
        first
            .effects
            .iter()
            .map(|(name, _)| name.as_str())
            .collect::<Vec<_>>(),
        ["d_z", "d_av"]
    );
    let equivalent = claim(&findings, "H1.2");
    assert!(
        equivalent.power[0].contains("equivalence within ±0.02"),
        "{:?}",
        equivalent.power
    );
    let line = &claim(&findings, "H3").parts[2];
    assert!(
        line.power[0].contains("With 3 seeds") && line.power[0].contains("beyond 3"),
        "{:?}",
        line.power
    );
    assert!(
        line.effects.is_empty(),
        "a value has no rival to be so many deviations away from"
    );
}

#[test]
fn a_census_is_read_by_year_and_by_sex() {
    let findings = found("census");
    let years: Vec<_> = findings
        .slices
        .iter()
        .filter(|one| one.column == "year" && one.gauge == "accuracy")
        .collect();
    assert_eq!(years.len(), 2 * 3, "two subjects in three years");
    let model = estimate(&findings, "accuracy", "model", &under("", 0.0));
    assert!(
        model
            .quantity
            .value
            .value()
            .is_some_and(|share| (0.8..0.9).contains(&share)),
        "{:?}",
        model.quantity
    );
    assert!(matches!(
        estimate(&findings, "rejection-quality", "model", &under("", 0.0)).quantity.value,
        Reading::Value(ratio) if ratio > 2.0
    ));
}

#[test]
fn classes_in_another_order_are_refused_unless_the_study_states_it() {
    let path = study("census");
    let text = std::fs::read_to_string(&path).unwrap();
    let named = "classes = [\"not employed\", \"employed\"]";
    let turned = text.replacen(named, "classes = [\"employed\", \"not employed\"]", 1);
    // The subjects still state theirs, so both are known by name, and nobody is mistaken for the
    // other.
    assert!(planned_at(&path, &turned).is_ok());
    let unstated = text.replace(named, "").replacen(
        "use = \"labelled\"",
        &format!("use = \"labelled\"\n{named}"),
        1,
    );
    let rejected = planned_at(&path, &unstated)
        .err()
        .expect("nobody states the order");
    let said = rejected.problems[0].to_string();
    assert!(
        said.contains("the answers are about the classes 0, 1"),
        "{said}"
    );
    assert!(
        said.contains("those of the dataset, in its order: not employed, employed"),
        "{said}"
    );
}

#[test]
fn adversarial_training_withstands_more_of_the_ensemble() {
    let findings = found("attack-suite");
    let claim = claim(&findings, "adversarial training helps against the ensemble");
    assert_eq!(claim.verdict, Verdict::Upheld, "{}", claim.why);
    let standing = |ladder: &str, subject: &str| {
        let at = under(ladder, 16.0 / 255.0);
        let one = estimate(&findings, "accuracy", subject, &at);
        one.quantity.value.value().unwrap()
    };
    for subject in ["mlp", "robust"] {
        assert!(standing("attack-suite", subject) <= standing("pgd", subject));
    }
}
