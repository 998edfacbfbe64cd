//! Raters: what reads the answers of other subjects.

pub mod lexical;
