//! Random graphs without cycles.

use duress_core::seed::Draws;

/// A random order of `variables` variables and `edges` edges `(from, to)` that follow it, every such set as likely as any other
/// (Erdős–Rényi with an exact count). The edges are sorted.
///
/// # Panics
/// When there are fewer pairs than edges: the caller checks.
pub(crate) fn erdos_renyi(
    variables: usize,
    edges: usize,
    draws: &mut Draws,
) -> (Vec<usize>, Vec<(usize, usize)>) {
    let mut order: Vec<usize> = (0..variables).collect();
    draws.shuffle(&mut order);
    let mut pairs: Vec<(usize, usize)> =
        (0..variables).flat_map(|i| (i + 1..variables).map(move |j| (i, j))).collect();
    assert!(edges <= pairs.len(), "{edges} edges do not fit between {variables} variables");
    draws.shuffle(&mut pairs);
    pairs.truncate(edges);
    let mut chosen: Vec<_> = pairs.into_iter().map(|(i, j)| (order[i], order[j])).collect();
    chosen.sort_unstable();
    (order, chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::seed::Seed;

    #[test]
    fn edges_follow_the_order_and_are_as_many_as_asked() {
        for seed in 0..50 {
            let (order, edges) = erdos_renyi(6, 9, &mut Seed::new(seed).draws());
            let place = |v: usize| order.iter().position(|&o| o == v).unwrap();
            assert!(edges.iter().all(|&(from, to)| place(from) < place(to)), "{order:?} {edges:?}");
            assert_eq!(edges.len(), 9);
        }
    }

    #[test]
    fn every_ordered_pair_is_as_likely_as_any_other() {
        let mut counts = [0_u32; 16];
        for seed in 0..4000 {
            let (_, edges) = erdos_renyi(4, 3, &mut Seed::new(seed).draws());
            edges.iter().for_each(|(from, to)| counts[from * 4 + to] += 1);
        }
        // 4000 · 3 / 12 = 1000 each, standard deviation below 30.
        let off = (0..16).filter(|at| at / 4 != at % 4).any(|at| counts[at].abs_diff(1000) > 120);
        assert!(!off, "{counts:?}");
    }
}
