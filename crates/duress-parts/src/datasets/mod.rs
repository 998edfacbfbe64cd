//! Datasets: where items come from.

pub mod air_quality;
pub mod cifar;
pub mod digits;
pub mod idioms;
pub mod idx;
pub mod image_folder;
pub mod isic_2018;
pub mod judged_responses;
pub mod labelled;
pub mod npz_images;
pub mod sachs;
pub mod temporal_sem;
pub mod windows;
