//! Random graphs without cycles.

use duress_core::seed::Draws;

/// A random order of `variables` variables and `edges` edges `(from, to)` that follow it, every
/// such set as likely as any other (Erdős–Rényi with an exact count). The edges are sorted.
///
/// # Panics
/// When there are fewer pairs than edges: the caller checks.
pub(crate) fn erdos_renyi(
    variables: usize,
    edges: usize,
    draws: &mut Draws,
) -> (Vec<usize>, Vec<(usize, usize)>) {
    let order = random_order(variables, edges, draws);
    let mut pairs: Vec<(usize, usize)> = (0..variables)
        .flat_map(|i| (i + 1..variables).map(move |j| (i, j)))
        .collect();
    draws.shuffle(&mut pairs);
    pairs.truncate(edges);
    let mut chosen: Vec<_> = pairs
        .into_iter()
        .map(|(i, j)| (order[i], order[j]))
        .collect();
    chosen.sort_unstable();
    (order, chosen)
}

/// As [`erdos_renyi`], but with hubs: each edge picks its effect evenly, and its cause among what
/// stands before it in the order in proportion to one plus the effects it has already (Barabási and
/// Albert's preference, with an exact count of edges).
///
/// # Panics
/// When there are fewer pairs than edges: the caller checks.
pub(crate) fn scale_free(
    variables: usize,
    edges: usize,
    draws: &mut Draws,
) -> (Vec<usize>, Vec<(usize, usize)>) {
    let order = random_order(variables, edges, draws);
    let mut causes: Vec<Vec<usize>> = vec![Vec::new(); variables];
    let mut effects = vec![0_usize; variables];
    for _ in 0..edges {
        let open: Vec<usize> = (1..variables).filter(|&to| causes[to].len() < to).collect();
        let to = open[draws.below(open.len())];
        let free: Vec<usize> = (0..to).filter(|from| !causes[to].contains(from)).collect();
        let mut left = draws.below(free.iter().map(|&from| 1 + effects[from]).sum());
        let from = free.into_iter().find(|&from| {
            let taken = left < 1 + effects[from];
            left = left.saturating_sub(1 + effects[from]);
            taken
        });
        let from = from.unwrap_or_else(|| unreachable!("the draw is below the sum of the weights"));
        causes[to].push(from);
        effects[from] += 1;
    }
    let pairs = causes
        .iter()
        .enumerate()
        .flat_map(|(to, causes)| causes.iter().map(move |&from| (from, to)));
    let mut chosen: Vec<_> = pairs.map(|(from, to)| (order[from], order[to])).collect();
    chosen.sort_unstable();
    (order, chosen)
}

/// The variables with every cause before its effects; `None` where the edges close a cycle.
pub(crate) fn causes_first(variables: usize, edges: &[(usize, usize)]) -> Option<Vec<usize>> {
    let mut order = Vec::with_capacity(variables);
    while order.len() < variables {
        let heard = |v: usize| edges.iter().filter(move |(_, to)| *to == v);
        let ready =
            |v: &usize| !order.contains(v) && heard(*v).all(|(from, _)| order.contains(from));
        let next = (0..variables).find(ready)?;
        order.push(next);
    }
    Some(order)
}

/// A random order of the variables, between which the edges must fit.
fn random_order(variables: usize, edges: usize, draws: &mut Draws) -> Vec<usize> {
    assert!(
        edges <= variables * variables.saturating_sub(1) / 2,
        "{edges} edges do not fit between {variables} variables"
    );
    let mut order: Vec<usize> = (0..variables).collect();
    draws.shuffle(&mut order);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::seed::Seed;

    #[test]
    fn causes_come_before_effects_and_a_cycle_has_no_order() {
        let order = causes_first(4, &[(3, 1), (1, 0), (3, 2)]);
        assert_eq!(order, Some(vec![3, 1, 0, 2]));
        assert_eq!(causes_first(3, &[(0, 1), (1, 2), (2, 0)]), None);
    }

    type Draw = fn(usize, usize, &mut Draws) -> (Vec<usize>, Vec<(usize, usize)>);

    #[test]
    fn a_scale_free_graph_has_larger_hubs() {
        let hub = |draw: Draw| -> usize {
            let largest = |seed| {
                let (_, edges) = draw(40, 60, &mut Seed::new(seed).draws());
                (0..40)
                    .map(|v| edges.iter().filter(|(from, _)| *from == v).count())
                    .max()
                    .unwrap_or(0)
            };
            (0..50).map(largest).sum()
        };
        assert!(
            hub(scale_free) > hub(erdos_renyi) * 3 / 2,
            "{} {}",
            hub(scale_free),
            hub(erdos_renyi)
        );
    }

    #[test]
    fn edges_follow_the_order_and_are_as_many_as_asked() {
        for (seed, draw) in
            (0..50).flat_map(|seed| [(seed, erdos_renyi as Draw), (seed, scale_free)])
        {
            let (order, edges) = draw(6, 9, &mut Seed::new(seed).draws());
            assert_eq!(
                draw(4, 6, &mut Seed::new(seed).draws()).1.len(),
                6,
                "as many as fit"
            );
            let place = |v: usize| order.iter().position(|&o| o == v).unwrap();
            assert!(
                edges.iter().all(|&(from, to)| place(from) < place(to)),
                "{order:?} {edges:?}"
            );
            assert_eq!(edges.len(), 9);
        }
    }

    #[test]
    fn every_ordered_pair_is_as_likely_as_any_other() {
        let mut counts = [0_u32; 16];
        for seed in 0..4000 {
            let (_, edges) = erdos_renyi(4, 3, &mut Seed::new(seed).draws());
            edges
                .iter()
                .for_each(|(from, to)| counts[from * 4 + to] += 1);
        }
        // 4000 · 3 / 12 = 1000 each, standard deviation below 30.
        let off = (0..16)
            .filter(|at| at / 4 != at % 4)
            .any(|at| counts[at].abs_diff(1000) > 120);
        assert!(!off, "{counts:?}");
    }
}
