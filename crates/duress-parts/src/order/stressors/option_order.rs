//! Shows the options of a question in another order.
//!
//! # What it does
//! Puts the columns named in `options`, which stand beside the question, into another order: at the
//! order BCDA the second option stands where the first stood. Each severity has as many variants as
//! there are orders with that many inversions; `orders = "cyclic"` tries only those that move all
//! options around, `"sampled"` draws some. What a subject says of a letter is kept as what it says
//! of the option that stood there, so that accuracy, calibration and every other gauge of classes
//! are about options, whatever their order. An option that is empty for an item stays where it is,
//! and so do those behind it.
//!
//! # Why it matters
//! A subject that answers by what options say does not change its mind when they change places. Many
//! prefer a position.
//!
//! # Severity
//! Inversions: pairs of options that stand in the wrong order; a whole number. Cyclic orders of four
//! options have 3 and 4.
//!
//! # Promise
//! Blind. Options are moved, none is changed. The order is told in `order`, which stands beside the
//! question and which templates may leave out.
//!
//! # Example
//! ```toml
//! [ladder.moved]
//! use = "option-order"
//! options = ["A", "B", "C", "D"]
//! orders = "cyclic"
//! severities = [3, 4]
//! ```
//!
//! # Reference
//! P. Pezeshkpour and E. Hruschka, Large Language Models Sensitivity to the Order of Options in
//! Multiple-Choice Questions, NAACL Findings 2024; C. Zheng and others, Large Language Models Are
//! Not Robust Multiple Choice Selectors, ICLR 2024.

use duress_core::data::{InputKind, Inputs, Items, Text};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Pressed, Pressure, Promise, Stressor};
use duress_core::subject::Failure;
use duress_text::arrangement::Permutation;

use crate::order::frame::tried_orders::{DRAWS, ORDERS, TriedOrders};

/// The part.
pub static PART: Part = Part {
    name: "option-order",
    version: 1,
    fields: &[
        Field {
            name: "options",
            takes: Takes::Texts,
            doc: "the columns with the options, which stand beside the text, in the order of the classes",
            default: Some("A B C D"),
        },
        ORDERS,
        DRAWS,
    ],
    source: include_str!("option_order.rs"),
    build: Build::Stressor(|params| Ok(Stressor::Blind(Box::new(OptionOrder::new(params)?)))),
};

/// What the order is called that stands beside a question.
const ORDER: &str = "order";

struct OptionOrder {
    options: Vec<String>,
    orders: TriedOrders,
}

impl OptionOrder {
    fn new(params: &Params) -> Result<OptionOrder, Problem> {
        let options = params.texts("options").to_vec();
        let orders = TriedOrders::new(params, options.len())?;
        Ok(OptionOrder { options, orders })
    }

    /// The options of an item, up to the first that is empty.
    fn shown<'a>(&'a self, text: &'a Text) -> Vec<&'a str> {
        let options = self
            .options
            .iter()
            .map(|name| text.beside(name).unwrap_or(""));
        options
            .take_while(|option| !option.trim().is_empty())
            .collect()
    }

    /// The order of an item's options; none where it has others than the ladder is for.
    fn order(
        &self,
        text: &Text,
        severity: &Severity,
        variant: usize,
        seed: Seed,
    ) -> Option<Permutation> {
        let shown = self.shown(text);
        let order = self.orders.order(&shown, severity, variant, seed)?;
        (order.units() == shown.len()).then_some(order)
    }

    fn moved(&self, text: &Text, order: &Permutation) -> Text {
        let shown = self.shown(text);
        let arranged = order.apply(&shown);
        let moved = self.options.iter().zip(arranged);
        let moved = moved.fold(text.clone(), |text, (name, option)| text.with(name, option));
        moved.with(ORDER, order.to_string())
    }
}

impl Blind for OptionOrder {
    fn pressure(&self) -> Pressure {
        Pressure {
            accepts: InputKind::Texts,
            unit: "inversions",
            most: self.orders.most(),
            sees_truth: false,
            promise: Promise::KeepsShape,
        }
    }

    fn variants(&self, severity: &Severity) -> usize {
        self.orders.variants(severity).max(1)
    }

    fn variant_name(&self, severity: &Severity, variant: usize) -> Option<String> {
        self.orders.name(severity, variant)
    }

    fn takes_part(&self, items: &Items, item: usize, severity: &Severity, variant: usize) -> bool {
        match items.inputs() {
            Inputs::Texts(texts) if self.orders.variants(severity) > 0 => {
                let own = self.order(&texts[item], severity, variant, Seed::new(0));
                severity.is_clean() || own.is_some()
            }
            _ => true,
        }
    }

    fn stands_for(&self, pressed: &Items, item: usize) -> Option<Vec<usize>> {
        let text = pressed.texts().ok()?.get(item)?;
        let order = Permutation::named(text.beside(ORDER)?)?;
        let mut meant: Vec<usize> = order.order().to_vec();
        meant.extend(meant.len()..self.options.len());
        Some(meant)
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
        if severity.is_clean() {
            return Ok(pressed.items.clone());
        }
        let items = pressed.items;
        let texts = items.texts()?;
        let lacks = |name: &&String| texts.iter().all(|text| text.beside(name).is_none());
        if let Some(lacking) = self.options.iter().find(lacks) {
            return Err(Failure::unable(format!(
                "no text has an option `{lacking}` beside it: name the columns in `options`, and in `beside` of the dataset"
            )));
        }
        let moved = |(i, text): (usize, &Text)| {
            let own = items.seed(i, seed);
            match self.order(text, severity, pressed.variant, own) {
                Some(order) => self.moved(text, &order),
                None => text.clone(),
            }
        };
        let texts = texts.iter().enumerate().map(moved).collect();
        Ok(items.with(Inputs::Texts(texts)))
    }
}
