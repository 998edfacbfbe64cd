//! Judging: responses with errors put into them, and subjects that rate them.

pub mod datasets;
mod frame;
pub mod gauges;
pub mod stressors;
pub mod subjects;
