//! Datasets: where items come from.

pub mod digits;
pub mod idioms;
pub mod judged_responses;
pub mod labelled;
pub mod temporal_sem;
