//! Datasets: where items come from.

pub mod digits;
pub mod labelled;
pub mod temporal_sem;
