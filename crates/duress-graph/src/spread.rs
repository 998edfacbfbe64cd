//! How far values spread: their mean and their standard deviation.

/// Mean and standard deviation of the values that are there, not of what they were drawn from; of
/// no value both are 0.
///
/// ```
/// use duress_graph::spread::mean_and_deviation;
/// assert_eq!(mean_and_deviation(&[1.0, 3.0]), (2.0, 1.0));
/// ```
pub fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, libm::sqrt(squares / n))
}

/// The same as a shift and a scale: what does not vary keeps its scale.
pub fn shift_and_scale(values: &[f64]) -> (f64, f64) {
    let (mean, deviation) = mean_and_deviation(values);
    (mean, if deviation > 0.0 { deviation } else { 1.0 })
}
