//! Gauges of other gauges, whatever those read; and of ratings, whoever gave them.

pub mod area;
pub mod harmonic_mean;
pub mod interaction;
pub mod mean_over_ladders;
pub mod mean_rating;
