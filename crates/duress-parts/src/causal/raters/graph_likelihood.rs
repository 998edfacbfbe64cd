//! Rates a learnt graph by how well it predicts windows that its learner did not see.
//!
//! # What it does
//! Rates each window tested on in one dimension, `log-likelihood`: the mean log-density of its
//! observed values, each variable predicted from its own past and from that of its parents in the
//! graph (a cubic of each, one step back, Gaussian residuals). The graph is carried over without
//! refitting; the coefficients are fitted on one half of the windows tested on and read on the
//! other, both ways. Values are standardised within each regime; a hidden one counts as its mean
//! where it predicts, and is not predicted.
//!
//! # Why it matters
//! A graph scored against the same truth cannot change when it is carried to other data, so F1 says
//! nothing about a shift. What can change is how well its parents predict there. It needs no truth,
//! so it also works on real data.
//!
//! # Promise
//! The windows are as the dataset has them, before the stress of a ladder; stress that is baked
//! into a dataset is in them. Edges within a step are read one step back. A variable that does not
//! vary is neither predicted nor predicts. In windows of one step each variable is predicted from its
//! parents within the step; a graph with a cycle has no likelihood there, and the reason is said. A
//! single window is a failure with its reason.
//!
//! # Example
//! ```toml
//! [rater.prediction]
//! use = "graph-likelihood"
//!
//! [analysis]
//! gauges = ["directed-f1", "held-out-likelihood"]
//! ```
//!
//! # Reference
//! Dawid, Present position and potential developments: the prequential approach, *JRSS A* 147
//! (1984) 278–292.

use duress_core::answer::{Absence, Answers, RatingAnswers};
use duress_core::part::{Build, Part};
use duress_core::question::Question;
use duress_core::rater::{Rated, Rater};
use duress_core::subject::Failure;
use duress_graph::likelihood::cross_fitted;

/// The part.
pub static PART: Part = Part {
    name: "graph-likelihood",
    version: 1,
    fields: &[],
    source: include_str!("graph_likelihood.rs"),
    build: Build::Rater(|_| Ok(Box::new(GraphLikelihood))),
};

struct GraphLikelihood;

impl Rater for GraphLikelihood {
    fn rates(&self) -> Question {
        Question::Graph
    }

    fn dimensions(&self) -> Vec<String> {
        vec!["log-likelihood".into()]
    }

    fn rate(&self, rated: Rated<'_>) -> Result<RatingAnswers, Failure> {
        let Answers::Graph(answer) = rated.answers else {
            let wrong = format!(
                "rates graphs, was given answers to `{}`",
                rated.answers.question()
            );
            return Err(Failure::unable(wrong));
        };
        let rows = cross_fitted(rated.items.windows()?, &answer.graph)?;
        let row =
            |one: Result<f64, String>| one.map(|density| vec![density]).map_err(Absence::from);
        Ok(RatingAnswers::new(
            self.dimensions(),
            rows.into_iter().map(row).collect(),
        ))
    }
}
