//! The scale of quality: from 0 to 100, which is nothing wrong.

use duress_core::gauge::Undefined;

/// What is rated where nothing is wrong.
pub(crate) const BEST: f64 = 100.0;

/// Whether all ratings are on it.
pub(crate) fn on_scale(values: &[Option<f64>]) -> Result<(), Undefined> {
    let beyond = |value: &&f64| !(0.0..=BEST).contains(*value);
    let beyond: Vec<&f64> = values.iter().flatten().filter(beyond).collect();
    match beyond.first() {
        None => Ok(()),
        Some(first) => Err(Undefined::new(format!(
            "{} of {} ratings lie outside 0 to 100, the first is {first}; `mean-rating` reads any",
            beyond.len(),
            values.iter().flatten().count()
        ))),
    }
}
