//! Gauges: ways of reading answers.

pub mod accuracy;
pub mod area;
pub mod attack_success_rate;
pub mod aurc;
pub mod directed_f1;
pub mod dose_kendall;
pub mod dose_spearman;
pub mod ece;
pub mod flip_radius;
pub mod harmonic_mean;
pub mod mda;
pub mod mdr;
pub mod monotonic;
pub mod off_target_slope;
pub mod quality;
pub mod s_acc;
pub mod s_rob;
pub mod s_seq;
pub mod s_struct;
pub mod shd;
pub mod skeleton_f1;
pub mod worst_per_item;
