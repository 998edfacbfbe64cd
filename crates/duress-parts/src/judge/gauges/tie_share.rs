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

use duress_core::gauge::{Direction, Gauge, Mean, SHARE};
use duress_core::part::{Build, Part};

use crate::judge::frame::both_orders::BothOrdersGauge;

/// The part.
pub static PART: Part = Part {
    name: "tie-share",
    version: 1,
    fields: &[],
    source: include_str!("tie_share.rs"),
    build: Build::Gauge(|_| Ok(Gauge::Pair(Box::new(TIE_SHARE)))),
};

const TIE_SHARE: BothOrdersGauge = BothOrdersGauge {
    direction: Direction::Neither,
    best: None,
    ends: SHARE,
    convention: "share of ties over pairs and both orders",
    number: share_of_ties,
    mean: Mean::over,
};

fn share_of_ties(one: f64, other: f64) -> f64 {
    let tie = |preference: f64| f64::from(u8::from((preference - 0.5).abs() < EPSILON));
    (tie(one) + tie(other)) / 2.0
}

/// How far a preference may be from a half.
const EPSILON: f64 = 1e-9;
