//! The area under a gauge along a ladder: its average over the severities pressed, by the trapezoid
//! rule.
//!
//! # What it does
//! Reads the gauge `of` at every rung, from the clean one up, joins the values by straight lines
//! over severity, and divides the area by the range of severities. Several variants at one severity
//! are averaged first.
//!
//! # Why it matters
//! One number for a whole ladder that does not hang on the choice of one severity. Steps are
//! unequal, so a plain mean over rungs would count crowded severities more.
//!
//! # Promise
//! It has the unit and the direction of the gauge it reads, and lies between that gauge's lowest
//! and highest rung. A rung without a value leaves it undefined.
//!
//! # Example
//! ```toml
//! [gauge.robust-accuracy]
//! use = "area"
//! of = "accuracy"
//! ```
//!
//! # Reference
//! The trapezoid rule; the division by the range makes ladders of different reach comparable.

use std::sync::Arc;

use duress_core::gauge::{Columns, Gauge, LadderGauge, Meter, Rung, Scale, Undefined};
use duress_core::part::{Build, Field, Part, Takes};

use crate::shared::frame::meter_mixture::{Ingredient, mixture};

/// The part.
pub static PART: Part = Part {
    name: "area",
    version: 1,
    fields: &[Field {
        name: "of",
        takes: Takes::Text,
        doc: "the gauge of single cells that is read at every rung",
        default: Some("accuracy"),
    }],
    source: include_str!("area.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Ladder(Box::new(Area {
            of: params.text("of").into(),
        })))
    }),
};

struct Area {
    of: String,
}

impl LadderGauge for Area {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        of.with_convention(format!(
            "trapezoid over severity ÷ range of severity, of {}: {}",
            self.of, of.convention
        ))
    }

    fn open(&self, rungs: &[Rung], _columns: &Columns) -> Result<Arc<dyn Meter>, Undefined> {
        let shares = shares(rungs)?.into_iter().zip(rungs);
        mixture(
            shares
                .map(|(share, rung)| Ingredient::rung(share, rung))
                .collect(),
        )
    }
}

/// How much each rung counts: half the way to its neighbours, over the whole way, shared by the
/// variants of a severity.
fn shares(rungs: &[Rung]) -> Result<Vec<f64>, Undefined> {
    let mut severities: Vec<f64> = rungs.iter().map(|rung| rung.severity.value()).collect();
    severities.sort_by(f64::total_cmp);
    severities.dedup();
    let (Some(first), Some(last)) = (severities.first(), severities.last()) else {
        return Err(Undefined::new("a ladder without rungs has no area"));
    };
    if first == last {
        return Err(Undefined::new(format!(
            "all rungs are at severity {first}: an area needs two severities"
        )));
    }
    let share = |rung: &Rung| {
        let here = rung.severity.value();
        let at = severities.partition_point(|&severity| severity < here);
        let below = severities[at.saturating_sub(1)];
        let above = severities[(at + 1).min(severities.len() - 1)];
        let variants = rungs
            .iter()
            .filter(|other| other.severity == rung.severity)
            .count();
        (above - below) / (2.0 * (last - first) * variants as f64)
    };
    Ok(rungs.iter().map(share).collect())
}
