//! The share of items that were right when clean and are wrong under stress.
//!
//! # What it does
//! Looks only at items that the subject got right when nothing pressed, and gives the share of them
//! that it gets wrong under the stress. An item without an answer on either side does not take
//! part.
//!
//! # Why it matters
//! Robust accuracy mixes what an attack achieved with what was wrong before. This is the attack's
//! own score, and comparable between subjects whose clean accuracy differs.
//!
//! # Promise
//! Lower is better for the subject, 0 is perfect. When nothing was right when clean there is
//! nothing to attack, and the value is undefined.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "attack-success-rate"]
//! ```
//!
//! # Reference
//! N. Carlini et al., On evaluating adversarial robustness, 2019. The convention names the
//! denominator because others divide by all items.

use std::sync::Arc;

use duress_core::gauge::{
    CellRead, Direction, Gauge, Mean, Meter, PairGauge, SHARE, Scale, Undefined, Unit, same_classes,
};
use duress_core::part::{Build, Part};
use duress_core::question::Question;

/// The part.
pub static PART: Part = Part {
    name: "attack-success-rate",
    version: 1,
    fields: &[],
    source: include_str!("attack_success_rate.rs"),
    build: Build::Gauge(|_| Ok(Gauge::Pair(Box::new(AttackSuccessRate)))),
};

struct AttackSuccessRate;

impl PairGauge for AttackSuccessRate {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Lower,
            best: Some(0.0),
            ends: SHARE,
            unit: Unit::Items,
            convention: "share wrong under stress of what was right when clean".into(),
            compat: false,
        }
    }

    fn open(
        &self,
        clean: CellRead<'_>,
        pressed: CellRead<'_>,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let (labels, before) = same_classes(clean)?;
        let (_, after) = same_classes(pressed)?;
        let fallen = |(i, &label): (usize, &u32)| {
            let was_right = before.label(i)? == label;
            was_right
                .then(|| after.label(i))
                .flatten()
                .map(|now| f64::from(u8::from(now != label)))
        };
        let fallen: Vec<Option<f64>> = labels.of().iter().enumerate().map(fallen).collect();
        if fallen.iter().all(Option::is_none) {
            return Err(Undefined::new(
                "no item was right when clean and has an answer under stress",
            ));
        }
        Ok(Arc::new(Fallen(Mean::share(fallen))))
    }
}

/// A mean over what was right, which says so when a resample holds none of it.
struct Fallen(Mean);

impl Meter for Fallen {
    fn units(&self) -> usize {
        self.0.units()
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        self.0
            .read(weights)
            .map_err(|_| Undefined::new("nothing was right when clean"))
    }

    fn per_item(&self) -> Option<&[Option<f64>]> {
        self.0.per_item()
    }

    fn is_share(&self) -> bool {
        self.0.is_share()
    }
}
