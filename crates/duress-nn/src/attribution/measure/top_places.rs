//! The places where a map is highest, and whether two maps agree in them.

use duress_stats::UndefinedReason;

use super::check_pair;

/// The share of the `k` highest places of one map that are among the `k` highest of the other. Of
/// places with equal values at the edge each belongs by the same share.
pub fn top_k_intersection(map: &[f32], other: &[f32], k: usize) -> Result<f64, UndefinedReason> {
    check_pair(map, other)?;
    if k == 0 || k > map.len() {
        return Err(UndefinedReason::OutOfRange {
            what: "the number of highest places",
            value: k as f64,
            expected: "from 1 to the number of places",
        });
    }
    let both = top_shares(map, k).into_iter().zip(top_shares(other, k));
    let shared: f64 = both.map(|(one, other)| one.min(other)).sum();
    Ok(shared / k as f64)
}

/// By how much each place belongs to the `k` highest of a map: wholly, not, or, where more places than
/// are left have the value at the edge, by the share that is left for each of them.
pub(super) fn top_shares(map: &[f32], k: usize) -> Vec<f64> {
    let mut sorted = map.to_vec();
    let (_, edge, _) = sorted.select_nth_unstable_by(k - 1, |a, b| b.total_cmp(a));
    // Both zeros are one value, whatever order they were sorted in.
    let edge = *edge + 0.0;
    let above = map.iter().filter(|value| **value > edge).count();
    let at_edge = map.iter().filter(|value| **value == edge).count();
    let share_at_edge = (k - above) as f64 / at_edge as f64;
    let share = |&value: &f32| match value {
        value if value > edge => 1.0,
        value if value == edge => share_at_edge,
        _ => 0.0,
    };
    map.iter().map(share).collect()
}
