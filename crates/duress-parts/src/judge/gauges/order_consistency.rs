//! How often a judge of pairs prefers the same response in both orders.
//!
//! # What it does
//! Compares what was preferred before and after the two responses changed places; a tie twice is
//! consistent.
//!
//! # Why it matters
//! A preference that depends on who stands first is no preference.
//!
//! # Promise
//! 1 when the order never matters. Only pairs that were judged in both orders take part.
//!
//! # Example
//! ```toml
//! [ladder.order]
//! use = "swap-responses"
//! severities = [1]
//!
//! [analysis]
//! gauges = ["order-consistency"]
//! ```
//!
//! # Reference
//! L. Zheng et al., Judging LLM-as-a-judge with MT-Bench and Chatbot Arena, NeurIPS 2023.

use duress_core::gauge::{Direction, Gauge, Mean, SHARE};
use duress_core::part::{Build, Part};

use crate::judge::frame::both_orders::BothOrdersGauge;

/// The part.
pub static PART: Part = Part {
    name: "order-consistency",
    version: 1,
    fields: &[],
    source: include_str!("order_consistency.rs"),
    build: Build::Gauge(|_| Ok(Gauge::Pair(Box::new(ORDER_CONSISTENCY)))),
};

const ORDER_CONSISTENCY: BothOrdersGauge = BothOrdersGauge {
    direction: Direction::Higher,
    best: Some(1.0),
    ends: SHARE,
    convention: "share of pairs in which the same response is preferred in both orders",
    number: are_opposite,
    mean: Mean::share,
};

/// 1 where the same response is preferred in both orders.
fn are_opposite(one: f64, other: f64) -> f64 {
    f64::from(u8::from((one + other - 1.0).abs() < EPSILON))
}

/// How far preferences may be from opposite.
const EPSILON: f64 = 1e-9;
