//! Causal discovery: windows of variables in time, and subjects that learn which acts on which.

pub mod datasets;
mod frame;
pub mod gauges;
pub mod presets;
pub mod raters;
pub mod stressors;
pub mod subjects;
