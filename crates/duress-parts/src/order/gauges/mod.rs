//! Gauges of what scrambled order takes from a score.

pub mod mda;
pub mod mdr;
pub mod recovery_rate;
pub mod s_acc;
pub mod s_rob;
pub mod s_seq;
pub mod s_struct;
pub mod worst_per_item;
