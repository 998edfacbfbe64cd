//! Gauges: ways of reading answers.

pub mod directed_f1;
pub mod shd;
pub mod skeleton_f1;
