//! Gauges of other gauges, whatever those read.

pub mod area;
pub mod harmonic_mean;
pub mod interaction;
pub mod mean_over_ladders;
