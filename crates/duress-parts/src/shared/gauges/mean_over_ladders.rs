//! The mean of a gauge over rungs and ladders: one number for all that presses.
//!
//! # What it does
//! Reads the gauge `of` at every severity above 0 of every ladder in `ladders` (all when left out),
//! averages over the severities of each ladder, then over the ladders. Several variants at one
//! severity are averaged first. The clean rung does not enter, nor do conditions.
//!
//! # Why it matters
//! The usual headline of a set of corruptions: "accuracy on ImageNet-C" is this. Every ladder counts
//! the same, however many severities it has.
//!
//! # Promise
//! It has the unit and the direction of the gauge it reads, and lies between that gauge's lowest
//! and highest rung. A rung without a value leaves it undefined, with its reason.
//!
//! # Example
//! ```toml
//! [gauge.corrupted-accuracy]
//! use = "mean-over-ladders"
//! of = "accuracy"
//! ```
//!
//! # Reference
//! D. Hendrycks and T. Dietterich, Benchmarking neural network robustness to common corruptions and
//! perturbations, ICLR 2019.

use std::sync::Arc;

use duress_core::gauge::{Columns, Gauge, Meter, Rung, Scale, SubjectGauge, Undefined};
use duress_core::name::Name;
use duress_core::part::{Build, Field, Part, Takes};

use crate::shared::frame::chosen_ladders::{LADDERS, chosen_ladders};
use crate::shared::frame::meter_mixture::{Ingredient, mean_over_rungs, mixture};

/// The part.
pub static PART: Part = Part {
    name: "mean-over-ladders",
    version: 1,
    fields: &[
        Field {
            name: "of",
            takes: Takes::Text,
            doc: "the gauge of single cells that is read at every rung",
            default: Some("accuracy"),
        },
        LADDERS,
    ],
    source: include_str!("mean_over_ladders.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Subject(Box::new(MeanOverLadders {
            of: params.text("of").into(),
            ladders: params.texts("ladders").to_vec(),
        })))
    }),
};

struct MeanOverLadders {
    of: String,
    ladders: Vec<String>,
}

impl SubjectGauge for MeanOverLadders {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let which = if self.ladders.is_empty() {
            "all ladders".into()
        } else {
            self.ladders.join(", ")
        };
        of.with_convention(format!(
            "mean over severities above 0, then over ladders ({which}), of {}: {}",
            self.of, of.convention
        ))
    }

    fn open(
        &self,
        ladders: &[(Name, Vec<Rung>)],
        _columns: &Columns,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let chosen = chosen_ladders(ladders, &self.ladders)?;
        let share = 1.0 / chosen.len() as f64;
        let ladder = |(name, rungs): &(Name, Vec<Rung>)| {
            Ok(Ingredient {
                share,
                place: format!("on ladder `{name}`"),
                meter: mean_over_rungs(rungs)?,
            })
        };
        let ladders: Result<Vec<Ingredient>, Undefined> = chosen.into_iter().map(ladder).collect();
        mixture(ladders?)
    }
}
