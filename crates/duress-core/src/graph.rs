//! Graphs: which variables act on which.

use serde::{Deserialize, Serialize};

/// A directed graph over named variables, without self-loops.
///
/// ```
/// use duress_core::graph::Graph;
/// let graph = Graph::new(vec!["rain".into(), "wet".into()], [(0, 1)]).unwrap();
/// assert!(graph.has(0, 1) && !graph.has(1, 0));
/// assert!(Graph::new(vec!["a".into()], [(0, 0)]).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graph {
    variables: Vec<String>,
    edges: Vec<(u32, u32)>,
}

impl Graph {
    /// A graph from `(from, to)` pairs; a pair given twice counts once.
    pub fn new(
        variables: Vec<String>,
        edges: impl IntoIterator<Item = (u32, u32)>,
    ) -> Result<Graph, String> {
        let mut edges: Vec<(u32, u32)> = edges.into_iter().collect();
        edges.sort_unstable();
        edges.dedup();
        let known = variables.len() as u32;
        if let Some((from, to)) = edges
            .iter()
            .find(|(from, to)| *from >= known || *to >= known)
        {
            return Err(format!(
                "edge {from}→{to} names a variable beyond the {known} there are"
            ));
        }
        if let Some((loops, _)) = edges.iter().find(|(from, to)| from == to) {
            return Err(format!("edge {loops}→{loops} is a self-loop"));
        }
        Ok(Graph { variables, edges })
    }

    /// The names of the variables, in order.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// The edges as `(from, to)`, sorted, each once.
    pub fn edges(&self) -> &[(u32, u32)] {
        &self.edges
    }

    /// Whether `from` acts on `to`.
    pub fn has(&self, from: u32, to: u32) -> bool {
        self.edges.binary_search(&(from, to)).is_ok()
    }
}
