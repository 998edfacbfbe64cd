//! Stressors of images.

pub mod apgd;
pub mod attack_suite;
pub mod fab;
pub mod fgsm;
pub mod fmn;
pub mod gaussian_noise;
pub mod pgd;
pub mod rays;
pub mod square;
