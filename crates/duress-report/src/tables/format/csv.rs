//! Findings as long CSV files, with every digit: one row per number, nothing rounded.

use std::fmt::Write;

use duress_core::csv_field::csv_field;

use crate::digest::Digest;
use crate::words;
use duress_findings::{Findings, Place, Quantity, Reading, Under};

/// Every file, with its name.
pub(crate) fn all(digest: &Digest<'_>) -> Vec<(&'static str, String)> {
    let findings = digest.findings;
    vec![
        ("summary.csv", summary(digest)),
        ("estimates.csv", estimates(findings)),
        ("seeds.csv", seeds(findings)),
        ("contrasts.csv", contrasts(findings)),
        ("slices.csv", slices(findings)),
        ("curves.csv", curves(findings)),
        ("claims.csv", claims(findings)),
        ("failures.csv", failures(findings)),
    ]
}

const PLACE: [&str; 5] = ["subject", "dataset", "ladder", "severity", "condition"];
const QUANTITY: [&str; 9] = [
    "value",
    "low",
    "high",
    "level",
    "items",
    "replicates",
    "unit",
    "method",
    "undefined",
];

/// A CSV file that grows.
pub(crate) struct File(String);

impl File {
    /// A file with this header.
    pub(crate) fn new(heads: &[impl AsRef<str>]) -> File {
        let mut file = File(String::new());
        file.row(heads);
        file
    }

    /// One more row.
    pub(crate) fn row(&mut self, cells: &[impl AsRef<str>]) {
        for (i, cell) in cells.iter().enumerate() {
            if i > 0 {
                self.0.push(',');
            }
            self.0.push_str(&csv_field(cell.as_ref()));
        }
        self.0.push('\n');
    }

    /// The whole file.
    pub(crate) fn text(self) -> String {
        self.0
    }
}

fn place(place: &Place) -> [String; 5] {
    let (ladder, severity, condition) = match &place.under {
        Under::Clean => (String::new(), "0".into(), String::new()),
        Under::Rung { ladder, severity } => {
            (ladder.to_string(), number(severity.value()), String::new())
        }
        Under::Condition(name) => (String::new(), String::new(), name.to_string()),
        Under::Ladder(name) => (name.to_string(), String::new(), String::new()),
        Under::Everything => Default::default(),
    };
    [
        place.subject.to_string(),
        place.dataset.to_string(),
        ladder,
        severity,
        condition,
    ]
}

fn quantity(quantity: &Quantity) -> [String; 9] {
    let range = quantity.interval.as_ref().ok();
    let end = |pick: fn(&duress_findings::Range) -> f64| {
        range.map_or_else(String::new, |r| number(pick(r)))
    };
    let (value, undefined) = reading(&quantity.value);
    [
        value,
        end(|range| range.low),
        end(|range| range.high),
        end(|range| range.level),
        quantity.items.to_string(),
        quantity.replicates.to_string(),
        quantity.unit.to_string(),
        quantity.method.to_string(),
        undefined,
    ]
}

fn reading(reading: &Reading) -> (String, String) {
    match reading {
        Reading::Value(value) => (number(*value), String::new()),
        Reading::Undefined(why) => (String::new(), why.to_string()),
    }
}

/// The shortest text that reads back as the same number.
pub(crate) fn number(value: f64) -> String {
    let mut text = String::new();
    if write!(text, "{value}").is_err() {
        unreachable!("writing to a string cannot fail");
    }
    text
}

/// Every pressed number beside its clean twin: what stress takes, in the gauge's bad direction, and
/// what was expected.
fn summary(digest: &Digest<'_>) -> String {
    let heads = [
        "subject",
        "dataset",
        "stress",
        "condition",
        "gauge",
        "clean",
        "result",
        "drop",
        "drop_percent",
        "expectation",
    ];
    let mut file = File::new(&heads);
    for estimate in &digest.findings.estimates {
        let (stress, condition) = match &estimate.place.under {
            Under::Rung { ladder, severity } => (ladder.to_string(), severity.to_string()),
            Under::Condition(name) => ("condition".into(), name.to_string()),
            Under::Clean | Under::Ladder(_) | Under::Everything => continue,
        };
        let clean = digest.estimate(
            &estimate.gauge,
            &Place {
                under: Under::Clean,
                ..estimate.place.clone()
            },
        );
        let clean = clean.and_then(|clean| clean.quantity.value.value());
        let result = estimate.quantity.value.value();
        let sign = if digest.rises(&estimate.gauge) {
            1.0
        } else {
            -1.0
        };
        let drop = clean
            .zip(result)
            .map(|(clean, result)| (clean - result) * sign);
        let percent = drop
            .zip(clean)
            .filter(|(_, clean)| *clean != 0.0)
            .map(|(drop, clean)| 100.0 * drop / clean.abs());
        let shown = |value: Option<f64>| value.map_or_else(String::new, number);
        file.row(&[
            estimate.place.subject.to_string(),
            estimate.place.dataset.to_string(),
            stress,
            condition,
            estimate.gauge.clone(),
            shown(clean),
            shown(result),
            shown(drop),
            shown(percent),
            crate::tables::expectation_of(digest, estimate).to_owned(),
        ]);
    }
    file.text()
}

