//! Raters of learnt graphs.

pub mod graph_likelihood;
