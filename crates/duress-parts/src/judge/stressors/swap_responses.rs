//! Lets the two responses of a pair change places.
//!
//! # What it does
//! What stood first stands second and the other way round; nothing else changes. The second response
//! of a pair stands beside the first, as `other`.
//!
//! # Why it matters
//! A judge of pairs should prefer the same response wherever it stands: `order-consistency`,
//! `first-slot-preference` and `tie-share` read both orders.
//!
//! # Severity
//! 1, for the other order.
//!
//! # Promise
//! Blind: it sees the pair. An item without a second response does not take part.
//!
//! # Example
//! ```toml
//! [ladder.order]
//! use = "swap-responses"
//! severities = [1]
//! ```
//!
//! # Reference
//! L. Zheng et al., Judging LLM-as-a-judge with MT-Bench and Chatbot Arena, NeurIPS 2023.

use duress_core::data::{InputKind, Inputs, Items, Text};
use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Pressed, Pressure, Promise, Stressor};
use duress_core::subject::Failure;

/// The part.
pub static PART: Part = Part {
    name: "swap-responses",
    version: 1,
    fields: &[],
    source: include_str!("swap_responses.rs"),
    build: Build::Stressor(|_| Ok(Stressor::Blind(Box::new(SwapResponses)))),
};

struct SwapResponses;

impl Blind for SwapResponses {
    fn pressure(&self) -> Pressure {
        Pressure {
            accepts: InputKind::Texts,
            unit: "swaps",
            most: 1.0,
            sees_truth: false,
            promise: Promise::KeepsShape,
        }
    }

    fn takes_part(&self, items: &Items, item: usize, _: &Severity, _variant: usize) -> bool {
        match items.inputs() {
            Inputs::Texts(texts) => texts[item].beside("other").is_some(),
            _ => true,
        }
    }

    fn press(
        &self,
        pressed: Pressed<'_>,
        severity: &Severity,
        _seed: Seed,
    ) -> Result<Items, Failure> {
        if severity.is_clean() {
            return Ok(pressed.items.clone());
        }
        let swap = |text: &Text| match text.beside("other") {
            Some(other) => text.pressed(other).with("other", text.text.as_str()),
            None => text.clone(),
        };
        let items = pressed.items;
        Ok(items.with(Inputs::Texts(items.texts()?.iter().map(swap).collect())))
    }
}
