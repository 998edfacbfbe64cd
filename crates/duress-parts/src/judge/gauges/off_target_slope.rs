//! Leakage: how much a dimension moves per error that does not belong to it.
//!
//! # What it does
//! Fits a straight line by least squares to each item's scores of the gauge `of` over the number of
//! errors, and reads the mean slope, in points per error. Only items with a score at every dose
//! take part. Being the mean over items, it can be tested for equivalence: a claim with `side =
//! "equivalent"` and `margin = 1` asks whether it lies within ±1 point per error.
//!
//! # Why it matters
//! A judge that gives less for everything when anything is wrong has one score, not three. Near
//! zero means shown to be near zero, not a large p.
//!
//! # Promise
//! Signed: below 0 when the dimension falls with errors of another kind. A dimension that never
//! moves reads 0, and n items that do not move say how many others could: scores between 0 and 100
//! over doses from 0 to 5 move by 25.7 points per error at the most.
//!
//! # Example
//! ```toml
//! [gauge.bias]
//! use = "quality"
//! dimension = "B"
//!
//! [gauge.bias-leak]
//! use = "off-target-slope"
//! of = "bias"
//! ```
//!
//! # Reference
//! D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987) 657, for
//! equivalence by two one-sided tests.

use std::sync::Arc;

use duress_core::gauge::{
    Columns, Direction, Ends, Gauge, LadderGauge, Mean, Meter, Rung, Scale, Undefined,
};
use duress_core::part::{Build, Field, Part, Takes};

use crate::judge::frame::dose_response::{Doses, slope, slope_ends};

/// The part.
pub static PART: Part = Part {
    name: "off-target-slope",
    version: 1,
    fields: &[Field {
        name: "of",
        takes: Takes::Text,
        doc: "the gauge of the dimension that should not move",
        default: None,
    }],
    source: include_str!("off_target_slope.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Ladder(Box::new(OffTargetSlope {
            of: params.text("of").into(),
        })))
    }),
};

struct OffTargetSlope {
    of: String,
}

impl LadderGauge for OffTargetSlope {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let convention = format!(
            "mean over items of the least-squares slope per error of {}: {}",
            self.of, of.convention
        );
        Scale {
            convention,
            direction: Direction::Higher,
            best: Some(0.0),
            ends: (None, None),
            ..of.clone()
        }
    }

    fn ends_over(&self, of: &Scale, severities: &[f64]) -> Ends {
        slope_ends(of.ends, severities)
    }

    fn open(&self, rungs: &[Rung], _columns: &Columns) -> Result<Arc<dyn Meter>, Undefined> {
        let doses = Doses::of(rungs)?;
        slope(&doses.dose, &doses.dose)?;
        Ok(Arc::new(Mean::contrast(doses.per_item(slope))))
    }
}
