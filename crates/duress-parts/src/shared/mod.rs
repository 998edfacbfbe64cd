//! What several families name: subjects, stressors and gauges that do not ask what an answer is about.

pub(crate) mod frame;
pub mod gauges;
pub mod stressors;
pub mod subjects;
