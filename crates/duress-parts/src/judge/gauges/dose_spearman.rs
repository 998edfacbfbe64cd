//! Sensitivity to dose: Spearman's ρ between the number of errors and the score.
//!
//! # What it does
//! Reads the gauge `of` at every rung and gives Spearman's ρ of it with the number of errors. With
//! `over = "means"` the means over items are correlated, one point per rung; with `over = "items"`
//! each item's own scores, and the mean of those is read. Only items with a score at every dose
//! take part, so that all means are over the same items.
//!
//! # Why it matters
//! A judge that can be trusted to rank gives less, step by step, to a response with more errors. ρ
//! weighs a large step in the ranks more than τ does.
//!
//! # Promise
//! −1 when the score falls at every step; lower is better, because quality falls with errors. The
//! same score at every dose is undefined, not 0; such an item does not take part in `over =
//! "items"`.
//!
//! # Example
//! ```toml
//! [gauge.sensitivity]
//! use = "dose-spearman"
//! of = "quality"
//! ```
//!
//! # Reference
//! C. Spearman, The proof and measurement of association between two things, American Journal of
//! Psychology 15 (1904) 72.

use std::sync::Arc;

use duress_core::gauge::{
    Columns, Direction, Gauge, LadderGauge, Mean, Meter, Rung, SIGNED, Scale, Undefined,
};
use duress_core::part::{Build, Part};
use duress_stats::tests::spearman;
use duress_stats::{Route, Side};

use crate::judge::frame::dose_response::{Doses, reason};

/// The part.
pub static PART: Part = Part {
    name: "dose-spearman",
    version: 1,
    fields: &[Doses::OF, Doses::OVER],
    source: include_str!("dose_spearman.rs"),
    build: Build::Gauge(|params| {
        let over_items = params.text("over") == "items";
        Ok(Gauge::Ladder(Box::new(DoseSpearman {
            of: params.text("of").into(),
            over_items,
        })))
    }),
};

struct DoseSpearman {
    of: String,
    over_items: bool,
}

impl LadderGauge for DoseSpearman {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let over = if self.over_items {
            "each item's scores, averaged"
        } else {
            "the means over items"
        };
        let convention = format!(
            "Spearman ρ of the dose with {over} of {}: {}",
            self.of, of.convention
        );
        Scale {
            convention,
            direction: Direction::Lower,
            best: Some(-1.0),
            ends: SIGNED,
            ..of.clone()
        }
    }

    fn open(&self, rungs: &[Rung], _columns: &Columns) -> Result<Arc<dyn Meter>, Undefined> {
        let doses = Doses::of(rungs)?;
        if !self.over_items {
            return Ok(Arc::new(SpearmanOfMeans(doses)));
        }
        let own = doses.per_item(rho);
        match own.iter().all(Option::is_none) {
            true => Err(Undefined::new(
                "every item has the same score at every dose: its rank correlation is undefined",
            )),
            false => Ok(Arc::new(Mean::over(own))),
        }
    }
}

fn rho(dose: &[f64], score: &[f64]) -> Result<f64, Undefined> {
    spearman(dose, score, Side::Less, Route::Auto)
        .map(|test| test.statistic)
        .map_err(reason)
}

struct SpearmanOfMeans(Doses);

impl Meter for SpearmanOfMeans {
    fn units(&self) -> usize {
        self.0.units()
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        rho(&self.0.dose, &self.0.means(weights)?)
    }
}
