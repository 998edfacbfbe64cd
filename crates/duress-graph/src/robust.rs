//! Medians, and what they are of a normal.

/// The median distance of a standard normal from its median.
pub(crate) const MAD_OF_NORMAL: f64 = 0.674_489_750_196_081_7;

/// The middle of values, the upper of two; `None` of none.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let middle = values.len() / 2;
    Some(*values.select_nth_unstable_by(middle, f64::total_cmp).1)
}
