//! Stressors: what makes life harder.

pub mod arrangement;
pub mod elsewhere;
pub mod fgsm;
pub mod gaussian_noise;
pub mod inject_factual_error;
pub mod inject_spelling;
pub mod missing_mcar;
pub mod pgd;
