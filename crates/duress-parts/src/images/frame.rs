//! The frame every image of a dataset is brought to.

use super::picture::Picture;
use super::resize::middle;

/// How every image of a dataset is to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The side of the square; `None` leaves an image as large as it is.
    pub size: Option<usize>,
    /// Whether the middle is taken of what is not square, instead of stretching it.
    pub crop: bool,
    /// Grey or colour; `None` leaves an image as it is.
    pub channels: Option<Channels>,
}

duress_core::words! {
    /// Grey or colour.
    pub enum Channels {
        /// Red, green, blue.
        Rgb = "rgb",
        /// Grey.
        Grey = "grey",
    }
}

impl Frame {
    /// The values of a picture as a subject will see them, and their shape: channels, height,
    /// width.
    ///
    /// Channels come before size, as in Pillow's `convert` followed by `resize`.
    pub fn fit(&self, picture: Picture) -> ([usize; 3], Vec<f32>) {
        let picture = match self.channels {
            Some(Channels::Grey) => picture.grey(),
            Some(Channels::Rgb) => picture.rgb(),
            None => picture,
        };
        let picture = match self.size {
            Some(side) if self.crop => {
                let width = picture.width;
                let height = picture.height;
                // The longer side is rounded down, as torchvision does it.
                let along = |length: usize| side * length / width.min(height);
                middle(&picture.resized(along(width), along(height)), side)
            }
            Some(side) => picture.resized(side, side),
            None => picture,
        };
        (
            [picture.channels, picture.height, picture.width],
            picture.planes(),
        )
    }
}
