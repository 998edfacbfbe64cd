//! The correlation of Matthews between true and answered classes.
//!
//! # What it does
//! Correlates truth and answers over the whole confusion matrix: with h hits among n items, t items
//! and s answers of each class, (h·n − Σ t·s) / √((n² − Σ t²)(n² − Σ s²)). Its detail is the
//! confusion matrix.
//!
//! # Why it matters
//! One number that is 0 for guessing whatever the sizes of the classes, where accuracy is not.
//!
//! # Promise
//! Higher is better, 1 is perfect, 0 is guessing. When all items have one class, or one class was
//! said of all, there is nothing to correlate and it is undefined; others print 0. Items without an
//! answer do not take part.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "mcc"]
//! ```
//!
//! # Reference
//! J. Gorodkin, Comparing two K-category assignments by a K-category correlation coefficient, 2004.
//! scikit-learn, `sklearn.metrics.matthews_corrcoef`, gives the same numbers where it is defined.

use std::sync::Arc;

use duress_core::gauge::{CellGauge, CellRead, Detail, Gauge, Meter, SIGNED, Scale, Undefined};
use duress_core::part::{Build, Part};

use crate::classify::frame::confusion;

/// The part.
pub static PART: Part = Part {
    name: "mcc",
    version: 1,
    fields: &[],
    source: include_str!("mcc.rs"),
    build: Build::Gauge(|_| Ok(Gauge::Cell(Box::new(Mcc)))),
};

struct Mcc;

impl CellGauge for Mcc {
    fn scale(&self) -> Scale {
        Scale {
            ends: SIGNED,
            ..confusion::scale("Matthews correlation of many classes (Gorodkin's R_K)".into())
        }
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        confusion::meter(read, |counts| {
            counts.mcc().ok_or_else(|| {
                Undefined::new(
                    "all items are of one class, or one class was said of all: nothing to correlate",
                )
            })
        })
    }

    fn detail(&self, read: CellRead<'_>) -> Option<Detail> {
        confusion::matrix(read)
    }
}
