//! Moving the units of a text into another order: what ladders of orders share, whatever the units
//! are.

use duress_core::data::{InputKind, Inputs, Items, Text};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Pressed, Pressure, Promise};
use duress_core::subject::Failure;
use duress_text::arrangement::Permutation;

use crate::order::frame::tried_orders::{OrderDraw, TriedOrders};

/// What is moved.
pub(crate) trait MovedUnits: Send + Sync {
    /// The order that the units of a text are put into; none where it does not take part.
    fn order(&self, orders: &TriedOrders, text: &Text, draw: OrderDraw<'_>) -> Option<Permutation>;

    /// The text with its units in this order.
    fn moved(&self, text: &Text, order: &Permutation) -> Text;

    /// Why none of these texts has the units, where that is so.
    fn lacking(&self, _texts: &[Text]) -> Option<Failure> {
        None
    }

    /// Which class each class that is said of a pressed text stands for, where classes are moved.
    fn stands_for(&self, _pressed: &Text) -> Option<Vec<usize>> {
        None
    }
}

/// A ladder of orders of some units.
pub(crate) struct OrderLadder<Units> {
    pub(crate) units: Units,
    pub(crate) orders: TriedOrders,
}

impl<Units: MovedUnits> Blind for OrderLadder<Units> {
    fn pressure(&self) -> Pressure {
        Pressure {
            accepts: InputKind::Texts,
            unit: "inversions",
            most: self.orders.most(),
            sees_truth: false,
            promise: Promise::KeepsShape,
        }
    }

    /// At least one, so that a severity between two whole numbers is pressed, and fails with a
    /// reason.
    fn variants(&self, severity: &Severity) -> usize {
        self.orders.variants(severity).max(1)
    }

    fn variant_name(&self, severity: &Severity, variant: usize) -> Option<String> {
        self.orders.name(severity, variant)
    }

    fn takes_part(&self, items: &Items, item: usize, severity: &Severity, variant: usize) -> bool {
        // Whether so many inversions can be had does not depend on the draws.
        let draw = OrderDraw {
            severity,
            variant,
            seed: Seed::new(0),
        };
        match items.inputs() {
            Inputs::Texts(texts) if self.orders.variants(severity) > 0 => {
                let order = || self.units.order(&self.orders, &texts[item], draw);
                severity.is_clean() || order().is_some()
            }
            // Who cannot be pressed is told so when it is pressed.
            _ => true,
        }
    }

    fn stands_for(&self, pressed: &Items, item: usize) -> Option<Vec<usize>> {
        let text = pressed.texts().ok()?.get(item)?;
        self.units.stands_for(text)
    }

    fn press(
        &self,
        pressed: Pressed<'_>,
        severity: &Severity,
        seed: Seed,
    ) -> Result<Items, Failure> {
        if self.orders.variants(severity) == 0 {
            return Err(self.orders.no_such(severity));
        }
        let items = pressed.items;
        if severity.is_clean() {
            return Ok(items.clone());
        }
        let texts = items.texts()?;
        if let Some(failure) = self.units.lacking(texts) {
            return Err(failure);
        }
        let moved = |(item, text): (usize, &Text)| {
            let draw = OrderDraw {
                severity,
                variant: pressed.variant,
                seed: items.seed(item, seed),
            };
            match self.units.order(&self.orders, text, draw) {
                Some(order) => self.units.moved(text, &order),
                None => text.clone(),
            }
        };
        let texts = texts.iter().enumerate().map(moved).collect();
        Ok(items.with(Inputs::Texts(texts)))
    }
}
