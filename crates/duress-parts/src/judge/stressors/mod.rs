//! Stressors that put errors into a response.

pub mod inject_factual_error;
pub mod inject_spelling;
