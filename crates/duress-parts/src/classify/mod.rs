//! Classification: items with a class each, subjects that name it, and what makes them wrong.

pub mod datasets;
mod frame;
pub mod gauges;
pub mod scored_table;
pub mod stressors;
pub mod subjects;
