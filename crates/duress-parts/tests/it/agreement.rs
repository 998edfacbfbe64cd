//! The gauges of classifiers beside other software, on cases that `peers/classify/run.py` made:
//! ties, absent classes, one class, one item, saturated probabilities, confidences on the edges of
//! bins.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as the test may"
)]

use std::path::Path;

use duress_core::answer::{Answers, ClassAnswers, Said};
use duress_core::gauge::{CellGauge, Gauge, Undefined, open_cell};
use duress_core::part::{Build, Params, PartKind, Raw};
use duress_core::truth::{Labels, Sealed, Truth};
use duress_parts::registry::Registry;
use serde_json::Value;

const CASES: &str = include_str!("../data/classify.jsonl");

/// How far a reading may be from the peer's; torchmetrics adds up its calibration error in single
/// precision.
fn tolerance(name: &str) -> f64 {
    if name.starts_with("ece-torchmetrics") {
        1e-6
    } else {
        1e-10
    }
}

/// The gauge that a name of the file stands for: `aurc energy`, `coverage at 0.9`, `coverage 0.8`,
/// `nll clip`.
fn gauge(name: &str, header: &Value) -> Box<dyn CellGauge> {
    let mut words = name.split(' ');
    let part = Registry::standard()
        .find(PartKind::Gauge, words.next().unwrap())
        .unwrap();
    let number = |key: &str| Raw::Number(header[key].as_f64().unwrap());
    let keys: Vec<(&str, Raw)> = match (words.next(), words.next()) {
        (None, _) => Vec::new(),
        (Some("clip"), _) => vec![("clip", number("clip"))],
        (Some("at"), Some(share)) => vec![("coverage", Raw::Number(share.parse().unwrap()))],
        (Some("0.8"), _) => vec![("threshold", Raw::Number(0.8))],
        (Some(kind), _) => {
            vec![
                ("confidence", Raw::Text(kind.into())),
                ("temperature", number("temperature")),
            ]
        }
    };
    let Build::Gauge(build) = part.build else {
        panic!("{name} is no gauge")
    };
    match build(&Params::of(part, &keys, Path::new("")).unwrap()).unwrap() {
        Gauge::Cell(gauge) => gauge,
        _ => panic!("{name} reads no single cell"),
    }
}

struct Case {
    truth: Vec<u32>,
    rows: Vec<f64>,
    logits: bool,
    classes: usize,
    expected: Vec<Value>,
    fitted: Option<Value>,
}

impl Case {
    fn read(line: &str) -> Case {
        let value: Value = serde_json::from_str(line).unwrap();
        let wholes = |key: &str| {
            value[key]
                .as_array()
                .unwrap()
                .iter()
                .map(|x| x.as_f64().unwrap())
                .collect::<Vec<f64>>()
        };
        let classes = value["k"].as_u64().unwrap() as usize;
        let logits = value.get("logits").is_some();
        let rows = match logits {
            true => wholes("logits").into_iter().map(|x| x / 64.0).collect(),
            false => {
                let counts = wholes("counts");
                let shares = counts.chunks(classes).flat_map(|row| {
                    let sum: f64 = row.iter().sum();
                    row.iter().map(move |x| x / sum)
                });
                shares.collect()
            }
        };
        Case {
            truth: wholes("y").into_iter().map(|y| y as u32).collect(),
            rows,
            logits,
            classes,
            expected: value["expected"].as_array().unwrap().clone(),
            fitted: value.get("fitted").cloned(),
        }
    }

    fn answers(&self, counted: &[usize]) -> (Sealed<Truth>, Answers) {
        let names: Vec<String> = (0..self.classes).map(|class| class.to_string()).collect();
        let of = counted.iter().map(|&i| self.truth[i]).collect();
        let k = self.classes;
        let rows = counted
            .iter()
            .flat_map(|&i| self.rows[i * k..(i + 1) * k].iter().copied())
            .collect();
        let said = if self.logits {
            Said::Logits(rows)
        } else {
            Said::Probabilities(rows)
        };
        let truth = Truth::Labels(Labels::new(names.clone(), of).unwrap());
        (
            Sealed::new(truth),
            Answers::Classes(ClassAnswers::new(names, said)),
        )
    }

    fn read_with(&self, gauge: &dyn CellGauge, counted: &[usize]) -> Result<f64, Undefined> {
        let (truth, answers) = self.answers(counted);
        open_cell(gauge, &truth, &answers)?.plain()
    }
}

fn cases() -> (Value, Vec<Case>) {
    let mut lines = CASES.lines();
    let header = serde_json::from_str(lines.next().unwrap()).unwrap();
    (header, lines.map(Case::read).collect())
}

fn gauges(header: &Value) -> Vec<(String, Box<dyn CellGauge>)> {
    let names = header["names"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap().to_string());
    names
        .map(|name| (name.clone(), gauge(&name, header)))
        .collect()
}

