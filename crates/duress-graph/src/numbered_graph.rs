//! Graphs of tests, over variables that have a number each.

use duress_core::graph::Graph;

/// The graph of these edges over the variables `x0`, `x1`, … .
pub(crate) fn graph(variables: u32, edges: &[(u32, u32)]) -> Graph {
    let names = (0..variables).map(|i| format!("x{i}")).collect();
    Graph::new(names, edges.iter().copied()).unwrap()
}
