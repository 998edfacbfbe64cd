//! A random graph: the floor under every other learner.

use duress_core::seed::Seed;
use duress_core::subject::Failure;

use crate::matrix::Square;
use crate::select::{self, EdgeScores};
use duress_core::answer::GraphAnswer;

/// A random graph without cycles over `variables`, with `edges` edges and scores drawn at random,
/// every graph of a random order as likely as any other.
pub fn draw_graph(variables: &[String], edges: usize, seed: Seed) -> Result<GraphAnswer, Failure> {
    let d = variables.len();
    let pairs = d * (d - 1) / 2;
    if edges > pairs {
        return Err(Failure::unable(format!(
            "{edges} edges between {d} variables, which have {pairs} pairs"
        )));
    }
    let mut draws = seed.draws();
    let mut order: Vec<usize> = (0..d).collect();
    draws.shuffle(&mut order);
    let mut strength = Square::zeros(d);
    let mut found = Vec::new();
    for (a, b) in (0..d).flat_map(|a| (a + 1..d).map(move |b| (a, b))) {
        let from = order[a];
        let to = order[b];
        // What has an edge scores above what has none, as for any learner; which that is, is
        // chance.
        strength[(from, to)] = 0.5 + 0.5 * draws.uniform();
        strength[(to, from)] = 0.5 * draws.uniform();
        found.push((from, to));
    }
    found.sort_by(|a, b| strength[*b].total_cmp(&strength[*a]));
    found.truncate(edges);
    let scores = EdgeScores::new(variables.to_vec(), strength)?;
    Ok(GraphAnswer {
        graph: select::graph(variables, &found),
        scores: scores.sizes(),
        rule: "the strongest of random scores that follow a random order".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edge_is_as_likely_and_the_number_is_the_one_asked_for() {
        let names: Vec<String> = (0..4).map(|i| i.to_string()).collect();
        let mut counts = [0_u32; 16];
        for seed in 0..4000 {
            let graph = draw_graph(&names, 3, Seed::new(seed)).unwrap().graph;
            assert_eq!(graph.edges().len(), 3);
            graph
                .edges()
                .iter()
                .for_each(|(from, to)| counts[(from * 4 + to) as usize] += 1);
        }
        // 4000 · 3 / 12 = 1000 each, standard deviation below 30.
        assert!(
            (0..16)
                .filter(|at| at / 4 != at % 4)
                .all(|at| counts[at].abs_diff(1000) < 120),
            "{counts:?}"
        );
        assert!(
            draw_graph(&names, 7, Seed::new(1))
                .unwrap_err()
                .why
                .contains("6 pairs")
        );
        assert!(draw_graph(&names[..1], 0, Seed::new(1)).is_ok());
    }
}
