//! How often a judge of pairs prefers neither.
//!
//! # What it does
//! Reads, over both orders, how often the judge called a tie.
//!
//! # Why it matters
//! A judge that never decides is consistent and of no use.
//!
//! # Promise
//! Neither way is better in itself.
//!
//! # Example
//! ```toml
//! [ladder.order]
//! use = "swap-responses"
//! severities = [1]
//!
//! [analysis]
//! gauges = ["tie-share"]
//! ```
//!
//! # Reference
//! L. Zheng et al., Judging LLM-as-a-judge with MT-Bench and Chatbot Arena, NeurIPS 2023.

use std::sync::Arc;

use duress_core::gauge::{
    CellRead, Direction, Gauge, Mean, Meter, PairGauge, SHARE, Scale, Undefined,
};
use duress_core::part::{Build, Part};

use crate::judge::frame::both_orders::{BothOrders, pair_scale};

/// The part.
pub static PART: Part = Part {
    name: "tie-share",
    version: 1,
    fields: &[],
    source: include_str!("tie_share.rs"),
    build: Build::Gauge(|_| Ok(Gauge::Pair(Box::new(TieShare)))),
};

struct TieShare;

impl PairGauge for TieShare {
    fn scale(&self) -> Scale {
        pair_scale(Direction::Neither, None, SHARE, CONVENTION)
    }

    fn open(
        &self,
        clean: CellRead<'_>,
        pressed: CellRead<'_>,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let both = BothOrders::of_cells(clean, pressed)?;
        let tie = |one: f64| f64::from(u8::from((one - 0.5).abs() < EPSILON));
        Ok(Arc::new(Mean::over(
            both.each(|one, other| (tie(one) + tie(other)) / 2.0),
        )))
    }
}

const CONVENTION: &str = "share of ties over pairs and both orders";

/// How far a preference may be from a half.
const EPSILON: f64 = 1e-9;
