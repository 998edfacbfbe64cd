//! Subjects that judge.

#[cfg(feature = "endpoint")]
pub mod llm_judge;
pub mod planted_judge;
pub mod recorded_judgements;
pub mod recorded_ratings;
pub mod rules_judge;
