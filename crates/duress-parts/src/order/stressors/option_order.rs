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

use duress_core::data::Text;
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::stressor::Stressor;
use duress_core::subject::Failure;
use duress_text::arrangement::Permutation;

use crate::order::frame::moved_units::{MovedUnits, OrderLadder};
use crate::order::frame::tried_orders::{DRAWS, ORDERS, OrderDraw, TriedOrders};

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
    build: Build::Stressor(|params| Ok(Stressor::Blind(Box::new(ladder(params)?)))),
};

/// What the order is called that stands beside a question.
const ORDER: &str = "order";

fn ladder(params: &Params) -> Result<OrderLadder<Options>, Problem> {
    let names = params.texts("options").to_vec();
    Ok(OrderLadder {
        orders: TriedOrders::new(params, names.len())?,
        units: Options { names },
    })
}

/// The options that stand beside a question, by the names of their columns.
struct Options {
    names: Vec<String>,
}

impl Options {
    /// The options of an item, up to the first that is empty.
    fn shown<'a>(&'a self, text: &'a Text) -> Vec<&'a str> {
        let options = self
            .names
            .iter()
            .map(|name| text.beside(name).unwrap_or(""));
        options
            .take_while(|option| !option.trim().is_empty())
            .collect()
    }
}

impl MovedUnits for Options {
    fn order(&self, orders: &TriedOrders, text: &Text, draw: OrderDraw<'_>) -> Option<Permutation> {
        let shown = self.shown(text);
        let order = orders.order(&shown, draw)?;
        (order.units() == shown.len()).then_some(order)
    }

    fn moved(&self, text: &Text, order: &Permutation) -> Text {
        let shown = self.shown(text);
        let arranged = order.apply(&shown);
        let moved = self.names.iter().zip(arranged);
        let moved = moved.fold(text.clone(), |text, (name, option)| text.with(name, option));
        moved.with(ORDER, order.to_string())
    }

    fn lacking(&self, texts: &[Text]) -> Option<Failure> {
        let lacks = |name: &&String| texts.iter().all(|text| text.beside(name).is_none());
        let lacking = self.names.iter().find(lacks)?;
        Some(Failure::unable(format!(
            "no text has an option `{lacking}` beside it: name the columns in `options`, and in `beside` of the dataset"
        )))
    }

    fn stands_for(&self, pressed: &Text) -> Option<Vec<usize>> {
        let order = Permutation::named(pressed.beside(ORDER)?)?;
        let mut meant: Vec<usize> = order.order().to_vec();
        meant.extend(meant.len()..self.names.len());
        Some(meant)
    }
}