#[test]
fn every_gauge_reads_what_other_software_reads() {
    let (header, cases) = cases();
    let gauges = gauges(&header);
    let (mut compared, mut undefined) = (vec![0; gauges.len()], 0);
    for (number, case) in cases.iter().enumerate() {
        let all: Vec<usize> = (0..case.truth.len()).collect();
        for (at, ((name, gauge), expected)) in gauges.iter().zip(&case.expected).enumerate() {
            match (case.read_with(gauge.as_ref(), &all), expected) {
                (_, Value::String(_)) => continue,
                (Ok(value), Value::Number(expected)) => {
                    let expected = expected.as_f64().unwrap();
                    let off = (value - expected).abs();
                    assert!(
                        off <= tolerance(name),
                        "case {number}, {name}: {value}, the peer says {expected}"
                    );
                }
                (Err(_), Value::Null) => undefined += 1,
                (found, expected) => {
                    panic!("case {number}, {name}: {found:?}, the peer says {expected}")
                }
            }
            compared[at] += 1;
        }
    }
    assert!(
        cases.len() >= 2000 && undefined > 1000,
        "{} cases, {undefined} undefined",
        cases.len()
    );
    for ((name, _), compared) in gauges.iter().zip(compared) {
        assert!(
            compared > 300,
            "{name} was compared in {compared} cases only"
        );
    }
}

#[test]
fn a_weighted_reading_is_the_reading_of_items_repeated() {
    let (header, cases) = cases();
    let mut compared = 0;
    for (number, case) in cases
        .iter()
        .enumerate()
        .filter(|(number, _)| number % 3 == 0)
    {
        let n = case.truth.len();
        let weights: Vec<u32> = (0..n).map(|i| ((i * 7 + number) % 4) as u32).collect();
        let repeated: Vec<usize> = (0..n)
            .flat_map(|i| std::iter::repeat_n(i, weights[i] as usize))
            .collect();
        if repeated.is_empty() {
            continue;
        }
        let all: Vec<usize> = (0..n).collect();
        let (truth, answers) = case.answers(&all);
        for (name, gauge) in gauges(&header) {
            let Ok(meter) = open_cell(gauge.as_ref(), &truth, &answers) else {
                continue;
            };
            let (weighted, plain) = (
                meter.read(&weights),
                case.read_with(gauge.as_ref(), &repeated),
            );
            match (weighted, plain) {
                (Ok(a), Ok(b)) => {
                    assert!(
                        (a - b).abs() <= 1e-12,
                        "case {number}, {name}: {a} weighted, {b} repeated"
                    );
                    compared += 1;
                }
                (Ok(a), Err(why)) => panic!("case {number}, {name}: {a} weighted, repeated {why}"),
                // A mean over classes keeps its classes: one that lost its last item leaves no
                // value.
                (Err(_), _) => {}
            }
        }
    }
    assert!(compared > 15_000, "{compared} readings were compared");
}

#[test]
fn a_temperature_is_where_the_likelihood_is_highest() {
    let mut compared = 0;
    for case in cases().1.iter().filter(|case| case.logits) {
        let fitted =
            duress_stats::temperature::fit_temperature(&case.rows, case.classes, &case.truth);
        match (fitted, case.fitted.as_ref().unwrap()) {
            (Ok(t), Value::Number(expected)) => {
                let expected = expected.as_f64().unwrap();
                assert!(
                    (t / expected - 1.0).abs() < 1e-9,
                    "{t}, the peer says {expected}"
                );
                compared += 1;
            }
            (Err(_), Value::Null) => {}
            (found, expected) => panic!("{found:?}, the peer says {expected}"),
        }
    }
    assert!(compared > 100, "{compared} temperatures were compared");
}

/// Ten answers of the brief this gauge set began with, of which five are above 0.8 and all five are
/// right.
#[test]
fn the_briefs_example_has_coverage_a_half_and_a_selective_accuracy_of_one() {
    let confidence = vec![0.9, 0.85, 0.75, 0.6, 0.95, 0.7, 0.82, 0.65, 0.88, 0.55];
    let said = Said::Labels {
        label: vec![0, 0, 1, 1, 0, 1, 0, 1, 0, 1],
        confidence: Some(confidence),
    };
    let names = vec!["0".to_string(), "1".to_string()];
    let truth =
        Truth::Labels(Labels::new(names.clone(), vec![0, 0, 0, 1, 0, 0, 0, 1, 0, 0]).unwrap());
    let (truth, answers) = (
        Sealed::new(truth),
        Answers::Classes(ClassAnswers::new(names, said)),
    );
    let read = |name: &str| {
        let meter = open_cell(gauge(name, &Value::Null).as_ref(), &truth, &answers)?;
        meter.plain()
    };
    assert_eq!(read("coverage 0.8"), Ok(0.5));
    assert_eq!(read("accuracy"), Ok(0.7));
    assert_eq!(read("selective-accuracy 0.8"), Ok(1.0));
    assert!((read("selective-improvement 0.8").unwrap() - 0.3).abs() < 1e-15);
    assert_eq!(read("risk-rejected 0.8"), Ok(0.6));
    assert_eq!(
        read("rejection-quality 0.8").unwrap_err().why,
        "nothing that was accepted is wrong"
    );
}
