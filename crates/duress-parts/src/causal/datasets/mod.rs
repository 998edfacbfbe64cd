//! Datasets of windows of variables in time, with the graph behind them where it is known.

pub mod air_quality;
pub mod lorenz_96;
pub mod sachs;
pub mod temporal_sem;
pub mod windows;
