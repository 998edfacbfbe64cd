//! The frame of every gauge that compares a learnt graph with the true one: one number per dataset,
//! whatever the number is.

use std::sync::Arc;

use duress_core::answer::GraphAnswer;
use duress_core::gauge::{
    COUNT, CellGauge, CellRead, Detail, Direction, Ends, Gauge, Meter, SHARE, Scale, Undefined,
    Unit, Whole,
};
use duress_core::graph::Graph;
use duress_core::question::Question;
use duress_graph::measure::{Overlap, Reversal, graphs, structural_hamming_distance};

type GraphComparison = fn(&Graph, &Graph) -> Result<Overlap, Undefined>;

/// A gauge of graphs, from the number it makes of two of them.
pub(crate) struct GraphGauge {
    pub(crate) direction: Direction,
    pub(crate) best: f64,
    pub(crate) ends: Ends,
    pub(crate) convention: &'static str,
    pub(crate) read: fn(&Graph, &GraphAnswer) -> Result<f64, Undefined>,
    /// Whose precision and recall stand beside the number.
    pub(crate) beside: Option<GraphComparison>,
}

impl GraphGauge {
    /// The higher the better, 1 is best.
    pub(crate) fn share(
        convention: &'static str,
        read: fn(&Graph, &GraphAnswer) -> Result<f64, Undefined>,
    ) -> GraphGauge {
        GraphGauge {
            direction: Direction::Higher,
            best: 1.0,
            ends: SHARE,
            convention,
            read,
            beside: None,
        }
    }

    /// The lower the better, 0 is best.
    pub(crate) fn count(
        convention: &'static str,
        read: fn(&Graph, &GraphAnswer) -> Result<f64, Undefined>,
    ) -> GraphGauge {
        GraphGauge {
            direction: Direction::Lower,
            best: 0.0,
            ends: COUNT,
            convention,
            read,
            beside: None,
        }
    }

    /// The structural Hamming distance; a reversal costs 1.
    pub(crate) fn shd() -> GraphGauge {
        GraphGauge::count(
            "pairs of variables that differ: a reversal costs 1",
            |truth, answer| {
                Ok(structural_hamming_distance(truth, &answer.graph, Reversal::One)? as f64)
            },
        )
    }

    /// The structural Hamming distance; a reversal costs 2.
    pub(crate) fn shd_reversal_2() -> GraphGauge {
        GraphGauge::count(
            "cells of the adjacency matrix that differ: a reversal costs 2",
            |truth, answer| {
                Ok(structural_hamming_distance(truth, &answer.graph, Reversal::Two)? as f64)
            },
        )
    }

    pub(crate) fn built(self) -> Gauge {
        Gauge::Cell(Box::new(self))
    }
}

impl CellGauge for GraphGauge {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Graph,
            direction: self.direction,
            best: Some(self.best),
            ends: self.ends,
            unit: Unit::Replicates,
            convention: self.convention.into(),
            compat: false,
        }
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let (truth, answer) = graphs(read.truth, read.answers)?;
        Ok(Arc::new(Whole((self.read)(truth, answer)?)))
    }

    fn detail(&self, read: CellRead<'_>) -> Option<Detail> {
        let (truth, answer) = graphs(read.truth, read.answers).ok()?;
        Some(Detail::Groups(
            (self.beside?)(truth, &answer.graph).ok()?.groups(),
        ))
    }
}
