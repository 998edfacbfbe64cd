//! What stands in the place of pixels that are taken away.

use crate::corruption::{Picture, blur};
use crate::network::ItemShape;

/// An image that says little, made from an image: what integrated gradients begin at, and what stands
/// where pixels are covered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fill {
    /// Zero in every channel.
    Black,
    /// The mean of each channel of the image itself.
    Mean,
    /// The image under a normal blur of this deviation, in pixels; its border goes on beyond the edge.
    Blur { sigma: f64 },
}

impl Fill {
    /// That image.
    pub fn image_for(self, image: &[f32], shape: ItemShape) -> Vec<f32> {
        match self {
            Fill::Black => vec![0.0; image.len()],
            Fill::Mean => mean_colour(image, shape),
            Fill::Blur { sigma } => {
                let mut blurred = image.to_vec();
                blur::gaussian(&mut Picture::new(&mut blurred, shape), sigma);
                blurred
            }
        }
    }
}

/// What pixels become that are taken away one after another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Imputation {
    /// Those of an image that says little.
    Fill(Fill),
    /// The weighted mean of their neighbours, solved for all missing ones together, with normal noise
    /// of this deviation on top, so that what is missing cannot be told by its smoothness ("noisy
    /// linear imputation" of ROAD, Rong et al., 2022; 0.01 there).
    NoisyLinear { noise: f64 },
}

pub(super) fn mean_colour(image: &[f32], shape: ItemShape) -> Vec<f32> {
    let places = shape[1] * shape[2];
    let plane = |plane: &[f32]| {
        let sum: f64 = plane.iter().copied().map(f64::from).sum();
        vec![(sum / places as f64) as f32; places]
    };
    image.chunks_exact(places).flat_map(plane).collect()
}
