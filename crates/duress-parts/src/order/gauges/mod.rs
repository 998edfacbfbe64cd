//! Gauges of what scrambled order takes from a score.

pub mod flip_rate;
pub mod mda;
pub mod mdr;
pub mod position_gap;
pub mod position_preference;
pub mod recovery_rate;
pub mod s_acc;
pub mod s_rob;
pub mod s_seq;
pub mod s_struct;
pub mod s_struct_net;
pub mod template_spread;
pub mod worst_order;
pub mod worst_per_item;
