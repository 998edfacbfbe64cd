//! The area under the risk–coverage curve: how wrong a subject is if it may refuse what it is least
//! sure of.
//!
//! # What it does
//! Lets the subject answer only the k items it is surest of, takes the share of them that is wrong
//! (the risk), and averages over every k from 1 to all. Items with equal confidence are taken in
//! random order, in expectation, so the value does not depend on the order of the file. Its detail
//! is the risk–coverage curve at every distinct confidence, thinned to 200 points where there are
//! more. `confidence` says what is taken for how sure the subject was.
//!
//! # Why it matters
//! It judges accuracy and the ranking by confidence in one number, without a threshold to choose:
//! may this subject be trusted to refuse?
//!
//! # Promise
//! Lower is better, 0 is perfect: nothing wrong. With errors, even an oracle's value is above 0, so
//! compare it between subjects of similar accuracy. Items without an answer do not take part;
//! answers without a confidence leave it undefined.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "aurc"]
//! ```
//!
//! # Reference
//! Y. Geifman and R. El-Yaniv, Selective classification for deep neural networks, NeurIPS 2017.

use std::sync::Arc;

use duress_core::gauge::{
    COVERAGE, CellGauge, CellRead, Detail, Gauge, Meter, RISK, Scale, Undefined,
};
use duress_core::part::{Build, Part};
use duress_stats::statistic;

use crate::classify::frame::confidence::sureness;
use crate::classify::frame::risk_coverage::{FIELDS, RiskCoverageGauge};

/// The part.
pub static PART: Part = Part {
    name: "aurc",
    version: 1,
    fields: &FIELDS,
    source: include_str!("aurc.rs"),
    build: Build::Gauge(|params| {
        let what = "mean risk over all coverages 1/n … 1, ties in expectation";
        Ok(Gauge::Cell(Box::new(Aurc(RiskCoverageGauge::new(
            params,
            what,
            |sure| Box::new(statistic::RiskCoverageArea::from_confidences(sure)),
        )))))
    }),
};

/// A curve of more points than this looks the same and costs a report its size.
const MOST_POINTS: usize = 200;

struct Aurc(RiskCoverageGauge);

impl CellGauge for Aurc {
    fn scale(&self) -> Scale {
        self.0.scale()
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        self.0.open(read)
    }

    fn detail(&self, read: CellRead<'_>) -> Option<Detail> {
        let sure = sureness(read, self.0.kind).ok()?;
        let points = thinned(sure.of.risks());
        Some(Detail::Curve {
            x: COVERAGE.into(),
            y: RISK.into(),
            points,
        })
    }
}

/// At most [`MOST_POINTS`] of the points, evenly spaced, the first and the last among them.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    if points.len() <= MOST_POINTS {
        return points;
    }
    (0..MOST_POINTS)
        .map(|k| points[k * (points.len() - 1) / (MOST_POINTS - 1)])
        .collect()
}
