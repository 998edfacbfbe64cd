//! Findings as long CSV files, with every digit: one row per number, nothing rounded.

use std::fmt::Write;

use duress_core::csv_field::csv_field;
use duress_core::gauge::{Detail, GridCell, Undefined};

use crate::digest::Digest;
use crate::words;
use duress_findings::{ClaimFinding, Estimate, Findings, Place, Quantity, Reading, Under};

/// Every file, with its name.
pub(crate) fn all(digest: &Digest<'_>) -> Vec<(&'static str, String)> {
    let findings = digest.findings;
    vec![
        ("summary.csv", summary(digest)),
        ("estimates.csv", estimates(findings)),
        ("seeds.csv", seeds(findings)),
        ("contrasts.csv", contrasts(findings)),
        ("slices.csv", slices(findings)),
        ("compositions.csv", compositions(findings)),
        ("variances.csv", variances(findings)),
        ("curves.csv", curves(findings)),
        ("claims.csv", claims(digest)),
        ("leaving.csv", leaving(findings)),
        ("absent.csv", absent(findings)),
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
        "items",
    ];
    let mut file = File::new(&heads);
    for estimate in &digest.findings.estimates {
        let (stress, condition) = match &estimate.place.under {
            Under::Rung { ladder, severity } => (ladder.to_string(), severity.to_string()),
            Under::Condition(name) => ("condition".into(), name.to_string()),
            Under::Clean | Under::Ladder(_) | Under::Everything => continue,
        };
        let lost = Lost::of(digest, estimate);
        let percent = lost
            .drop
            .zip(lost.clean)
            .filter(|(_, clean)| *clean != 0.0)
            .map(|(drop, clean)| 100.0 * drop / clean.abs());
        let shown = |value: Option<f64>| value.map_or_else(String::new, number);
        file.row(&[
            estimate.place.subject.to_string(),
            estimate.place.dataset.to_string(),
            stress,
            condition,
            estimate.gauge.clone(),
            shown(lost.clean),
            shown(lost.result),
            shown(lost.drop),
            shown(percent),
            crate::tables::expectation_of(digest, estimate).to_owned(),
            lost.items.to_string(),
        ]);
    }
    file.text()
}

/// What stress takes, from the same items with and without it.
struct Lost {
    clean: Option<f64>,
    result: Option<f64>,
    drop: Option<f64>,
    items: usize,
}

impl Lost {
    /// On a ladder what its curve says, as everywhere in the report; under a condition the paired
    /// difference.
    fn of(digest: &Digest<'_>, estimate: &Estimate) -> Lost {
        let gauge = &estimate.gauge;
        let place = &estimate.place;
        let sign = if digest.rises(gauge) { 1.0 } else { -1.0 };
        let value = |quantity: &Quantity| quantity.value.value();
        if let Some((curve, at)) = digest.curve_at(gauge, place) {
            let first = curve.points.first();
            let clean = first.filter(|point| point.severity.is_clean());
            let clean = clean.and_then(|point| value(&point.quantity));
            let result = value(&curve.points[at].quantity);
            return Lost {
                clean,
                result,
                drop: clean
                    .zip(result)
                    .map(|(clean, result)| (clean - result) * sign),
                items: curve.points[at].quantity.items,
            };
        }
        let unpressed = Place {
            under: Under::Clean,
            ..place.clone()
        };
        let clean = digest.estimate(gauge, &unpressed);
        let difference = digest.contrast(gauge, place, &unpressed);
        Lost {
            clean: clean.and_then(|clean| value(&clean.quantity)),
            result: value(&estimate.quantity),
            drop: difference
                .and_then(|one| value(&one.quantity))
                .map(|by| -by * sign),
            items: difference.map_or(estimate.quantity.items, |one| one.quantity.items),
        }
    }
}

/// Every item that a ladder cannot press at every severity.
fn leaving(findings: &Findings) -> String {
    let mut file = File::new(&["dataset", "ladder", "item", "severities"]);
    for one in &findings.leaving {
        let severities: Vec<String> = one.severities.iter().map(ToString::to_string).collect();
        file.row(&[
            one.dataset.to_string(),
            one.ladder.to_string(),
            one.item.clone(),
            severities.join(" "),
        ]);
    }
    file.text()
}

