//! Order: texts whose characters or words are put into another order, and subjects that explain them.

pub mod datasets;
mod frame;
pub mod gauges;
pub mod raters;
pub mod repeats;
pub mod stressors;
pub mod subjects;
