//! Replicates read as a study reads them, held against what is known of their error otherwise.

#![expect(
    clippy::unwrap_used,
    reason = "what a test makes up is known to be right"
)]

use std::path::Path;
use std::sync::Arc;

use duress::Registry;
use duress::analysis::Replicates;
use duress_core::answer::{Answers, ClassAnswers, Said};
use duress_core::gauge::{Gauge, Mean, Meter, SHARE, open_cell};
use duress_core::part::{Build, Params, PartKind};
use duress_core::seed::{Draws, Seed};
use duress_core::truth::{Labels, Sealed, Truth};
use duress_findings::{Quantity, Range};
use duress_stats::dist::StudentT;
use duress_stats::{Side, interval, tests};

fn range(quantity: &Quantity) -> Range {
    *quantity
        .interval
        .as_ref()
        .unwrap_or_else(|why| panic!("{why}"))
}

/// Right and wrong of a few seeds that differ much.
fn meters(seed: u64, seeds: usize, items: usize) -> Vec<Arc<dyn Meter>> {
    let mut draws = Seed::new(seed).child("meters").draws();
    let meter = |_| -> Arc<dyn Meter> {
        let share = 0.3 + 0.4 * draws.uniform();
        let right = (0..items).map(|_| Some(f64::from(u8::from(draws.chance(share)))));
        Arc::new(Mean::share(right.collect()))
    };
    (0..seeds).map(meter).collect()
}

#[test]
fn beyond_a_tail_of_a_fortieth_no_interval_is_narrower_than_student_over_seeds() {
    let mut narrower = 0;
    for seed in 0..40 {
        let (ours, theirs) = (meters(seed, 3, 30), meters(1000 + seed, 3, 30));
        let readings = |meters: &[Arc<dyn Meter>]| -> Vec<f64> {
            meters.iter().map(|meter| meter.plain().unwrap()).collect()
        };
        let differences: Vec<f64> = readings(&ours)
            .iter()
            .zip(readings(&theirs))
            .map(|(a, b)| a - b)
            .collect();
        let (first, second) = (
            Replicates::new(ours.clone(), SHARE),
            Replicates::new(theirs, SHARE),
        );
        for level in [0.96, 0.98, 0.99, 0.999, 0.9999] {
            let found = [first.quantity(level), first.difference(&second, level)];
            for (found, values) in found.iter().zip([&readings(&ours), &differences]) {
                let (found, student) = (range(found), interval::student_t(values, level).unwrap());
                assert!(
                    found.low <= student.low + 1e-12 && found.high >= student.high - 1e-12,
                    "{level}: {found:?} {student:?}"
                );
            }
        }
        let near = range(&first.difference(&second, 0.5));
        let student = interval::student_t(&differences, 0.5).unwrap();
        narrower += usize::from(near.high - near.low < student.high - student.low);
    }
    // The rule is one of far tails: near ones are not bound to it.
    assert!(narrower > 0);
}

/// Scores of two classes, the second a deviation higher.
struct Scored {
    positives: Vec<bool>,
    scores: Vec<f64>,
}

fn scored(draws: &mut Draws, items: usize) -> Scored {
    let positives: Vec<bool> = (0..items).map(|item| item % 2 == 0).collect();
    let score = |positive: &bool| draws.normal() + f64::from(u8::from(*positive));
    let scores = positives.iter().map(score).collect();
    Scored { positives, scores }
}

fn auroc(of: &Scored) -> Arc<dyn Meter> {
    let registry = Registry::standard();
    let part = registry.find(PartKind::Gauge, "auroc-macro").unwrap();
    let params = Params::of(part, &[], Path::new("")).unwrap();
    let Build::Gauge(build) = part.build else {
        panic!("it is a gauge")
    };
    let Gauge::Cell(gauge) = build(&params).unwrap() else {
        panic!("it reads cells")
    };
    let classes = || vec!["no".to_string(), "yes".to_string()];
    let labels = of.positives.iter().map(|yes| u32::from(*yes)).collect();
    let truth = Truth::Labels(Labels::new(classes(), labels).unwrap());
    let rows = of.scores.iter().flat_map(|score| [0.0, *score]).collect();
    let said = Answers::Classes(ClassAnswers::new(classes(), Said::Logits(rows)));
    open_cell(gauge.as_ref(), &Sealed::new(truth), &said).unwrap()
}

/// The standard error that an interval on log-odds was made of.
fn error_of(quantity: &Quantity, units: f64) -> f64 {
    let (found, value) = (range(quantity), quantity.value.value().unwrap());
    let log_odds = |p: f64| (p / (1.0 - p)).ln();
    let half = 0.5 * (log_odds(found.high) - log_odds(found.low));
    let t = StudentT::new(units - 1.0)
        .unwrap()
        .upper_quantile(0.025)
        .unwrap();
    half / t * value * (1.0 - value)
}

#[test]
fn left_out_one_by_one_or_in_groups_an_auroc_has_the_error_of_delong() {
    let mut draws = Seed::new(5).child("auroc").draws();
    for (items, units, tolerance) in [
        (200, 200.0, 0.03),
        (400, 400.0, 0.02),
        (1000, 400.0, 0.1),
        (3000, 400.0, 0.1),
    ] {
        let of = scored(&mut draws, items);
        let found = Replicates::new(vec![auroc(&of)], SHARE).quantity(0.95);
        let known = tests::delong(&of.scores, &of.positives, 0.5, Side::TwoSided, 0.95).unwrap();
        let known = (known.estimate.unwrap() - 0.5) / known.statistic;
        let ratio = error_of(&found, units) / known;
        assert!((ratio - 1.0).abs() < tolerance, "{items} items: {ratio}");
    }
}

#[test]
fn intervals_of_an_auroc_left_out_in_groups_hold_the_truth() {
    const DRAWS: usize = 300;
    // Two normal scores that lie a deviation apart: Φ(1/√2).
    let truth = 0.760_249_938_906_524;
    let mut draws = Seed::new(6).child("auroc").draws();
    let held = (0..DRAWS).filter(|_| {
        let of = scored(&mut draws, 900);
        let found = range(&Replicates::new(vec![auroc(&of)], SHARE).quantity(0.95));
        (found.low..=found.high).contains(&truth)
    });
    let share = held.count() as f64 / DRAWS as f64;
    assert!((0.915..=0.985).contains(&share), "{share}");
}