/// Every place at which answers are absent, by what kept them away.
fn absent(findings: &Findings) -> String {
    let mut file = File::new(&[&PLACE[..], &["rater", "kind", "absent", "asked"]].concat());
    for one in &findings.absences {
        let rater = one
            .rater
            .as_ref()
            .map_or_else(String::new, ToString::to_string);
        for (kind, count) in &one.kinds {
            let tail = [
                rater.clone(),
                kind.to_string(),
                count.to_string(),
                one.asked.to_string(),
            ];
            file.row(&[&place(&one.place)[..], &tail].concat());
        }
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
        let of = place(&contrast.of);
        let against = place(&contrast.against);
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

/// What numbers of ladders and subjects are made of, a row per arrangement and group, for every seed.
fn compositions(findings: &Findings) -> String {
    let heads = [
        "gauge",
        "seed",
        "row",
        "group",
        "items",
        "value",
        "undefined",
    ];
    let mut file = File::new(&[&PLACE[..], &heads].concat());
    for estimate in &findings.estimates {
        for (seed, detail) in &estimate.details {
            for (row, group, items, value) in composed(detail) {
                let (value, undefined) = match value {
                    Ok(value) => (number(value), String::new()),
                    Err(why) => (String::new(), why.why),
                };
                let own = [
                    estimate.gauge.clone(),
                    seed.to_string(),
                    row,
                    group,
                    items.to_string(),
                    value,
                    undefined,
                ];
                file.row(&[&place(&estimate.place)[..], &own].concat());
            }
        }
    }
    file.text()
}

/// Row, group, items and value of each number of a grid or a spread.
fn composed(detail: &Detail) -> Vec<(String, String, usize, Result<f64, Undefined>)> {
    match detail {
        Detail::Grid(grid) => {
            let cells = grid.cells.iter().enumerate();
            let width = grid.columns.len();
            let cell = |(at, cell): (usize, &GridCell)| {
                let row = grid.rows[at / width].clone();
                let column = grid.columns[at % width].clone();
                (row, column, cell.n, cell.value.clone())
            };
            cells.map(cell).collect()
        }
        Detail::Spread(spread) => {
            let all: usize = spread.groups.iter().map(|group| group.n).sum();
            let unknown = || Undefined::new("a group has one item");
            let summed_up = [
                ("spread", Ok(spread.spread)),
                ("net-spread", spread.net_spread.ok_or_else(unknown)),
                ("floor", Ok(spread.floor)),
                ("p", Ok(spread.p)),
            ];
            let summed_up = summed_up.map(|(name, value)| (name.into(), "all".into(), all, value));
            let groups = spread.groups.iter().map(|group| {
                let name = group.name.clone();
                ("mean".into(), name, group.n, group.value.clone())
            });
            groups.chain(summed_up).collect()
        }
        _ => Vec::new(),
    }
}

/// Where the variance of each estimate and contrast comes from, a row per source.
fn variances(findings: &Findings) -> String {
    let heads = ["id", "gauge", "source", "variance", "share", "error_share"];
    let mut file = File::new(&heads);
    let estimates = findings
        .estimates
        .iter()
        .map(|one| (&one.id, &one.gauge, &one.variance));
    let contrasts = findings
        .contrasts
        .iter()
        .map(|one| (&one.id, &one.gauge, &one.variance));
    for (id, gauge, parts) in estimates.chain(contrasts) {
        for part in parts {
            file.row(&[
                id.to_string(),
                gauge.clone(),
                part.source.to_string(),
                number(part.variance),
                number(part.share),
                number(part.error_share),
            ]);
        }
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
            words::shape(&curve.shape, findings.study.cliff_factor),
            reading(&curve.monotonicity).0,
        ]);
    }
    file.text()
}

fn claims(digest: &Digest<'_>) -> String {
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
        "p_upholds",
        "p_refutes",
    ];
    let mut file = File::new(&heads);
    let with_parts = digest.findings.claims.iter().flat_map(|claim| {
        let whole = (claim.name.clone(), claim);
        let parts = claim.judged().filter(|_| !claim.parts.is_empty());
        std::iter::once(whole).chain(parts)
    });
    for (name, claim) in with_parts {
        let own = claim.parts.is_empty();
        let nulls = claim.nulls.as_ref();
        let judged = claim.judged_by.as_ref().ok();
        let test = claim.test.as_ref().ok();
        let shown = |value: Option<f64>| value.map_or_else(String::new, number);
        let word = digest.word_on(&name, claim);
        let why = why(digest, &name, claim);
        file.row(&[
            name,
            claim.family.clone(),
            word,
            reading(&claim.quantity.value).0,
            shown(judged.map(|range| range.low)),
            shown(judged.map(|range| range.high)),
            shown(own.then_some(claim.margin)),
            if own {
                claim.side.to_string()
            } else {
                String::new()
            },
            test.map_or_else(String::new, |test| test.method.to_string()),
            shown(test.map(|test| test.statistic)),
            shown(test.map(|test| test.p)),
            shown(test.map(|test| test.p_adjusted)),
            shown(test.map(|test| test.alpha)),
            test.map_or_else(String::new, |test| test.significant.to_string()),
            claim.sentence.clone(),
            why,
            shown(nulls.map(|nulls| nulls.adjusted_not_beyond)),
            shown(nulls.map(|nulls| nulls.adjusted_not_short)),
        ]);
    }
    file.text()
}

/// Why a claim came out so; of one that is refused, why that is, first.
fn why(digest: &Digest<'_>, name: &str, claim: &ClaimFinding) -> String {
    match digest.refusal(name) {
        Some(floor) => format!("{}; {}", words::refused(floor, claim.verdict), claim.why),
        None => claim.why.clone(),
    }
}

fn failures(findings: &Findings) -> String {
    let mut file = File::new(&[&PLACE[..], &["seed", "why", "variant"]].concat());
    for failure in &findings.failures {
        let tail = [
            failure.seed.to_string(),
            failure.failure.to_string(),
            failure.variant.clone().unwrap_or_default(),
        ];
        file.row(&[&place(&failure.place)[..], &tail].concat());
    }
    file.text()
}
