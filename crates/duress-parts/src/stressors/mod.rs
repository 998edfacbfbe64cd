//! Stressors: what makes life harder.

pub mod elsewhere;
pub mod fgsm;
pub mod gaussian_noise;
pub mod missing_mcar;
pub mod pgd;
