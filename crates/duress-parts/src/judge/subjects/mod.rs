//! Subjects that judge.

pub mod planted_judge;
pub mod recorded_ratings;
pub mod rules_judge;
