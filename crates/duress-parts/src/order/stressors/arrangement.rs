//! Rearranges the characters, words or sentences of a text.
//!
//! # What it does
//! Puts the units of every text into another order. Each severity has as many variants as there are
//! orders with that many inversions: for four units 3, 5, 6, 5, 3 and 1, together the 23 orders
//! ABDC to DCBA, each severity's in lexicographic order. Only texts of exactly `length` units take
//! part. With `orders = "cyclic"` only the orders that move all units around are tried, as BCDA. Of
//! more than six units there are too many orders: `orders = "sampled"` draws `draws` of them for
//! each severity and text, by swapping neighbours that are still in order, so that a harder rung
//! goes on from where a milder one stopped; with `length = 0` texts of any length take part that can
//! have so many inversions.
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

use duress_core::data::Text;
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::stressor::Stressor;
use duress_core::word::Word;
use duress_text::arrangement::Permutation;
use duress_text::token::TextUnits;

use crate::order::frame::moved_units::{MovedUnits, OrderLadder};
use crate::order::frame::tried_orders::{DRAWS, ORDERS, OrderDraw, TriedOrders};

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
            takes: Takes::Whole(0, 1000),
            doc: "how many units a text must have to take part; 0 for any, where orders are sampled",
            default: Some("4"),
        },
        ORDERS,
        DRAWS,
    ],
    source: include_str!("arrangement.rs"),
    build: Build::Stressor(|params| Ok(Stressor::Blind(Box::new(ladder(params)?)))),
};

fn ladder(params: &Params) -> Result<OrderLadder<UnitsOfText>, Problem> {
    let length = params.count("length");
    Ok(OrderLadder {
        units: UnitsOfText {
            units: params.choice("units"),
            length,
        },
        orders: TriedOrders::new(params, length)?,
    })
}

/// Characters, words or sentences.
struct UnitsOfText {
    units: TextUnits,
    length: usize,
}

impl MovedUnits for UnitsOfText {
    fn order(&self, orders: &TriedOrders, text: &Text, draw: OrderDraw<'_>) -> Option<Permutation> {
        let units = self.units.split(&text.text);
        if self.length > 0 && units.len() != self.length {
            return None;
        }
        let order = orders.order(&units, draw)?;
        order.is_distinct_on(&units).then_some(order)
    }

    fn moved(&self, text: &Text, order: &Permutation) -> Text {
        let units = self.units.split(&text.text);
        text.pressed(self.units.rejoin(&order.apply(&units)))
    }
}
