//! Stressors of images.

pub mod fgsm;
pub mod gaussian_noise;
pub mod pgd;
