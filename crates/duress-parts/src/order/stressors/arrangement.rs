//! Rearranges the characters or words of a text.
//!
//! # What it does
//! Puts the units of every text into another order. Each severity has as many variants as there are
//! orders with that many inversions: for four units 3, 5, 6, 5, 3 and 1, together the 23 orders
//! ABDC to DCBA, each severity's in lexicographic order. Only texts of exactly `length` units take
//! part.
//!
//! # Why it matters
//! Readers of language lean on order to different degrees. All orders are tried, so the worst case
//! is the worst case, and severity says how far from the original each one is.
//!
//! # Severity
//! Inversions: pairs of units that stand in the wrong order; a whole number from 1 to 6 for four
//! units. 0 is the original.
//!
//! # Promise
//! Blind. Units are moved, none is added, lost or changed. Where a text repeats a unit, some orders
//! look alike: each distinct one is counted once, at its fewest inversions, and the original never;
//! the text does not take part in the others.
//!
//! # Example
//! ```toml
//! [ladder.scrambled]
//! use = "arrangement"
//! severities = [1, 2, 3, 4, 5, 6]
//! ```
//!
//! # Reference
//! D. E. Knuth, The Art of Computer Programming, volume 3, section 5.1.1, for inversions and their
//! counts.

use duress_core::data::{InputKind, Inputs, Items, Text};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Pressed, Pressure, Promise, Stressor};
use duress_core::subject::Failure;
use duress_core::word::Word;
use duress_text::arrangement::{Permutation as Order, most_inversions};
use duress_text::token::TextUnits;

/// The part.
pub static PART: Part = Part {
    name: "arrangement",
    version: 1,
    fields: &[
        Field {
            name: "units",
            takes: Takes::Choice(TextUnits::spellings),
            doc: "what is moved",
            default: Some("characters"),
        },
        Field {
            name: "length",
            takes: Takes::Whole(2, 6),
            doc: "how many units a text must have to take part",
            default: Some("4"),
        },
    ],
    source: include_str!("arrangement.rs"),
    build: Build::Stressor(|params| Ok(Stressor::Blind(Box::new(Arrangement::new(params))))),
};

struct Arrangement {
    units: TextUnits,
    length: usize,
    by_inversions: Vec<Vec<Order>>,
}

impl Arrangement {
    fn new(params: &Params) -> Arrangement {
        let length = params.count("length");
        Arrangement {
            units: params.choice("units"),
            length,
            by_inversions: Order::by_inversions(length),
        }
    }

    /// The orders at a severity; none where it is no number of inversions.
    fn orders(&self, severity: &Severity) -> &[Order] {
        let value = severity.value();
        let whole = value.fract() == 0.0 && value <= most_inversions(self.length) as f64;
        if whole {
            &self.by_inversions[value as usize]
        } else {
            &[]
        }
    }

    fn moves(&self, order: &Order, text: &str) -> bool {
        let units = self.units.split(text);
        units.len() == self.length && order.is_distinct_on(&units)
    }
}

impl Blind for Arrangement {
    fn pressure(&self) -> Pressure {
        Pressure {
            accepts: InputKind::Texts,
            unit: "inversions",
            most: most_inversions(self.length) as f64,
            sees_truth: false,
            promise: Promise::KeepsShape,
        }
    }

    /// At least one, so that a severity between two whole numbers is pressed, and fails with a
    /// reason.
    fn variants(&self, severity: &Severity) -> usize {
        self.orders(severity).len().max(1)
    }

    fn variant_name(&self, severity: &Severity, variant: usize) -> Option<String> {
        let order = self.orders(severity).get(variant)?;
        Some(order.to_string())
    }

    fn takes_part(&self, items: &Items, item: usize, severity: &Severity, variant: usize) -> bool {
        match (items.inputs(), self.orders(severity).get(variant)) {
            (Inputs::Texts(texts), Some(order)) => {
                severity.is_clean() || self.moves(order, &texts[item].text)
            }
            // Who cannot be pressed is told so when it is pressed.
            _ => true,
        }
    }

    fn press(
        &self,
        pressed: Pressed<'_>,
        severity: &Severity,
        _seed: Seed,
    ) -> Result<Items, Failure> {
        let order = self.orders(severity).get(pressed.variant).ok_or_else(|| {
            Failure::unable(format!(
                "severity {severity}: inversions of {} units are whole numbers up to {}",
                self.length,
                most_inversions(self.length)
            ))
        })?;
        let texts = pressed
            .items
            .texts()?
            .iter()
            .map(|text| match self.moves(order, &text.text) {
                true => text.pressed(
                    self.units
                        .rejoin(&order.apply(&self.units.split(&text.text))),
                ),
                false => Text::clone(text),
            });
        Ok(pressed.items.with(Inputs::Texts(texts.collect())))
    }
}
