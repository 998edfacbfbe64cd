//! Subjects that judge.

pub mod rules_judge;
