//! Gaps: what goes with a value being hidden. A head of its own, that no edge is learnt from.

use crate::matrix::Square;
use crate::rc_gnn::filter::FilterPass;

/// How each variable's expected state (row) goes with whether each variable (column) is hidden at that
/// step, in standard errors over windows. States are expected from earlier steps alone, so the gap
/// itself has no say in them.
pub(super) fn reasons(pass: &FilterPass) -> Square {
    let d = pass.width;
    let rows = pass.window.len();
    let windows = 1 + pass.window.last().copied().unwrap_or(0);
    let mut z = Square::zeros(d);
    for to in 0..d {
        let hidden = |at: usize| f64::from(u8::from(!pass.seen[at * d + to]));
        let share = (0..rows).map(hidden).sum::<f64>() / rows as f64;
        if share == 0.0 || share == 1.0 {
            continue;
        }
        for from in 0..d {
            let mut sums = vec![0.0; windows];
            for at in 0..rows {
                sums[pass.window[at]] += (hidden(at) - share) * pass.drive[at * d + from];
            }
            let total: f64 = sums.iter().sum();
            let square: f64 = sums.iter().map(|s| s * s).sum();
            z[(from, to)] = if square > 0.0 {
                total / libm::sqrt(square)
            } else {
                0.0
            };
        }
    }
    z
}
