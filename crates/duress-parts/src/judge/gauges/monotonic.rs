//! Whether a judge's score falls with the number of errors: 1 for yes, 0 for no.
//!
//! # What it does
//! Reads the means of the gauge `of` at every rung and gives 1 when Kendall's τ-b between them and
//! the number of errors is below −0.5 and its exact two-sided p is below 0.05, else 0.
//!
//! # Why it matters
//! A flag to print beside τ. With six rungs it allows at most one discordant pair: τ = −13/15 has p
//! = 0.017, τ = −11/15 has p = 0.056.
//!
//! # Promise
//! Higher is better. Its interval says how often other items would give the same flag. Five rungs
//! reach it only without any discordant pair, four never. The same score at every dose is
//! undefined.
//!
//! # Example
//! ```toml
//! [gauge.monotonic]
//! use = "monotonic"
//! of = "quality"
//! ```
//!
//! # Reference
//! M. G. Kendall, Rank Correlation Methods, 1970, for the exact law of τ.

use std::sync::Arc;

use duress_core::gauge::{
    Columns, Direction, Gauge, LadderGauge, Meter, Rung, SHARE, Scale, Undefined,
};
use duress_core::part::{Build, Part};
use duress_stats::tests::kendall;
use duress_stats::{Route, Side};

use crate::judge::frame::dose_response::{Doses, reason};

/// The part.
pub static PART: Part = Part {
    name: "monotonic",
    version: 1,
    fields: &[Doses::OF],
    source: include_str!("monotonic.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Ladder(Box::new(Monotonic {
            of: params.text("of").into(),
        })))
    }),
};

const STEEPER_THAN: f64 = -0.5;
const LEVEL: f64 = 0.05;

struct Monotonic {
    of: String,
}

impl LadderGauge for Monotonic {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let convention = format!(
            "1 when τ-b < {STEEPER_THAN} and exact two-sided p < {LEVEL} for the means over items of {}: {}",
            self.of, of.convention
        );
        Scale {
            convention,
            direction: Direction::Higher,
            best: Some(1.0),
            ends: SHARE,
            ..of.clone()
        }
    }

    fn open(&self, rungs: &[Rung], _columns: &Columns) -> Result<Arc<dyn Meter>, Undefined> {
        Ok(Arc::new(Flag(Doses::of(rungs)?)))
    }
}

struct Flag(Doses);

impl Meter for Flag {
    fn units(&self) -> usize {
        self.0.units()
    }

    fn is_rough(&self) -> bool {
        true
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let test = kendall(
            &self.0.dose,
            &self.0.means(weights)?,
            Side::TwoSided,
            Route::Auto,
        )
        .map_err(reason)?;
        Ok(f64::from(u8::from(
            test.statistic < STEEPER_THAN && test.p < LEVEL,
        )))
    }

    fn takes_part(&self, unit: usize) -> bool {
        self.0.has(unit)
    }
}
