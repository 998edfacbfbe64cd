//! Sortability: how much of a graph the scale of the data gives away.

use duress_core::data::Windows;
use duress_core::graph::Graph;

/// How far two variances may be apart, relative to the larger, and still count as equal.
const EQUAL: f64 = 1e-9;

/// The share of directed paths, counted once per length, along which the variance rises; equal variances count half.
///
/// At 1 sorting the variables by variance gives the causal order, at 0.5 the scale says nothing, so data should be standardised
/// (Reisach, Seiler and Weichwald, "Beware of the simulated DAG!", NeurIPS 2021). `None` when the graph has no edge.
///
/// ```
/// use duress_core::graph::Graph;
/// use duress_graph::sortability::varsortability;
/// let chain = Graph::new(vec!["a".into(), "b".into(), "c".into()], [(0, 1), (1, 2)]).unwrap();
/// assert_eq!(varsortability(&chain, &[1.0, 2.0, 3.0]), Some(1.0));
/// assert_eq!(varsortability(&chain, &[1.0, 1.0, 1.0]), Some(0.5));
/// ```
pub fn varsortability(graph: &Graph, variances: &[f64]) -> Option<f64> {
    let d = variances.len();
    let mut reached: Vec<bool> = (0..d * d).map(|at| graph.has((at / d) as u32, (at % d) as u32)).collect();
    let (mut rising, mut paths) = (0.0, 0_u32);
    // A path of a graph without cycles has fewer than d edges; in one with cycles longer walks say nothing new.
    for _ in 1..d {
        for at in (0..d * d).filter(|&at| reached[at]) {
            rising += rise(variances[at / d], variances[at % d]);
            paths += 1;
        }
        reached = one_step_further(graph, &reached, d);
    }
    (paths > 0).then(|| rising / f64::from(paths))
}

/// The variance of each variable over the values that can be seen; 0 where there are fewer than two.
pub fn variances(windows: &Windows) -> Vec<f64> {
    let of = |variable: usize| {
        let places = (0..windows.len()).flat_map(|w| (0..windows.steps()).map(move |t| (w, t)));
        let seen: Vec<f64> = places.filter_map(|(w, t)| windows.get(w, t, variable)).collect();
        let n = seen.len() as f64;
        let mean = seen.iter().sum::<f64>() / n;
        if seen.len() < 2 { 0.0 } else { seen.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0) }
    };
    (0..windows.variables().len()).map(of).collect()
}

fn rise(from: f64, to: f64) -> f64 {
    if (from - to).abs() <= EQUAL * from.max(to) { 0.5 } else { f64::from(u8::from(to > from)) }
}

fn one_step_further(graph: &Graph, reached: &[bool], d: usize) -> Vec<bool> {
    let mut next = vec![false; d * d];
    for at in (0..d * d).filter(|&at| reached[at]) {
        for &(from, to) in graph.edges() {
            if from as usize == at % d {
                next[at / d * d + to as usize] = true;
            }
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_counted_once_per_length_as_the_authors_do() {
        let names = || (0..4).map(|i| format!("x{i}")).collect::<Vec<_>>();
        // 0→1→3, 0→2→3, 0→3: paths of one edge 0→1 0→2 0→3 1→3 2→3, of two 0→3.
        let graph = Graph::new(names(), [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)]).unwrap();
        let share = varsortability(&graph, &[1.0, 0.5, 2.0, 1.5]).unwrap();
        // Rising: 0→2, 0→3, 1→3, and 0→3 again; falling: 0→1, 2→3.
        assert!((share - 4.0 / 6.0).abs() < 1e-15, "{share}");
        assert_eq!(varsortability(&Graph::new(names(), []).unwrap(), &[1.0; 4]), None);
    }
}
