//! Datasets: where items come from.

pub mod air_quality;
pub mod digits;
pub mod idioms;
pub mod judged_responses;
pub mod labelled;
pub mod sachs;
pub mod temporal_sem;
pub mod windows;
