//! Judges under dose: `results/sensitivity_analysis/sensitivity_report.json`, with the dose-response
//! of each subtype and a map of what moves which score.
//!
//! A study calls its gauges after the dimensions, `T`, `B` and `E`, and what is read through them
//! `T-tau` and so on ([`READINGS`]); its ladders are called after the subtypes.

use duress_core::number;
use duress_figure::frame::Titles;
use duress_figure::heat::{Heat, HeatCell, HeatScale};
use serde_json::{Map, Value, json};

use super::{LayoutFiles, Piece, Tested, tested_by};
use crate::digest::Digest;
use crate::figures::{panel_figure, slug};
use crate::words;
use duress_findings::{Curve, Layout, Quantity, Under};

pub(super) const LAYOUT: LayoutFiles = LayoutFiles {
    word: Layout::Sensitivity,
    folder: "results/sensitivity_analysis",
    gauges: &[
        "T",
        "B",
        "E",
        "T-tau",
        "T-tau-p",
        "T-rho",
        "T-rho-p",
        "T-monotonic",
        "T-tau-items",
        "T-rho-items",
        "T-falling",
        "T-falling-p",
        "T-slope",
        "T-first",
        "T-half",
        "B-tau",
        "B-tau-p",
        "B-rho",
        "B-rho-p",
        "B-monotonic",
        "B-tau-items",
        "B-rho-items",
        "B-falling",
        "B-falling-p",
        "B-slope",
        "B-first",
        "B-half",
        "E-tau",
        "E-tau-p",
        "E-rho",
        "E-rho-p",
        "E-monotonic",
        "E-tau-items",
        "E-rho-items",
        "E-falling",
        "E-falling-p",
        "E-slope",
        "E-first",
        "E-half",
    ],
    columns: meanings,
    pieces,
};

/// The dimensions, in the order of the report.
const DIMENSIONS: [&str; 3] = ["T", "E", "B"];

/// What is read of a dimension along a ladder: the key in the report, and what the gauge is called
/// behind the dimension.
const READINGS: [(&str, &str); 11] = [
    ("kendall_tau", "tau"),
    ("kendall_pvalue", "tau-p"),
    ("spearman_rho", "rho"),
    ("spearman_pvalue", "rho-p"),
    ("kendall_tau_per_sample", "tau-items"),
    ("spearman_rho_per_sample", "rho-items"),
    ("falling_share", "falling"),
    ("sign_test_pvalue", "falling-p"),
    ("slope_per_error", "slope"),
    ("first_error_discrimination", "first"),
    ("half_dose", "half"),
];

/// The subtypes, by the dimension they belong to.
const SUBTYPES: [(&str, &[&str]); 3] = [
    (
        "T",
        &[
            "factual_error",
            "hallucination",
            "spelling",
            "inconsistency",
        ],
    ),
    (
        "B",
        &[
            "demographic_bias",
            "cultural_bias",
            "gender_bias",
            "political_bias",
            "sycophancy",
            "confirmation",
        ],
    ),
    (
        "E",
        &[
            "unclear_explanation",
            "missing_context",
            "overly_complex",
            "assumption_not_stated",
        ],
    ),
];

/// The same beside the subtypes, which come in this order: what is on target lies on a diagonal.
const MAP_COLUMNS: [&str; 3] = ["T", "B", "E"];

/// How wide the map is.
const WIDTH: f64 = 520.0;

fn meanings(_: &Digest<'_>) -> String {
    "\nScores are qualities from 0 to 100, over the items that took every dose. `null`: no value; the report says why. Six means give tau in \
     multiples of 2/15, and `monotonic` (tau < -0.5 and two-sided p < 0.05) allows at most one discordant pair.\n"
        .into()
}

/// A ladder called after a subtype, and the dimension that belongs to it.
struct Injected {
    ladder: duress_core::name::Name,
    subtype: String,
    dimension: &'static str,
}

fn injected(digest: &Digest<'_>) -> Vec<Injected> {
    let ladders = digest.findings.ladders.iter();
    ladders
        .filter_map(|ladder| {
            let subtype = ladder.name.as_str().replace('-', "_");
            let of = |(_, names): &&(&str, &[&str])| names.contains(&subtype.as_str());
            let (dimension, _) = SUBTYPES.iter().find(of)?;
            Some(Injected {
                ladder: ladder.name.clone(),
                subtype,
                dimension,
            })
        })
        .collect()
}

fn pieces(digest: &Digest<'_>) -> Vec<Piece> {
    let ladders = injected(digest);
    let judges = tested_by(digest, "T");
    let mut pieces = Vec::new();
    for judge in &judges {
        // One judge has the names that readers look for, several a folder each.
        let folder = match judges.len() {
            1 => LAYOUT.folder.to_owned(),
            _ => format!("{}/{}", LAYOUT.folder, slug(&judge.name(digest))),
        };
        let text = serde_json::to_string_pretty(&Value::Object(report(digest, judge, &ladders)));
        let text = text.unwrap_or_else(|why| panic!("a report is JSON: {why}"));
        pieces.push(Piece::text(
            format!("{folder}/sensitivity_report.json"),
            text + "\n",
        ));
        let map = heat(digest, judge, &ladders).draw(WIDTH);
        pieces.push(Piece::figure(format!("{folder}/on_off_target.pdf"), map));
    }
    let curves = digest.panels.iter();
    let curves = curves.filter(|panel| DIMENSIONS.contains(&panel.gauge.name.as_str()));
    pieces.extend(curves.map(|panel| {
        let file = format!(
            "{}/{}_over_{}.pdf",
            LAYOUT.folder, panel.gauge.name, panel.ladder.name
        );
        Piece::figure(file, panel_figure(digest, panel))
    }));
    pieces
}

