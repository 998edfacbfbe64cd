//! The share of items that are right when clean and certified to stay so within the severity.
//!
//! # What it does
//! Reads the certified radius that a smoothed subject tells beside its clean answers (`smoothing` of
//! `network` and `trained`). At a rung of severity ε an item counts if its clean answer is right and
//! its radius is at least ε. What an attack does there plays no part.
//!
//! # Why it matters
//! An attack shows what falls; a certificate shows what cannot fall. Drawn beside `accuracy` on the
//! same ladder the two enclose the truth: certified accuracy is at most the accuracy under any attack
//! of that ε in L2, and the gap is what nobody knows.
//!
//! # Promise
//! Radii are in L2, so it belongs to ladders of attacks with `norm = "l2"`: on a ladder that is bounded
//! otherwise nothing is read, and a study without one that is bounded in L2 is refused. Each radius
//! holds with probability 0.999 (Clopper–Pearson). An item that is not certified has radius 0.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "certified-accuracy"]
//! ```
//!
//! # Reference
//! J. Cohen, E. Rosenfeld and J. Z. Kolter, Certified adversarial robustness via randomized smoothing,
//! ICML 2019.

use std::sync::Arc;

use duress_core::gauge::{
    CellRead, Direction, Gauge, Mean, Meter, PairGauge, SHARE, Scale, Undefined, Unit, same_classes,
};
use duress_core::part::{Build, Part};
use duress_core::question::Question;
use duress_core::severity::Severity;
use duress_core::stressor::Promise;

use crate::classify::frame::smoothing::RADIUS;

/// The part.
pub static PART: Part = Part {
    name: "certified-accuracy",
    version: 1,
    fields: &[],
    source: include_str!("certified_accuracy.rs"),
    build: Build::Gauge(|_| Ok(Gauge::Pair(Box::new(CertifiedAccuracy)))),
};

struct CertifiedAccuracy;

impl PairGauge for CertifiedAccuracy {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Higher,
            best: Some(1.0),
            ends: SHARE,
            unit: Unit::Items,
            convention: "right when clean, with a certified L2 radius of at least the severity"
                .into(),
            compat: false,
        }
    }

    fn bounded_by(&self) -> Option<Promise> {
        Some(Promise::L2)
    }

    fn open(
        &self,
        _clean: CellRead<'_>,
        _pressed: CellRead<'_>,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        Err(Undefined::new("a certificate is read at a severity"))
    }

    fn open_at(
        &self,
        clean: CellRead<'_>,
        _pressed: CellRead<'_>,
        severity: &Severity,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let (labels, said) = same_classes(clean)?;
        let radii = said.scores().get(RADIUS).ok_or_else(|| {
            Undefined::new("the subject tells no certified radius: it is not smoothed")
        })?;
        let certified = |(at, &label): (usize, &u32)| {
            let right = said.label(at)? == label;
            Some(f64::from(u8::from(right && radii[at] >= severity.value())))
        };
        let certified = labels.of().iter().enumerate().map(certified).collect();
        Ok(Arc::new(Mean::share(certified)))
    }
}
