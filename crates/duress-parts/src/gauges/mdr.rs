//! Mean degradation rate: what scrambling takes from the score, in the mean over arrangements.
//!
//! # What it does
//! For each arrangement p on the ladder, d(p) is the mean over items of (S_orig − S_pert) / S_orig; MDR is the mean of d(p) over the
//! arrangements. Items with S_orig below `min-s-orig` are left out, because ratios explode there; `ratio = "ratio-of-means"` divides the
//! sums instead and keeps them. An item takes part in the arrangements that are distinct for it.
//!
//! # Why it matters
//! 0 means that order does not matter, 1 that nothing is left without it. S_orig is measured on the same items, so models that start
//! low are not taken for robust ones.
//!
//! # Promise
//! Lower is better. Not clamped: an arrangement that helps counts as negative degradation. Without the clean rung it is undefined.
//!
//! # Example
//! ```toml
//! [gauge.mdr]
//! use = "mdr"
//! of = "s-acc"
//! min-s-orig = 0.05
//! ```
//!
//! # Reference
//! There is no standard definition; this one is repeated in every reading's convention.

use std::sync::Arc;

use duress_core::gauge::{Columns, Direction, Gauge, LadderGauge, Meter, Rung, Scale, Undefined};
use duress_core::part::{Build, Part};

use crate::degradation::{Degradation, OF, Ratio, Scores};

/// The part.
pub static PART: Part = Part {
    name: "mdr",
    version: 1,
    fields: &[OF, Ratio::MIN_S_ORIG, Ratio::RATIO],
    source: include_str!("mdr.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Ladder(Box::new(Mdr { of: params.text("of").into(), ratio: Ratio::new(params) })))
    }),
};

struct Mdr {
    of: String,
    ratio: Ratio,
}

impl LadderGauge for Mdr {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let convention = format!(
            "mean over the ladder's arrangements of d(p); {}; S is {}: {}",
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
        self.0.mdr(weights)
    }
}