fn report(digest: &Digest<'_>, judge: &Tested<'_>, ladders: &[Injected]) -> Map<String, Value> {
    let mut report = Map::new();
    for one in ladders {
        let dimension = one.dimension;
        let off = DIMENSIONS.iter().filter(|other| **other != dimension);
        let off: Map<String, Value> = off
            .map(|other| (other.to_string(), off_target(digest, judge, one, other)))
            .collect();
        let curve = curve(digest, judge, one, dimension);
        let samples = curve.and_then(|curve| curve.points.first());
        let largest = curve.and_then(|curve| curve.points.last());
        report.insert(
            format!("{dimension}_{}", one.subtype),
            json!({
                "dimension": dimension,
                "subtype": one.subtype,
                "k_max": largest.map(|point| point.severity.value() as u64),
                "target_gauge": readings(digest, judge, one, dimension),
                "off_target_gauges": off,
                "mean_scores_by_k": means(curve),
                "num_samples": samples.map(|point| point.quantity.items),
            }),
        );
    }
    report
}

/// A dimension that the errors do not belong to, with its own means.
fn off_target(digest: &Digest<'_>, judge: &Tested<'_>, one: &Injected, dimension: &str) -> Value {
    let mut read = readings(digest, judge, one, dimension);
    let curve = curve(digest, judge, one, dimension);
    read.insert("mean_scores_by_k".into(), Value::Object(means(curve)));
    Value::Object(read)
}

fn curve<'a>(
    digest: &Digest<'a>,
    judge: &Tested<'_>,
    one: &Injected,
    gauge: &str,
) -> Option<&'a Curve> {
    digest.findings.curves.iter().find(|curve| {
        curve.gauge == gauge
            && curve.ladder == one.ladder
            && curve.subject == *judge.subject
            && curve.dataset == *judge.dataset
    })
}

/// The mean score at each number of errors.
fn means(curve: Option<&Curve>) -> Map<String, Value> {
    let points = curve.into_iter().flat_map(|curve| &curve.points);
    points
        .map(|point| {
            let mean = json!(point.quantity.value.value());
            (point.severity.to_string(), mean)
        })
        .collect()
}

fn read_of_ladder<'a>(
    digest: &Digest<'a>,
    judge: &Tested<'_>,
    one: &Injected,
    gauge: &str,
) -> Option<&'a Quantity> {
    let place = judge.at(&Under::Ladder(one.ladder.clone()));
    digest
        .estimate(gauge, &place)
        .map(|estimate| &estimate.quantity)
}

fn readings(
    digest: &Digest<'_>,
    judge: &Tested<'_>,
    one: &Injected,
    dimension: &str,
) -> Map<String, Value> {
    let number = |what: &str| {
        let read = read_of_ladder(digest, judge, one, &format!("{dimension}-{what}"));
        read.and_then(|quantity| quantity.value.value())
    };
    let numbers = READINGS.map(|(key, what)| (key.to_string(), json!(number(what))));
    let mut read = Map::from_iter(numbers);
    let flag = number("monotonic").map(|flag| flag == 1.0);
    read.insert("monotonic".into(), json!(flag));
    read
}

/// What one more error of each subtype does to each score.
fn heat(digest: &Digest<'_>, judge: &Tested<'_>, ladders: &[Injected]) -> Heat {
    let mut cells = Vec::new();
    for one in ladders {
        for dimension in MAP_COLUMNS {
            let read = read_of_ladder(digest, judge, one, &format!("{dimension}-slope"));
            let cell = |quantity: &Quantity| {
                let value = quantity.value.value()?;
                let tip = format!(
                    "{}, {dimension}: {}",
                    one.subtype,
                    words::quantity(quantity)
                );
                let words = number::short(value);
                Some(HeatCell { value, words, tip })
            };
            cells.push(read.and_then(cell));
        }
    }
    let most = cells
        .iter()
        .flatten()
        .map(|cell: &HeatCell| cell.value.abs());
    let most = most.fold(0.0, f64::max);
    Heat {
        titles: Titles {
            title: format!("What one more error does, {}", judge.name(digest)),
            remark:
                "Points of quality per error; each subtype belongs to the dimension in brackets."
                    .into(),
            x: "dimension".into(),
            y: "subtype".into(),
        },
        rows: ladders
            .iter()
            .map(|one| format!("{} ({})", one.subtype, one.dimension))
            .collect(),
        columns: MAP_COLUMNS.map(String::from).to_vec(),
        groups: Vec::new(),
        cells,
        scale: HeatScale::Diverging(most),
        shade: "shade: points per error".into(),
    }
}
