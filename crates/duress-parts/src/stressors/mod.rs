//! Stressors: what makes life harder.

pub mod arrangement;
pub mod bias_additive;
pub mod bias_cubic;
pub mod bias_multiplicative;
pub mod drift;
pub mod elsewhere;
pub mod fgsm;
pub mod gaussian_noise;
pub mod inject_factual_error;
pub mod inject_spelling;
pub mod missing_mar;
pub mod missing_mcar;
pub mod missing_mnar_self;
pub mod missing_mnar_tails;
pub mod missing_mnar_threshold;
pub mod missing_structural;
pub mod noise;
pub mod noise_heteroscedastic;
pub mod outliers;
pub mod pgd;
pub mod regimes;
pub mod resample_windows;
