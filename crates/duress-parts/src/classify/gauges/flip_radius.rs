//! The severity that flips the answer about the middle item.
//!
//! # What it does
//! Takes for every item the smallest severity on the ladder at which it is wrong: 0 for one that is
//! wrong when clean. An item that is right on every rung is censored: all that is known is that its
//! radius is above the highest. The reading is the smallest radius that at least `share` of the
//! items do not exceed: the median unless `share` says otherwise.
//!
//! # Why it matters
//! Accuracy at one ε hangs on the choice of ε; the radius is the item's own. It is an upper bound
//! of the true one, found by this attack and rounded up to a rung: more rungs make it sharper, a
//! stronger attack smaller.
//!
//! # Promise
//! Higher is better. Where `share` falls among the censored items the value is undefined and the
//! bound is named; no radius is made up for them. An item without an answer on a rung below its
//! flip does not take part.
//!
//! # Example
//! ```toml
//! [gauge.flip-radius]
//! use = "flip-radius"
//! of = "accuracy"
//! ```
//!
//! # Reference
//! L. Schott et al., Towards the first adversarially robust neural network model on MNIST, ICLR
//! 2019, for the median of distances with what is wrong when clean at 0.

use std::sync::Arc;

use duress_core::gauge::{
    COUNT, Columns, Direction, Gauge, LadderGauge, Meter, Rung, Scale, Undefined,
};
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::severity::Severity;

/// The part.
pub static PART: Part = Part {
    name: "flip-radius",
    version: 1,
    fields: &[
        Field {
            name: "of",
            takes: Takes::Text,
            doc: "the gauge of single cells that says whether an item is right",
            default: Some("accuracy"),
        },
        Field {
            name: "share",
            takes: Takes::Number(0.01, 0.99),
            doc: "the share of the items whose radius is not above the reading",
            default: Some("1/2"),
        },
    ],
    source: include_str!("flip_radius.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Ladder(Box::new(FlipRadius {
            of: params.text("of").into(),
            share: params.number("share"),
        })))
    }),
};

struct FlipRadius {
    of: String,
    share: f64,
}

impl LadderGauge for FlipRadius {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let which = if self.share == 0.5 {
            "median".into()
        } else {
            format!("{}-quantile", self.share)
        };
        let convention = format!(
            "{which} over items of the smallest rung that flips an item; 0 when wrong when clean, censored above the highest rung; right is {}: {}",
            self.of, of.convention
        );
        Scale {
            convention,
            direction: Direction::Higher,
            best: None,
            ends: COUNT,
            ..of.clone()
        }
    }

    fn open(&self, rungs: &[Rung], _columns: &Columns) -> Result<Arc<dyn Meter>, Undefined> {
        let mut rungs: Vec<&Rung> = rungs.iter().collect();
        rungs.sort_by(|a, b| a.severity.value().total_cmp(&b.severity.value()));
        let (Some(first), Some(last)) = (rungs.first(), rungs.last()) else {
            return Err(Undefined::new("a ladder without rungs flips nothing"));
        };
        let units = first.meter.units();
        let right: Vec<(f64, &[Option<f64>])> = rungs
            .iter()
            .map(|rung| {
                let values = rung.meter.per_item().filter(|_| rung.meter.is_share());
                let values = values.filter(|values| values.len() == units);
                let why = "needs a gauge that is right or wrong about each of the same items on every rung";
                Ok((rung.severity.value(), values.ok_or_else(|| Undefined::new(why))?))
            })
            .collect::<Result<_, Undefined>>()?;
        let mut radii: Vec<(f64, usize)> = (0..units)
            .filter_map(|item| Some((radius(&right, item)?, item)))
            .collect();
        radii.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(Arc::new(Radii {
            radii,
            units,
            share: self.share,
            highest: last.severity.clone(),
        }))
    }
}

/// The smallest severity at which an item is wrong, infinite when there is none; `None` when it has
/// no answer on the way.
fn radius(right: &[(f64, &[Option<f64>])], item: usize) -> Option<f64> {
    for (severity, values) in right {
        if values[item]? == 0.0 {
            return Some(*severity);
        }
    }
    Some(f64::INFINITY)
}

/// Radii in rising order, each with its item.
struct Radii {
    radii: Vec<(f64, usize)>,
    units: usize,
    share: f64,
    highest: Severity,
}

impl Meter for Radii {
    fn units(&self) -> usize {
        self.units
    }

    fn is_rough(&self) -> bool {
        true
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let weight = |item: usize| u64::from(weights[item]);
        let total: u64 = self.radii.iter().map(|(_, item)| weight(*item)).sum();
        let mut below = 0;
        for &(radius, item) in &self.radii {
            below += weight(item);
            if weight(item) == 0 || (below as f64) < self.share * total as f64 {
                continue;
            }
            if radius.is_finite() {
                return Ok(radius);
            }
            let standing: u64 = self
                .radii
                .iter()
                .filter(|(radius, _)| radius.is_infinite())
                .map(|(_, item)| weight(*item))
                .sum();
            return Err(Undefined::new(format!(
                "{standing} of {total} items are not flipped up to {}: the radius asked for is above it",
                self.highest
            )));
        }
        Err(Undefined::new("no item takes part"))
    }
}
