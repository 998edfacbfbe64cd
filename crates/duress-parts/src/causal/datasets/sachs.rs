//! Sachs: eleven proteins in human immune cells, with the graph that biologists agree on, from the
//! user's own copy.
//!
//! # What it does
//! Reads a table with a column per protein and a row per cell (`file`) and a table with a row per
//! edge (`graph`), such as `cyto_full_data.csv` and `cyto_full_target.csv` in the package `cdt`:
//! 7,466 cells, 11 proteins, 18 edges. Each cell is a window of one step. Every fifth cell is
//! tested on; a cell that reads exactly like one fitted on is dropped.
//!
//! # Why it matters
//! The real data set on which most structure learners have been tried. The nine experiments it
//! pools are nine regimes, but no column says which is which: they are one regime here.
//!
//! # Promise
//! Papers use graphs of 17, 18 or 20 edges for these data; the report says how many the one here
//! has. The one in `cdt` closes a cycle (PIP2 → PIP3 → plcg → PIP2): it is taken as it is
//! published, and the report says so. Cells are independent, so there is no earlier step: learners
//! that need one refuse, and say so.
//!
//! # Example
//! ```toml
//! [dataset.proteins]
//! use   = "sachs"
//! file  = "cyto_full_data.csv"
//! graph = "cyto_full_target.csv"
//! ```
//!
//! # Reference
//! Sachs et al., Causal protein-signaling networks derived from multiparameter single-cell data,
//! *Science* 308 (2005) 523–529.

use std::collections::HashSet;
use std::path::PathBuf;

use duress_core::data::{Dataset, Inputs, Items, REGIME, Split, Windows};
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::problem::Problem;
use duress_core::truth::Truth;
use duress_tables::formats;
use duress_tables::table::{Table, Want};

use crate::causal::frame::edge_list::true_graph;
use crate::causal::frame::time_series::STANDARDISE;
use crate::causal::frame::window_summary;
use crate::shared::frame::fixed_source::{FixedSource, Load};

/// The part.
pub static PART: Part = Part {
    name: "sachs",
    version: 1,
    fields: &[
        Field {
            name: "file",
            takes: Takes::File,
            doc: "a table with a column per protein",
            default: None,
        },
        Field {
            name: "graph",
            takes: Takes::File,
            doc: "a table with a row per edge",
            default: None,
        },
        STANDARDISE,
    ],
    source: include_str!("sachs.rs"),
    build: Build::Dataset(|params| {
        Ok(FixedSource::windows_with_graph(Sachs {
            file: params.file("file"),
            graph: params.file("graph"),
            standardise: params.flag("standardise"),
        }))
    }),
};

/// One cell in so many is tested on.
const TESTED: usize = 5;

struct Sachs {
    file: PathBuf,
    graph: PathBuf,
    standardise: bool,
}

impl Load for Sachs {
    fn load(&self) -> Result<Dataset, Problem> {
        let mut names = Vec::new();
        let table = formats::read(&self.file, &mut |heads| {
            names = heads.iter().map(|head| head.name.clone()).collect();
            Ok(vec![Want::Numbers; heads.len()])
        })?;
        let published = true_graph(&self.graph, &names)?;
        let graph = published.graph;
        let remark = format!(
            "the graph has {} edges; papers use 17, 18 or 20 edges",
            graph.edges().len()
        );
        let cells = Cells {
            columns: names.iter().map(|name| table.numbers(name).1).collect(),
            names: &names,
        };
        let (fit, test, dropped) = cells.split(&table);
        let scales = cells.scales(&fit);
        let split = |rows: &[usize]| {
            cells.windows(
                rows,
                self.standardise.then_some(&scales),
                Truth::Graph(graph.clone()),
            )
        };
        let twins = format!("{dropped} cells that read exactly like one fitted on are not tested");
        let dataset = Dataset::new(Some(split(&fit)?), split(&test)?)?;
        let remarks = published.remarks.into_iter().chain([remark, twins]);
        Ok(remarks
            .fold(dataset, Dataset::with_remark)
            .described_by(window_summary::windows))
    }
}

struct Cells<'a> {
    names: &'a [String],
    columns: Vec<&'a [f64]>,
}

impl Cells<'_> {
    fn row(&self, row: usize) -> Vec<u64> {
        self.columns
            .iter()
            .map(|column| column[row].to_bits())
            .collect()
    }

    /// The cells fitted, those tested, and how many are neither because they have a twin.
    fn split(&self, table: &Table) -> (Vec<usize>, Vec<usize>, usize) {
        let (late, early): (Vec<usize>, Vec<usize>) =
            (0..table.rows()).partition(|row| row % TESTED == TESTED - 1);
        let seen: HashSet<Vec<u64>> = early.iter().map(|&row| self.row(row)).collect();
        let (test, twins): (Vec<usize>, Vec<usize>) = late
            .into_iter()
            .partition(|&row| !seen.contains(&self.row(row)));
        (early, test, twins.len())
    }

    fn scales(&self, rows: &[usize]) -> Vec<(f64, f64)> {
        let of = |column: &&[f64]| {
            let n = rows.len().max(1) as f64;
            let mean = rows.iter().map(|&row| column[row]).sum::<f64>() / n;
            let deviation = libm::sqrt(
                rows.iter()
                    .map(|&row| (column[row] - mean).powi(2))
                    .sum::<f64>()
                    / n,
            );
            (mean, if deviation > 0.0 { deviation } else { 1.0 })
        };
        self.columns.iter().map(of).collect()
    }

    fn windows(
        &self,
        rows: &[usize],
        scales: Option<&Vec<(f64, f64)>>,
        truth: Truth,
    ) -> Result<Split, Problem> {
        let value = |row: usize, v: usize| {
            let (mean, deviation) = scales.map_or((0.0, 1.0), |scales| scales[v]);
            (self.columns[v][row] - mean) / deviation
        };
        let values = rows
            .iter()
            .flat_map(|&row| (0..self.names.len()).map(move |v| value(row, v)))
            .collect();
        let windows = Windows::new(self.names.to_vec(), 1, vec![0; rows.len()], values)?;
        let ids = rows.iter().map(|row| format!("cell-{row}")).collect();
        let column = vec!["0".into(); rows.len()];
        Ok(
            Split::new(Items::new(ids, Inputs::Windows(windows))?, truth)?
                .with_column(REGIME, column),
        )
    }
}
