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

use duress_core::gauge::{Columns, Gauge, LadderGauge, Mean, Meter, Rung, Scale, Undefined};
use duress_core::part::{Build, Field, Part, Takes};

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
        let convention = format!(
            "trapezoid over severity ÷ range of severity, of {}: {}",
            self.of, of.convention
        );
        Scale {
            convention,
            ..of.clone()
        }
    }

    fn open(&self, rungs: &[Rung], _columns: &Columns) -> Result<Arc<dyn Meter>, Undefined> {
        let shares = shares(rungs)?;
        let units = rungs.first().map_or(0, |rung| rung.meter.units());
        if let Some(odd) = rungs.iter().find(|rung| rung.meter.units() != units) {
            return Err(Undefined::new(format!(
                "the rungs are about different items: {units} when clean, {} at {}",
                odd.meter.units(),
                odd.severity
            )));
        }
        let rungs: Vec<(f64, Rung)> = shares.into_iter().zip(rungs.iter().cloned()).collect();
        Ok(match per_item(&rungs, units) {
            Some(values) => Arc::new(Mean::over(values)),
            None => Arc::new(Mixture { rungs, units }),
        })
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

/// The area item by item, where every rung is a mean over the same items: then the area is the mean
/// of the items' areas.
fn per_item(rungs: &[(f64, Rung)], units: usize) -> Option<Vec<Option<f64>>> {
    let means: Vec<(f64, &[Option<f64>])> = rungs
        .iter()
        .map(|(share, rung)| Some((*share, rung.meter.per_item()?)))
        .collect::<Option<_>>()?;
    let (_, clean) = means.first()?;
    let alike = |values: &[Option<f64>]| {
        values
            .iter()
            .zip(*clean)
            .all(|(a, b)| a.is_some() == b.is_some())
    };
    if !means.iter().all(|(_, values)| alike(values)) {
        return None;
    }
    let area = |i: usize| {
        means
            .iter()
            .map(|(share, values)| Some(share * values[i]?))
            .sum()
    };
    Some((0..units).map(area).collect())
}

/// The weighted sum of what the rungs read.
struct Mixture {
    rungs: Vec<(f64, Rung)>,
    units: usize,
}

impl Meter for Mixture {
    fn units(&self) -> usize {
        self.units
    }

    fn is_rough(&self) -> bool {
        self.rungs.iter().any(|(_, rung)| rung.meter.is_rough())
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        self.rungs
            .iter()
            .map(|(share, rung)| weighted(*share, rung, rung.meter.read(weights)))
            .sum()
    }

    fn plug_in_value(&self, weights: &[u32]) -> Option<Result<f64, Undefined>> {
        let at = |(share, rung): &(f64, Rung)| {
            Some(weighted(*share, rung, rung.meter.plug_in_value(weights)?))
        };
        Some(
            self.rungs
                .iter()
                .map(at)
                .collect::<Option<Vec<_>>>()?
                .into_iter()
                .sum(),
        )
    }
}

fn weighted(share: f64, rung: &Rung, read: Result<f64, Undefined>) -> Result<f64, Undefined> {
    let why = |undefined: Undefined| format!("at severity {}: {}", rung.severity, undefined.why);
    read.map(|value| share * value)
        .map_err(|undefined| Undefined::new(why(undefined)))
}
