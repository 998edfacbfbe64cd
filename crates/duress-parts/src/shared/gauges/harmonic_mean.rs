//! The harmonic mean of a gauge when clean and under stress.
//!
//! # What it does
//! Reads the gauge `of` at the clean rung and at `severity` of `ladder`, and gives 2ab/(a + b).
//! Left out, `ladder` is the only one there is, and `severity` is its highest. Several variants at
//! that severity are averaged first.
//!
//! # Why it matters
//! A subject can buy robustness with clean accuracy, or keep clean accuracy and have no robustness.
//! The harmonic mean is high only when both are: it never exceeds twice the smaller of the two.
//!
//! # Promise
//! It has the direction and the best value of the gauge it reads. When both are 0 it is 0, the
//! limit; below 0 it is undefined.
//!
//! # Example
//! ```toml
//! [gauge.clean-and-robust]
//! use = "harmonic-mean"
//! of = "accuracy"
//! ladder = "pgd"
//! severity = "8/255"
//! ```
//!
//! # Reference
//! C. J. van Rijsbergen, Information Retrieval, 1979, chapter 7, for why a harmonic mean where both
//! must be high.

use std::sync::Arc;

use duress_core::gauge::{Columns, Gauge, Meter, Rung, Scale, SubjectGauge, Undefined};
use duress_core::name::Name;
use duress_core::part::{Build, Field, Part, Takes};

use crate::shared::frame::chosen_ladder::chosen_ladder;

/// The part.
pub static PART: Part = Part {
    name: "harmonic-mean",
    version: 1,
    fields: &[
        Field {
            name: "of",
            takes: Takes::Text,
            doc: "the gauge of single cells that is read clean and under stress",
            default: Some("accuracy"),
        },
        Field {
            name: "ladder",
            takes: Takes::Text,
            doc: "the ladder that presses; may be left out when there is one only",
            default: Some(""),
        },
        Field {
            name: "severity",
            takes: Takes::Number(0.0, f64::MAX),
            doc: "its rung; the highest when left out",
            default: Some(""),
        },
    ],
    source: include_str!("harmonic_mean.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Subject(Box::new(HarmonicMean {
            of: params.text("of").into(),
            ladder: params.text_if("ladder").map(Into::into),
            severity: params.number_if("severity"),
        })))
    }),
};

struct HarmonicMean {
    of: String,
    ladder: Option<String>,
    severity: Option<f64>,
}

impl SubjectGauge for HarmonicMean {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let ladder = self.ladder.as_deref().unwrap_or("the only ladder");
        let rung = match self.severity {
            Some(severity) => format!("severity {severity}"),
            None => "its highest severity".into(),
        };
        of.with_convention(format!(
            "2ab/(a + b) of {} when clean and on {ladder} at {rung}: {}",
            self.of, of.convention
        ))
    }

    fn open(
        &self,
        ladders: &[(Name, Vec<Rung>)],
        _columns: &Columns,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let (name, rungs) = chosen_ladder(ladders, self.ladder.as_deref())?;
        let clean = rungs.iter().find(|rung| rung.severity.is_clean());
        let clean =
            clean.ok_or_else(|| Undefined::new(format!("ladder `{name}` has no clean rung")))?;
        let top = rungs
            .iter()
            .map(|rung| rung.severity.value())
            .fold(0.0, f64::max);
        let severity = self.severity.unwrap_or(top);
        let at = rungs
            .iter()
            .filter(|rung| rung.severity.value() == severity);
        let pressed: Vec<Arc<dyn Meter>> = at.map(|rung| Arc::clone(&rung.meter)).collect();
        if pressed.is_empty() {
            let there: Vec<String> = rungs.iter().map(|rung| rung.severity.to_string()).collect();
            return Err(Undefined::new(format!(
                "ladder `{name}` has no rung at {severity}; there is {}",
                there.join(", ")
            )));
        }
        if pressed
            .iter()
            .any(|meter| meter.units() != clean.meter.units())
        {
            return Err(Undefined::new("the two rungs are about different items"));
        }
        Ok(Arc::new(Both {
            clean: Arc::clone(&clean.meter),
            pressed,
        }))
    }
}

struct Both {
    clean: Arc<dyn Meter>,
    pressed: Vec<Arc<dyn Meter>>,
}

impl Meter for Both {
    fn units(&self) -> usize {
        self.clean.units()
    }

    fn is_rough(&self) -> bool {
        self.clean.is_rough() || self.pressed.iter().any(|meter| meter.is_rough())
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let clean = self.clean.read(weights)?;
        let variants: Vec<f64> = self
            .pressed
            .iter()
            .map(|meter| meter.read(weights))
            .collect::<Result<_, _>>()?;
        let pressed = variants.iter().sum::<f64>() / variants.len() as f64;
        if clean < 0.0 || pressed < 0.0 {
            return Err(Undefined::new(format!(
                "a harmonic mean of {clean} and {pressed}: one is negative"
            )));
        }
        Ok(if clean + pressed == 0.0 {
            0.0
        } else {
            2.0 * clean * pressed / (clean + pressed)
        })
    }
}
