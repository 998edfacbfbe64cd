//! Datasets: where items come from.

pub mod temporal_sem;
