//! The orders that a ladder tries, by how many inversions they have: all, those that go around, or
//! some that are drawn.

use duress_core::part::{Field, Params, Takes};
use duress_core::problem::Problem;
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::subject::Failure;
use duress_core::word::Word;
use duress_text::arrangement::{OrderChoice, Permutation, most_inversions};

/// The key that says which orders are tried.
pub(crate) const ORDERS: Field = Field {
    name: "orders",
    takes: Takes::Choice(OrderChoice::spellings),
    doc: "which orders are tried: all of up to six units (when left out), those that move all units around, or some that are drawn",
    default: Some(""),
};

/// The key that says how many are drawn.
pub(crate) const DRAWS: Field = Field {
    name: "draws",
    takes: Takes::Whole(1, 100),
    doc: "how many orders of each number of inversions are drawn, where they are; 4 when left out",
    default: Some(""),
};

/// So many units have orders that can all be tried.
const MOST_FULL: usize = 6;
/// So many have letters.
const MOST_CYCLIC: usize = 26;
const DEFAULT_DRAWS: usize = 4;

/// Which of the orders a text is put into.
#[derive(Clone, Copy)]
pub(crate) struct OrderDraw<'a> {
    pub(crate) severity: &'a Severity,
    pub(crate) variant: usize,
    /// Of this text, for orders that are drawn.
    pub(crate) seed: Seed,
}

/// The orders that are tried.
pub(crate) enum TriedOrders {
    /// These, by number of inversions.
    Listed {
        units: usize,
        by_inversions: Vec<Vec<Permutation>>,
    },
    /// So many of each number of inversions, drawn for each item; of so many units, 0 for any.
    Drawn { units: usize, draws: usize },
}

impl TriedOrders {
    /// The orders of so many units that the keys [`ORDERS`] and [`DRAWS`] say.
    pub(crate) fn new(params: &Params, units: usize) -> Result<TriedOrders, Problem> {
        let choice = params.choice_if("orders").unwrap_or(OrderChoice::Full);
        let draws = params.count_if("draws");
        if draws.is_some() && choice != OrderChoice::Sampled {
            return Err(Problem::new("`draws` without `orders = \"sampled\"`")
                .expected("orders that are drawn"));
        }
        let listed = |most: usize, by: fn(usize) -> Vec<Vec<Permutation>>| match units {
            2.. if units <= most => Ok(TriedOrders::Listed {
                units,
                by_inversions: by(units),
            }),
            _ => Err(Problem::new(format!("`{choice}` orders of {units} units"))
                .expected(format!("from 2 to {most}"))
                .hint("`orders = \"sampled\"` draws some orders of longer texts")),
        };
        match choice {
            OrderChoice::Full => listed(MOST_FULL, Permutation::by_inversions),
            OrderChoice::Cyclic => listed(MOST_CYCLIC, Permutation::shifts_by_inversions),
            OrderChoice::Sampled => Ok(TriedOrders::Drawn {
                units,
                draws: draws.unwrap_or(DEFAULT_DRAWS),
            }),
        }
    }

    /// The most inversions that there can be.
    pub(crate) fn most(&self) -> f64 {
        match self {
            TriedOrders::Drawn { units: 0, .. } => f64::from(u32::MAX),
            TriedOrders::Listed { units, .. } | TriedOrders::Drawn { units, .. } => {
                most_inversions(*units) as f64
            }
        }
    }

    /// How many orders there are at a severity; none where it is no number of inversions.
    pub(crate) fn variants(&self, severity: &Severity) -> usize {
        if severity.value().fract() != 0.0 || severity.value() > self.most() {
            return 0;
        }
        match self {
            _ if severity.is_clean() => 1,
            TriedOrders::Listed { .. } => self.listed(severity).len(),
            TriedOrders::Drawn { draws, .. } => *draws,
        }
    }

    /// What an order is called; those that are drawn for each item have no name.
    pub(crate) fn name(&self, severity: &Severity, variant: usize) -> Option<String> {
        self.listed(severity).get(variant).map(ToString::to_string)
    }

    /// The order of units; none where there is no such order of them.
    pub(crate) fn order<T: PartialEq>(
        &self,
        units: &[T],
        draw: OrderDraw<'_>,
    ) -> Option<Permutation> {
        match self {
            TriedOrders::Listed { .. } => self.listed(draw.severity).get(draw.variant).cloned(),
            TriedOrders::Drawn { .. } => {
                let own = draw.seed.child(format!("order {}", draw.variant));
                let inversions = draw.severity.value() as usize;
                Permutation::drawn(units, inversions, &mut own.draws())
            }
        }
    }

    /// Why nothing can be pressed at a severity.
    pub(crate) fn no_such(&self, severity: &Severity) -> Failure {
        let has = |(_, orders): &(usize, &Vec<Permutation>)| !orders.is_empty();
        let there = match self {
            TriedOrders::Drawn { .. } => "whole numbers".to_owned(),
            TriedOrders::Listed { by_inversions, .. } => {
                let there = by_inversions.iter().enumerate().skip(1).filter(has);
                let there: Vec<String> = there.map(|(k, _)| k.to_string()).collect();
                there.join(", ")
            }
        };
        Failure::unable(format!(
            "severity {severity}: inversions of the orders that are tried are {there}"
        ))
    }

    fn listed(&self, severity: &Severity) -> &[Permutation] {
        let value = severity.value();
        match self {
            TriedOrders::Listed { by_inversions, .. } if value.fract() == 0.0 => by_inversions
                .get(value as usize)
                .map_or(&[][..], Vec::as_slice),
            _ => &[],
        }
    }
}
