//! Stressors of windows.

pub mod bias_additive;
pub mod bias_cubic;
pub mod bias_multiplicative;
pub mod dead_sensor;
pub mod discretise;
pub mod drift;
pub mod hidden_causes;
pub mod missing_mar;
pub mod missing_mcar;
pub mod missing_mnar_self;
pub mod missing_mnar_tails;
pub mod missing_mnar_threshold;
pub mod missing_structural;
pub mod noise;
pub mod noise_heteroscedastic;
pub mod outliers;
pub mod regimes;
pub mod resample_windows;
pub mod rescale;
pub mod season;
pub mod time_jitter;
pub mod trend;
pub mod unequal_sampling;
