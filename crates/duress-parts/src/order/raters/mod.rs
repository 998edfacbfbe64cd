//! Raters of explanations and of texts put back in order.

pub mod lexical;
pub mod recovery;
