//! How much a judge of pairs favours whoever stands first.
//!
//! # What it does
//! Reads, over both orders, how often the first response is preferred, less a half; a tie is a
//! half.
//!
//! # Why it matters
//! The first place is worth nothing, and many judges give something for it.
//!
//! # Promise
//! 0 without preference, .5 when the first always wins, −.5 when the second does. `side =
//! "equivalent"` with a margin shows that there is none.
//!
//! # Example
//! ```toml
//! [ladder.order]
//! use = "swap-responses"
//! severities = [1]
//!
//! [analysis]
//! gauges = ["first-slot-preference"]
//! ```
//!
//! # Reference
//! L. Zheng et al., Judging LLM-as-a-judge with MT-Bench and Chatbot Arena, NeurIPS 2023.

use std::sync::Arc;

use duress_core::gauge::{
    CellRead, Direction, Gauge, Mean, Meter, PairGauge, SIGNED, Scale, Undefined,
};
use duress_core::part::{Build, Part};

use crate::judge::frame::both_orders::{BothOrders, pair_scale};

/// The part.
pub static PART: Part = Part {
    name: "first-slot-preference",
    version: 1,
    fields: &[],
    source: include_str!("first_slot_preference.rs"),
    build: Build::Gauge(|_| Ok(Gauge::Pair(Box::new(FirstSlotPreference)))),
};

struct FirstSlotPreference;

impl PairGauge for FirstSlotPreference {
    fn scale(&self) -> Scale {
        pair_scale(Direction::Neither, Some(0.0), SIGNED, CONVENTION)
    }

    fn open(
        &self,
        clean: CellRead<'_>,
        pressed: CellRead<'_>,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let both = BothOrders::of_cells(clean, pressed)?;
        Ok(Arc::new(Mean::over(
            both.each(|one, other| (one + other) / 2.0 - 0.5),
        )))
    }
}

const CONVENTION: &str =
    "mean over pairs and both orders of the preference for the first response, less a half";
