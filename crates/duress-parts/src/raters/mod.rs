//! Raters: what reads the answers of other subjects.

pub mod graph_likelihood;
pub mod lexical;
pub mod recovery;
