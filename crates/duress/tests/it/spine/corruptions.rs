//! Corruptions from a study's text to findings: errors beside those of a reference, and several
//! corruptions at once.

use std::path::Path;

use duress_findings::Under;

use super::{estimate, found, name, planned_at};

fn study(more: &str) -> String {
    format!(
        r#"
name = "corrupted"
seeds = [1, 2]

[dataset.digits]
use = "digits"

[subject.linear]
use = "trained"
on = "digits"
network = "linear"
epochs = 3

[subject.mlp]
use = "trained"
on = "digits"
epochs = 3

[ladder.contrast]
use = "contrast"
severities = [0.5, 1]

[ladder.frost]
use = "frost"
severities = [0.5, 1]

[condition.both]
press = [{{ use = "contrast", severity = 1 }}, {{ use = "frost", severity = 1 }}]

[analysis]
gauges = ["accuracy"]

[gauge.corrupted]
use = "mean-over-ladders"
{more}
"#
    )
}

#[test]
fn corruption_errors_are_read_beside_a_reference_with_an_interval() {
    let error = "[gauge.error]\nuse = \"mean-corruption-error\"\nreference = \"linear\"\n";
    let findings = found(&study(error));
    let read = |gauge: &str, subject: &str, under: &Under| {
        let estimate = estimate(&findings, gauge, subject, under);
        let interval = estimate.quantity.interval.as_ref().unwrap();
        let value = estimate.quantity.value.value().unwrap();
        (value, interval.low, interval.high)
    };
    // The reference is as good as itself whatever is drawn.
    let itself = &estimate(&findings, "error", "linear", &Under::Everything).quantity;
    assert!((itself.value.value().unwrap() - 1.0).abs() < 1e-12);
    assert!(itself.interval.is_err(), "{:?}", itself.interval);
    let (value, low, high) = read("error", "mlp", &Under::Everything);
    assert!(
        value > 0.0 && low < value && value < high,
        "{low} {value} {high}"
    );
    let (mean, _, _) = read("corrupted", "mlp", &Under::Everything);
    let rung = |ladder: &str, severity: f64| {
        let under = super::under(ladder, severity);
        read("accuracy", "mlp", &under).0
    };
    let by_hand = (rung("contrast", 0.5) + rung("contrast", 1.0)) / 4.0
        + (rung("frost", 0.5) + rung("frost", 1.0)) / 4.0;
    assert!((mean - by_hand).abs() < 1e-9, "{mean} {by_hand}");
    let (both, _, _) = read("accuracy", "mlp", &Under::Condition(name("both")));
    assert!(both < rung("contrast", 1.0).max(rung("frost", 1.0)));
}

#[test]
fn a_reference_that_is_no_subject_is_refused() {
    let error = "[gauge.error]\nuse = \"mean-corruption-error\"\nreference = \"linaer\"\n";
    let refused = planned_at(Path::new("study.toml"), &study(error));
    let problems = refused.err().unwrap().problems;
    let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert!(
        said.join("\n")
            .contains("there is no subject `linaer` to divide by"),
        "{said:?}"
    );
}
