//! Stressors of items of every kind.

pub mod elsewhere;