fn estimates(findings: &Findings) -> String {
    let mut file = File::new(&[&PLACE[..], &["gauge"], &QUANTITY].concat());
    for estimate in &findings.estimates {
        let row = [
            &place(&estimate.place)[..],
            std::slice::from_ref(&estimate.gauge),
            &quantity(&estimate.quantity),
        ];
        file.row(&row.concat());
    }
    file.text()
}

fn seeds(findings: &Findings) -> String {
    let mut file = File::new(&[&PLACE[..], &["gauge", "seed", "value", "undefined"]].concat());
    for estimate in &findings.estimates {
        let place = place(&estimate.place);
        for (seed, value) in &estimate.by_seed {
            let (value, undefined) = reading(value);
            let tail = [estimate.gauge.clone(), seed.to_string(), value, undefined];
            file.row(&[&place[..], &tail].concat());
        }
    }
    file.text()
}

fn contrasts(findings: &Findings) -> String {
    let of = PLACE.map(|head| format!("of_{head}"));
    let against = PLACE.map(|head| format!("against_{head}"));
    let rest = [&["gauge"][..], &QUANTITY]
        .concat()
        .into_iter()
        .map(String::from)
        .collect();
    let heads = [of.to_vec(), against.to_vec(), rest].concat();
    let mut file = File::new(&heads.iter().map(String::as_str).collect::<Vec<_>>());
    for contrast in &findings.contrasts {
        let (of, against) = (place(&contrast.of), place(&contrast.against));
        let row = [
            &of[..],
            &against,
            std::slice::from_ref(&contrast.gauge),
            &quantity(&contrast.quantity),
        ];
        file.row(&row.concat());
    }
    file.text()
}

fn slices(findings: &Findings) -> String {
    let mut file = File::new(
        &[
            &PLACE[..],
            &["gauge", "column", "slice", "worst"],
            &QUANTITY,
        ]
        .concat(),
    );
    for slice in &findings.slices {
        let whose = [
            slice.gauge.clone(),
            slice.column.clone(),
            slice.slice.clone(),
            slice.worst.to_string(),
        ];
        file.row(&[&place(&slice.place)[..], &whose, &quantity(&slice.quantity)].concat());
    }
    file.text()
}

fn curves(findings: &Findings) -> String {
    let heads = [
        "subject",
        "dataset",
        "ladder",
        "gauge",
        "area",
        "area_low",
        "area_high",
        "break_point",
        "shape",
        "monotonicity",
    ];
    let mut file = File::new(&heads);
    for curve in &findings.curves {
        let area = quantity(&curve.area);
        let break_point = match &curve.break_point {
            Ok(severity) => number(severity.value()),
            Err(why) => format!("none: {why}"),
        };
        file.row(&[
            curve.subject.to_string(),
            curve.dataset.to_string(),
            curve.ladder.to_string(),
            curve.gauge.clone(),
            area[0].clone(),
            area[1].clone(),
            area[2].clone(),
            break_point,
            words::shape(&curve.shape),
            reading(&curve.monotonicity).0,
        ]);
    }
    file.text()
}

fn claims(findings: &Findings) -> String {
    let heads = [
        "claim",
        "family",
        "verdict",
        "value",
        "judged_low",
        "judged_high",
        "margin",
        "side",
        "test",
        "statistic",
        "p",
        "p_adjusted",
        "alpha",
        "significant",
        "sentence",
        "why",
    ];
    let mut file = File::new(&heads);
    for claim in &findings.claims {
        let judged = claim.judged_by.as_ref().ok();
        let test = claim.test.as_ref().ok();
        let shown = |value: Option<f64>| value.map_or_else(String::new, number);
        file.row(&[
            claim.name.clone(),
            claim.family.clone(),
            claim.verdict.to_string(),
            reading(&claim.quantity.value).0,
            shown(judged.map(|range| range.low)),
            shown(judged.map(|range| range.high)),
            number(claim.margin),
            claim.side.to_string(),
            test.map_or_else(String::new, |test| test.method.to_string()),
            shown(test.map(|test| test.statistic)),
            shown(test.map(|test| test.p)),
            shown(test.map(|test| test.p_adjusted)),
            shown(test.map(|test| test.alpha)),
            test.map_or_else(String::new, |test| test.significant.to_string()),
            claim.sentence.clone(),
            claim.why.clone(),
        ]);
    }
    file.text()
}

fn failures(findings: &Findings) -> String {
    let mut file = File::new(&[&PLACE[..], &["seed", "why"]].concat());
    for failure in &findings.failures {
        let tail = [failure.seed.to_string(), failure.failure.to_string()];
        file.row(&[&place(&failure.place)[..], &tail].concat());
    }
    file.text()
}
