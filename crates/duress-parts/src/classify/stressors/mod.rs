//! Stressors of images.

pub mod brightness;
pub mod bubbles;
pub mod contrast;
pub mod dark_corners;
pub mod defocus_blur;
pub mod elastic_transform;
pub mod fgsm;
pub mod fog;
pub mod frost;
pub mod gaussian_blur;
pub mod gaussian_noise;
pub mod glass_blur;
pub mod hair;
pub mod impulse_noise;
pub mod ink_marks;
pub mod jpeg_compression;
pub mod motion_blur;
pub mod pgd;
pub mod pixelate;
pub mod ruler_marks;
pub mod saturate;
pub mod shot_noise;
pub mod snow;
pub mod spatter;
pub mod speckle_noise;
pub mod zoom_blur;
