//! The worst case of scrambling: the largest mean degradation of any arrangement.
//!
//! # What it does
//! For each arrangement p on the ladder, d(p) is the mean over items of (S_orig − S_pert) / S_orig; MDA is the maximum of d(p): the maximum
//! of the means, one arrangement for all items. `worst-per-item` lets each item have its own worst.
//!
//! # Why it matters
//! A mean over arrangements hides the one that breaks everything.
//!
//! # Promise
//! Lower is better, never below MDR. Not clamped. A maximum of noisy means leans high; its interval is resampled with the maximum taken anew.
//!
//! # Example
//! ```toml
//! [gauge.mda]
//! use = "mda"
//! of = "s-acc"
//! min-s-orig = 0.05
//! ```
//!
//! # Reference
//! Also read as "mean degradation absolute"; by its definition it is the worst case.

use std::sync::Arc;

use duress_core::gauge::{Columns, Direction, Gauge, LadderGauge, Meter, Rung, Scale, Undefined};
use duress_core::part::{Build, Part};

use crate::degradation::{Degradation, OF, Ratio, Scores};

/// The part.
pub static PART: Part = Part {
    name: "mda",
    version: 1,
    fields: &[OF, Ratio::MIN_S_ORIG, Ratio::RATIO],
    source: include_str!("mda.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Ladder(Box::new(Mda { of: params.text("of").into(), ratio: Ratio::new(params) })))
    }),
};

struct Mda {
    of: String,
    ratio: Ratio,
}

impl LadderGauge for Mda {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let convention = format!(
            "maximum over the ladder's arrangements of d(p); {}; S is {}: {}",
            self.ratio.words(),
            self.of,
            of.convention
        );
        Scale { convention, direction: Direction::Lower, best: None, ..of.clone() }
    }

    fn open(&self, rungs: &[Rung], _columns: &Columns) -> Result<Arc<dyn Meter>, Undefined> {
        Ok(Arc::new(Read(Degradation::of(&Scores::of(rungs)?, self.ratio)?)))
    }
}

struct Read(Degradation);

impl Meter for Read {
    fn units(&self) -> usize {
        self.0.items()
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        self.0.mda(weights)
    }
}
