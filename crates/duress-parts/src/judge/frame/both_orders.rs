//! A judge of pairs in both orders: how much it preferred whoever stood first, before and after the
//! two changed places.

use duress_core::gauge::{CellRead, Direction, Ends, Scale, Undefined, Unit};
use duress_core::question::Question;

use crate::shared::frame::ratings::{dimension, ratings};

/// The dimension in which a judge of pairs answers: 1 for the first, 0 for the second, .5 for a
/// tie.
pub(crate) const PREFERS_FIRST: &str = "prefers-first";

/// What was said of each pair in both orders.
pub(crate) struct BothOrders(Vec<Option<(f64, f64)>>);

impl BothOrders {
    pub(crate) fn of_cells(
        clean: CellRead<'_>,
        pressed: CellRead<'_>,
    ) -> Result<BothOrders, Undefined> {
        let said = |cell: CellRead<'_>| dimension(ratings(cell.answers)?, PREFERS_FIRST);
        let (one, other) = (said(clean)?, said(pressed)?);
        let pairs = one.into_iter().zip(other);
        let pairs: Vec<Option<(f64, f64)>> =
            pairs.map(|(one, other)| Some((one?, other?))).collect();
        match pairs.iter().any(Option::is_some) {
            true => Ok(BothOrders(pairs)),
            false => Err(Undefined::new("no pair was judged in both orders")),
        }
    }

    /// A number for each pair that was judged in both orders.
    pub(crate) fn each(&self, number: impl Fn(f64, f64) -> f64) -> Vec<Option<f64>> {
        let numbers = self.0.iter();
        numbers
            .map(|pair| pair.map(|(one, other)| number(one, other)))
            .collect()
    }
}

/// The scale of a gauge of pairs.
pub(crate) fn pair_scale(
    direction: Direction,
    best: Option<f64>,
    ends: Ends,
    convention: &str,
) -> Scale {
    Scale {
        reads: Question::Ratings,
        direction,
        best,
        ends,
        unit: Unit::Items,
        convention: convention.into(),
        compat: false,
    }
}
