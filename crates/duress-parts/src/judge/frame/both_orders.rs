//! A judge of pairs in both orders: how much it preferred whoever stood first, before and after the
//! two changed places.

use std::sync::Arc;

use duress_core::gauge::{
    CellRead, Direction, Ends, Mean, Meter, PairGauge, Scale, Undefined, Unit,
};
use duress_core::question::Question;

use crate::shared::frame::ratings::{dimension, ratings};

/// The dimension in which a judge of pairs answers: 1 for the first, 0 for the second, .5 for a
/// tie.
pub(crate) const PREFERS_FIRST: &str = "prefers-first";

/// A gauge of pairs that were judged in both orders: the mean of a number of each pair.
pub(crate) struct BothOrdersGauge {
    pub(crate) direction: Direction,
    pub(crate) best: Option<f64>,
    pub(crate) ends: Ends,
    pub(crate) convention: &'static str,
    /// What a pair adds, from how much whoever stood first was preferred in either order.
    pub(crate) number: fn(f64, f64) -> f64,
    /// `Mean::over`, or `Mean::share` where the number is 0 or 1.
    pub(crate) mean: fn(Vec<Option<f64>>) -> Mean,
}

impl PairGauge for BothOrdersGauge {
    fn scale(&self) -> Scale {
        pair_scale(self.direction, self.best, self.ends, self.convention)
    }

    fn open(
        &self,
        clean: CellRead<'_>,
        pressed: CellRead<'_>,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let preferences = preferences_in_both_orders(clean, pressed)?;
        let numbers = preferences.into_iter().map(|pair| {
            let (one, other) = pair?;
            Some((self.number)(one, other))
        });
        Ok(Arc::new((self.mean)(numbers.collect())))
    }
}

/// How much whoever stood first was preferred, of each pair that was judged in both orders.
pub(crate) fn preferences_in_both_orders(
    clean: CellRead<'_>,
    pressed: CellRead<'_>,
) -> Result<Vec<Option<(f64, f64)>>, Undefined> {
    let said = |cell: CellRead<'_>| dimension(ratings(cell.answers)?, PREFERS_FIRST);
    let one = said(clean)?;
    let other = said(pressed)?;
    let both = one.into_iter().zip(other);
    let pairs: Vec<Option<(f64, f64)>> = both.map(|(one, other)| Some((one?, other?))).collect();
    match pairs.iter().any(Option::is_some) {
        true => Ok(pairs),
        false => Err(Undefined::new("no pair was judged in both orders")),
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
