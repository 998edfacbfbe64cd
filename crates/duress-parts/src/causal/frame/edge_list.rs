//! The graph that is true of a dataset, from a table with a row per edge; cycles are named.

use std::path::Path;

use duress_core::data::TableUse;
use duress_core::graph::Graph;
use duress_core::problem::Problem;

use duress_tables::formats;
use duress_tables::graph;
use duress_tables::table::by_name;

/// The graph in a table with a row per edge: columns `from` and `to` (or `source` and `target`,
/// `cause` and `effect`), with the names of variables or their positions from 0. A cycle or an
/// unknown name is refused.
pub(crate) fn edge_list(file: &Path, variables: &[String]) -> Result<Graph, Problem> {
    acyclic(variables, edges_in(file, variables)?).map_err(|problem| problem.in_file(file))
}

/// The same edges, whether they close a cycle or not.
pub(crate) fn edges_in(file: &Path, variables: &[String]) -> Result<Vec<(u32, u32)>, Problem> {
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
    formats::table_use(file, |heads| {
        let ends = graph::ends(heads)?;
        Ok(ends.map_or_else(Vec::new, |(from, to)| vec![from, to]))
    })
}

/// The graph with these edges, unless they close a cycle.
pub(crate) fn acyclic(variables: &[String], edges: Vec<(u32, u32)>) -> Result<Graph, Problem> {
    let name = |v: u32| variables[v as usize].as_str();
    let expected = "a graph without cycles";
    if let Some((loops, _)) = edges.iter().find(|(from, to)| from == to) {
        return Err(Problem::new(format!("`{}` acts on itself", name(*loops))).expected(expected));
    }
    if let Some(cycle) = cycle_in_words(variables, &edges) {
        return Err(Problem::new(format!("the edges close a cycle: {cycle}")).expected(expected));
    }
    Graph::new(variables.to_vec(), edges).map_err(Problem::new)
}

/// A cycle among the edges, with the names of its variables; `None` when there is none.
pub(crate) fn cycle_in_words(variables: &[String], edges: &[(u32, u32)]) -> Option<String> {
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
        let why = |edges: &[(u32, u32)]| acyclic(&names, edges.to_vec()).unwrap_err().to_string();
        assert!(
            why(&[(3, 0), (0, 1), (1, 2), (2, 0)]).contains("a → b → c → a"),
            "{}",
            why(&[(0, 1), (1, 2), (2, 0)])
        );
        assert!(why(&[(1, 1)]).contains("`b` acts on itself"));
        assert!(acyclic(&names, vec![(0, 1), (0, 2), (1, 2)]).is_ok());
    }
}
