//! Whether two maps rank the places alike.

use duress_stats::{Route, Side, UndefinedReason};

use super::check_pair;

/// Spearman's rank correlation of two maps; places with equal values share their mean rank.
pub fn spearman(map: &[f32], other: &[f32]) -> Result<f64, UndefinedReason> {
    check_pair(map, other)?;
    let wide = |map: &[f32]| -> Vec<f64> { map.iter().copied().map(f64::from).collect() };
    let test =
        duress_stats::tests::spearman(&wide(map), &wide(other), Side::TwoSided, Route::Auto)?;
    Ok(test.statistic)
}
