//! Gauges of ratings, and of how they follow the number of errors.

pub mod dose_kendall;
pub mod dose_spearman;
pub mod monotonic;
pub mod off_target_slope;
pub mod quality;
