//! Stressors of the order of a text.

pub mod arrangement;
