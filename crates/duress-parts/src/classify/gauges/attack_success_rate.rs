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

use duress_core::gauge::{CellRead, Gauge, Mean, Meter, PairGauge, SHARE, Scale, Undefined};
use duress_core::part::{Build, Part};

use crate::classify::frame::class_pair::{compare_items, loss_scale};

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
        loss_scale(
            SHARE,
            "share wrong under stress of what was right when clean",
        )
    }

    fn open(
        &self,
        clean: CellRead<'_>,
        pressed: CellRead<'_>,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let fallen = |label: u32, before: Option<u32>, after: Option<u32>| {
            let now = after.filter(|_| before == Some(label))?;
            Some(f64::from(u8::from(now != label)))
        };
        let nobody = "no item was right when clean and has an answer under stress";
        let fallen = compare_items(clean, pressed, fallen, nobody)?;
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
