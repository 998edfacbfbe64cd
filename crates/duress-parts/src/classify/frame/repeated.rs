//! Several answers about each item, kept as shares of classes: the gauges that read them count again.

use std::sync::Arc;

use duress_core::gauge::{CellRead, Mean, Meter, Undefined};
use duress_core::part::{Field, Takes};

use super::answered_items::{AnsweredItems, ScoreRows};

/// The key that says how many answers there are about each item.
pub(crate) const fn repeats_key(least: i64) -> Field {
    Field {
        name: "repeats",
        takes: Takes::Whole(least, 1000),
        doc: "how often each item was asked about: `repeats` of the subject",
        default: None,
    }
}

/// The mean over answered items of a number of each: from how often each class was named, and the
/// true class.
pub(crate) fn mean_over_items(
    read: CellRead<'_>,
    repeats: u32,
    number: impl Fn(&[u32], usize) -> f64,
) -> Result<Arc<dyn Meter>, Undefined> {
    let answered = AnsweredItems::new(read)?;
    let truth = answered.truth();
    let said = counts(&answered.probabilities()?, truth.len(), repeats)?;
    let numbers = answered.per_item(|at| number(&said[at], truth[at] as usize));
    Ok(Arc::new(Mean::over(numbers)))
}

/// How far a share may be from a whole number of answers: rounding, and no more.
const ROUNDING: f64 = 1e-6;

/// How often each class was named, of `repeats` times; undefined where the shares are of another
/// number of times.
fn counts(shares: &ScoreRows<'_>, items: usize, repeats: u32) -> Result<Vec<Vec<u32>>, Undefined> {
    let row = |at: usize| -> Option<Vec<u32>> {
        let times = shares
            .row(at)
            .iter()
            .map(|share| share * f64::from(repeats));
        let whole = |times: f64| {
            let near = (times - times.round()).abs() < ROUNDING;
            near.then(|| times.round() as u32)
        };
        times.map(whole).collect()
    };
    let all: Option<Vec<Vec<u32>>> = (0..items).map(row).collect();
    all.ok_or_else(|| {
        Undefined::new(format!(
            "these are not the shares of {repeats} answers about each item: `repeats` here is that of the subject"
        ))
    })
}

/// The share of ways to choose `chosen` of `all` in which all are among `good`.
pub(crate) fn share_of_choices(good: u32, all: u32, chosen: u32) -> f64 {
    let each = (0..chosen).map(|i| {
        let left = f64::from(good) - f64::from(i);
        left.max(0.0) / (f64::from(all) - f64::from(i))
    });
    each.product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_counted_as_binomials_are() {
        assert_eq!(share_of_choices(3, 5, 1), 0.6);
        assert!((share_of_choices(3, 5, 2) - 3.0 / 10.0).abs() < 1e-12);
        assert_eq!(share_of_choices(1, 5, 2), 0.0);
        assert_eq!(share_of_choices(5, 5, 5), 1.0);
    }
}
