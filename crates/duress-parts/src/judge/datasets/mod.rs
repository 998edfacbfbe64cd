//! Datasets of responses to be judged.

pub mod judged_pairs;
pub mod judged_responses;
