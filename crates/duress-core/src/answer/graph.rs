//! A structure learner's answer: the edges it chose, and how strongly it believes in each.

use serde::{Deserialize, Serialize};

use crate::graph::Graph;

/// A structure learner's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphAnswer {
    /// The edges it chose.
    pub graph: Graph,
    /// How strongly each variable acts on each: row by row, from × to; the diagonal does not count.
    pub scores: Vec<f64>,
    /// How the edges were chosen from the scores, without the truth.
    pub rule: String,
}

impl GraphAnswer {
    pub(super) fn validate(&self) -> Result<(), String> {
        let d = self.graph.variables().len();
        if self.scores.len() != d * d {
            return Err(format!("{} scores for {d} × {d} pairs", self.scores.len()));
        }
        match self.scores.iter().position(|score| !score.is_finite()) {
            None => Ok(()),
            Some(at) => Err(format!(
                "the score of {}→{} is {}",
                at / d,
                at % d,
                self.scores[at]
            )),
        }
    }
}
