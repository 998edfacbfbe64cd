//! Datasets of items with a class each.

pub mod cifar;
pub mod digits;
pub mod generated_lesions;
pub mod idx;
pub mod image_folder;
pub mod isic_2018;
pub mod labelled;
pub mod npz_images;
