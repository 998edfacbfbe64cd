//! Graphs from files: a list of edges, or a table of who acts on whom.
//!
//! A list has columns `from` and `to` (or `source` and `target`, `cause` and `effect`) with names
//! of variables (or their positions, from 0) and perhaps `score` or `weight`; one without a row is
//! a graph without edges. A table has a row per cause and a column per effect: an array of as many
//! rows as columns, or columns named as the variables with the rows in their order; what is not 0
//! is an edge, and its size is the score.

use std::path::Path;

use duress_core::answer::GraphAnswer;
use duress_core::graph::Graph;
use duress_core::problem::Problem;

use crate::formats;
use crate::table::{Head, Table, by_name, find_column};

/// Where in a file the graph is.
enum GraphLayout {
    List {
        ends: (String, String),
        score: Option<String>,
    },
    Columns,
    Array {
        name: String,
    },
}

/// The graph over `variables` that a file holds.
pub fn read(file: &Path, variables: &[String]) -> Result<GraphAnswer, Problem> {
    let mut layout = None;
    let table = formats::read_if_any(file, &mut |heads| {
        let found = lay_out(heads, variables)?;
        let wants = match &found {
            GraphLayout::List {
                ends: (from, to),
                score,
            } => by_name(
                heads,
                &score.as_deref().into_iter().collect::<Vec<_>>(),
                &[from, to],
            ),
            GraphLayout::Columns => by_name(
                heads,
                &variables.iter().map(String::as_str).collect::<Vec<_>>(),
                &[],
            ),
            GraphLayout::Array { name } => by_name(heads, &[name], &[]),
        };
        layout = Some(found);
        Ok(wants)
    })?;
    let scores = match layout {
        None => Err(Problem::new("the table has no header")),
        Some(GraphLayout::List { ends, score }) => {
            of_list(&table, &ends, score.as_deref(), variables)
        }
        Some(GraphLayout::Columns) => of_columns(&table, variables),
        Some(GraphLayout::Array { name }) => of_array(&table, &name, variables),
    };
    answer(scores.map_err(|problem| problem.in_file(file))?, variables)
        .map_err(|why| Problem::new(why).in_file(file))
}

/// The columns of a file with these that a graph is read from, whatever the variables are called.
pub fn columns_read(heads: &[Head]) -> Result<Vec<String>, Problem> {
    if let Some((from, to)) = ends(heads)? {
        let score = find_column(heads, None, &SCORES)?;
        return Ok([from, to].into_iter().chain(score).collect());
    }
    let lists: Vec<&Head> = heads.iter().filter(|head| head.listed).collect();
    let read = if lists.len() == 1 {
        lists
    } else {
        heads.iter().collect()
    };
    Ok(read.into_iter().map(|head| head.name.clone()).collect())
}

/// What the column of scores in a list of edges is called.
const SCORES: [&str; 2] = ["score", "weight"];

fn lay_out(heads: &[Head], variables: &[String]) -> Result<GraphLayout, Problem> {
    let has = |name: &str| heads.iter().any(|head| head.name == name && !head.listed);
    if let Some(ends) = ends(heads)? {
        return Ok(GraphLayout::List {
            ends,
            score: find_column(heads, None, &SCORES)?,
        });
    }
    if variables.iter().all(|name| has(name)) {
        return Ok(GraphLayout::Columns);
    }
    let mut lists = heads.iter().filter(|head| head.listed);
    match (lists.next(), lists.next()) {
        (Some(only), None) => Ok(GraphLayout::Array {
            name: only.name.clone(),
        }),
        _ => {
            let names: Vec<&str> = heads.iter().map(|head| head.name.as_str()).collect();
            Err(Problem::new(format!(
                "there is no graph among the columns {}",
                names.join(", ")
            ))
            .expected(format!(
                "columns `from` and `to`, a column for each of {}, or one square array",
                variables.join(", ")
            )))
        }
    }
}

/// The columns of both ends of an edge, if there are such.
pub fn ends(heads: &[Head]) -> Result<Option<(String, String)>, Problem> {
    let from = find_column(heads, None, &["from", "source", "cause", "Cause"])?;
    Ok(from.zip(find_column(
        heads,
        None,
        &["to", "target", "effect", "Effect"],
    )?))
}

/// The variable at one end of the edge in a row: its name, or its position from 0.
pub fn end(
    table: &Table,
    row: usize,
    column: &str,
    variables: &[String],
) -> Result<usize, Problem> {
    let text = table.texts(column).get(row).trim();
    let named = variables.iter().position(|name| name == text);
    let numbered = || {
        text.parse::<usize>()
            .ok()
            .filter(|at| *at < variables.len())
    };
    named.or_else(numbered).ok_or_else(|| {
        let wrong = Problem::new(format!(
            "`{column}` is {text:?}, which is none of the variables"
        ));
        table.at(
            row,
            wrong.nearest(text, variables.iter().map(String::as_str)),
        )
    })
}

fn of_list(
    table: &Table,
    (from, to): &(String, String),
    score: Option<&str>,
    variables: &[String],
) -> Result<Vec<f64>, Problem> {
    let d = variables.len();
    let mut scores = vec![0.0; d * d];
    for row in 0..table.rows() {
        let (from, to) = (
            end(table, row, from, variables)?,
            end(table, row, to, variables)?,
        );
        if from == to {
            let problem = Problem::new(format!("`{}` acts on itself", variables[from]));
            return Err(table.at(row, problem.expected("edges between different variables")));
        }
        let size = score.map_or(1.0, |score| table.numbers(score).1[row].abs());
        // An edge that is listed is an edge, whatever its weight.
        scores[from * d + to] = size.max(f64::MIN_POSITIVE);
    }
    Ok(scores)
}

fn of_columns(table: &Table, variables: &[String]) -> Result<Vec<f64>, Problem> {
    let d = variables.len();
    square(table.rows(), d, d)?;
    let columns: Vec<&[f64]> = variables.iter().map(|name| table.numbers(name).1).collect();
    Ok((0..d * d).map(|at| columns[at % d][at / d].abs()).collect())
}

fn of_array(table: &Table, name: &str, variables: &[String]) -> Result<Vec<f64>, Problem> {
    let (width, cells) = table.numbers(name);
    square(table.rows(), width, variables.len())?;
    Ok(cells.iter().map(|cell| cell.abs()).collect())
}

fn square(rows: usize, columns: usize, d: usize) -> Result<(), Problem> {
    match (rows, columns) == (d, d) {
        true => Ok(()),
        false => Err(Problem::new(format!("{rows} rows of {columns} columns"))
            .expected(format!("{d} of {d}, for as many variables"))),
    }
}

/// Everything above 0 is an edge; the diagonal, by which a variable remembers itself, is not.
fn answer(mut scores: Vec<f64>, variables: &[String]) -> Result<GraphAnswer, String> {
    let d = variables.len();
    (0..d).for_each(|i| scores[i * d + i] = 0.0);
    let edges = (0..d * d)
        .filter(|&at| scores[at] > 0.0)
        .map(|at| ((at / d) as u32, (at % d) as u32));
    let graph = Graph::new(variables.to_vec(), edges.collect::<Vec<_>>())?;
    Ok(GraphAnswer {
        graph,
        scores,
        rule: "given in a file".into(),
    })
}
