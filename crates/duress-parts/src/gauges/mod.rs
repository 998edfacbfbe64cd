//! Gauges: ways of reading answers.

pub mod accuracy;
pub mod area;
pub mod attack_success_rate;
pub mod aurc;
pub mod directed_f1;
pub mod ece;
pub mod harmonic_mean;
pub mod shd;
pub mod skeleton_f1;
