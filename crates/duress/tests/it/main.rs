//! The engine from a study's text to its report: one binary of tests.

mod causal;
mod exported_maps;
mod recorded_answers;
mod replicates;
mod spine;
mod table_reading;
