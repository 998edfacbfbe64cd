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

use duress_core::gauge::{Direction, Gauge, Mean, SIGNED};
use duress_core::part::{Build, Part};

use crate::judge::frame::both_orders::BothOrdersGauge;

/// The part.
pub static PART: Part = Part {
    name: "first-slot-preference",
    version: 1,
    fields: &[],
    source: include_str!("first_slot_preference.rs"),
    build: Build::Gauge(|_| Ok(Gauge::Pair(Box::new(FIRST_SLOT_PREFERENCE)))),
};

const FIRST_SLOT_PREFERENCE: BothOrdersGauge = BothOrdersGauge {
    direction: Direction::Neither,
    best: Some(0.0),
    ends: SIGNED,
    convention: "mean over pairs and both orders of the preference for the first response, less a half",
    number: |one, other| (one + other) / 2.0 - 0.5,
    mean: Mean::over,
};
