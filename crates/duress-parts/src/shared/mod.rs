//! What several families name: datasets, subjects, stressors and gauges that do not ask what an answer is about.

pub mod datasets;
pub(crate) mod frame;
pub mod gauges;
pub mod stressors;
pub mod subjects;
