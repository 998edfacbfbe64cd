//! The graph that is true of a dataset, from a table with a row per edge or a `.bif` network; cycles
//! are named.

use std::path::Path;

use duress_core::data::TableUse;
use duress_core::graph::Graph;
use duress_core::problem::Problem;

use duress_tables::formats;
use duress_tables::graph;
use duress_tables::table::by_name;

use crate::causal::frame::bif;

/// A graph as it is published, and what a reader should know about it.
pub(crate) struct TrueGraph {
    pub(crate) graph: Graph,
    pub(crate) remarks: Vec<String>,
}

/// The graph in a `.bif` network or in a table with a row per edge: columns `from` and `to` (or
/// `source` and `target`, `cause` and `effect`), with the names of variables or their positions from
/// 0. Variables over time may act on each other in turn, so a cycle is taken and named; what a variable
/// does to itself is no edge. An unknown name is refused.
pub(crate) fn true_graph(file: &Path, variables: &[String]) -> Result<TrueGraph, Problem> {
    let mut edges = edges_in(file, variables)?;
    let mut remarks = Vec::new();
    let loops = edges.iter().filter(|(from, to)| from == to).count();
    if loops > 0 {
        edges.retain(|(from, to)| from != to);
        remarks.push(format!(
            "{loops} edges of the graph go from a variable to itself and are no edges here"
        ));
    }
    if let Some(cycle) = cycle_in_words(variables, &edges) {
        remarks.push(format!(
            "the graph closes a cycle ({cycle}), so `sid` and `shd-cpdag` have no value, and learners \
             that leave cycles out cannot find all of it"
        ));
    }
    let graph = Graph::new(variables.to_vec(), edges);
    let graph = graph.map_err(|why| Problem::new(why).in_file(file))?;
    Ok(TrueGraph { graph, remarks })
}

fn edges_in(file: &Path, variables: &[String]) -> Result<Vec<(u32, u32)>, Problem> {
    if bif::is_network(file) {
        return bif::edges(file, variables);
    }
    let mut ends = None;
    let table = formats::read_if_any(file, &mut |heads| {
        let found = graph::ends(heads)?.ok_or_else(|| {
            Problem::new("there is no column for one end of an edge")
                .expected("columns `from` and `to`, `source` and `target`, or `cause` and `effect`")
        })?;
        let wants = by_name(heads, &[], &[&found.0, &found.1]);
        ends = Some(found);
        Ok(wants)
    })?;
    let Some((from, to)) = ends else {
        unreachable!("a table that was read has its columns")
    };
    let end =
        |row: usize, column: &str| graph::end(&table, row, column, variables).map(|at| at as u32);
    (0..table.rows())
        .map(|row| Ok((end(row, &from)?, end(row, &to)?)))
        .collect()
}

/// What is read of such a table.
pub(crate) fn table_use(file: &Path) -> Result<TableUse, Problem> {
    if bif::is_network(file) {
        return Ok(TableUse {
            file: file.into(),
            there: Vec::new(),
            read: Vec::new(),
        });
    }
    formats::table_use(file, |heads| {
        let ends = graph::ends(heads)?;
        Ok(ends.map_or_else(Vec::new, |(from, to)| vec![from, to]))
    })
}

/// A cycle among the edges, with the names of its variables; `None` when there is none.
fn cycle_in_words(variables: &[String], edges: &[(u32, u32)]) -> Option<String> {
    let cycle = cycle(variables.len() as u32, edges)?;
    Some(
        cycle
            .iter()
            .map(|&v| variables[v as usize].as_str())
            .collect::<Vec<_>>()
            .join(" → "),
    )
}

/// A cycle, its first variable repeated at the end; `None` when there is none.
fn cycle(variables: u32, edges: &[(u32, u32)]) -> Option<Vec<u32>> {
    // Whoever has no cause left is on no cycle; what stays can be followed backwards for ever.
    let mut left: Vec<u32> = (0..variables).collect();
    while let Some(at) = left.iter().position(|v| {
        !edges
            .iter()
            .any(|(from, to)| to == v && left.contains(from))
    }) {
        left.remove(at);
    }
    let mut walk = vec![*left.first()?];
    loop {
        let here = walk[walk.len() - 1];
        let (before, _) = edges
            .iter()
            .find(|(from, to)| *to == here && left.contains(from))?;
        if let Some(at) = walk.iter().position(|v| v == before) {
            let mut cycle = walk.split_off(at);
            cycle.push(*before);
            cycle.reverse();
            return Some(cycle);
        }
        walk.push(*before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_named() {
        let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).to_vec();
        let cycle = |edges: &[(u32, u32)]| cycle_in_words(&names, edges);
        let found = cycle(&[(3, 0), (0, 1), (1, 2), (2, 0)]);
        assert_eq!(found.as_deref(), Some("a → b → c → a"));
        assert_eq!(cycle(&[(0, 1), (0, 2), (1, 2)]), None);
    }
}
