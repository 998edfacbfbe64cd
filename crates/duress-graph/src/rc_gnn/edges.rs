//! Edges: from how likely messages are to a graph, without the truth.

use crate::matrix::{Square, row_by_row};
use crate::select::without_cycles;

/// The pairs above these log-odds, strongest first, none that closes a cycle unless feedback may be.
pub(super) fn strongest(odds: &Square, above: f64, feedback: bool) -> Vec<(usize, usize)> {
    let d = odds.size();
    let mut pairs: Vec<(usize, usize)> = row_by_row(d, d)
        .filter(|&(i, k)| i != k && odds[(i, k)] > above)
        .collect();
    pairs.sort_by(|a, b| odds[*b].total_cmp(&odds[*a]).then(a.cmp(b)));
    if feedback {
        pairs
    } else {
        without_cycles(d, &pairs)
    }
}

/// The most pairs, strongest first and each more likely an edge than not, of which no more than
/// `share` are expected to be false.
pub(super) fn within_share(odds: &Square, share: f64, feedback: bool) -> Vec<(usize, usize)> {
    let all = strongest(odds, 0.0, feedback);
    let mut doubt = 0.0;
    let mut count = 0;
    for (nth, &pair) in all.iter().enumerate() {
        doubt += 1.0 - probability(odds[pair]);
        if doubt <= share * (nth + 1) as f64 {
            count = nth + 1;
        }
    }
    all[..count].to_vec()
}

/// From log-odds.
pub(super) fn probability(odds: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-odds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_holds_for_what_is_chosen_and_nothing_unlikely_is() {
        let mut odds = Square::from_cells(4, vec![-30.0; 16]);
        for (pair, p) in [((0, 1), 0.99), ((1, 2), 0.95), ((2, 3), 0.8), ((0, 3), 0.4)] {
            odds[pair] = libm::log(p / (1.0 - p));
        }
        let count = |share| within_share(&odds, share, false).len();
        assert_eq!([0.0, 0.02, 0.035, 0.1, 0.5].map(count), [0, 1, 2, 3, 3]);
    }

    #[test]
    fn the_weakest_edge_of_a_cycle_is_left_out_unless_feedback_may_be() {
        let mut odds = Square::from_cells(3, vec![-30.0; 9]);
        for (pair, value) in [((0, 1), 9.0), ((1, 2), 8.0), ((2, 0), 7.0)] {
            odds[pair] = value;
        }
        assert_eq!(strongest(&odds, 0.0, false), [(0, 1), (1, 2)]);
        assert_eq!(strongest(&odds, 0.0, true).len(), 3);
    }
}
