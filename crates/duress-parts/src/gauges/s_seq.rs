//! Robustness to order: 1 − (0.5 MDR + 0.5 MDA).
//!
//! # What it does
//! Reads MDR and MDA (see `mdr` and `mda`) on the ladder and takes their mean from 1.
//!
//! # Why it matters
//! One number for a model's dependence on order that counts the mean and the worst case alike.
//!
//! # Promise
//! Higher is better, 1 when nothing degrades. Not clamped: above 1 when scrambling helps, below 0 never for scores in [0, 1].
//!
//! # Example
//! ```toml
//! [gauge.s-seq]
//! use = "s-seq"
//! of = "s-acc"
//! min-s-orig = 0.05
//! ```
//!
//! # Reference
//! The definition is the first line; MDR and MDA are reported beside it.

use std::sync::Arc;

use duress_core::gauge::{Columns, Direction, Gauge, LadderGauge, Meter, Rung, Scale, Undefined};
use duress_core::part::{Build, Part};

use crate::degradation::{Degradation, OF, Ratio, Scores};

/// The part.
pub static PART: Part = Part {
    name: "s-seq",
    version: 1,
    fields: &[OF, Ratio::MIN_S_ORIG, Ratio::RATIO],
    source: include_str!("s_seq.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Ladder(Box::new(SSeq { of: params.text("of").into(), ratio: Ratio::new(params) })))
    }),
};

struct SSeq {
    of: String,
    ratio: Ratio,
}

impl LadderGauge for SSeq {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let convention =
            format!("1 − (0.5 MDR + 0.5 MDA); {}; S is {}: {}", self.ratio.words(), self.of, of.convention);
        Scale { convention, direction: Direction::Higher, best: Some(1.0), ..of.clone() }
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
        self.0.s_seq(weights)
    }
}
