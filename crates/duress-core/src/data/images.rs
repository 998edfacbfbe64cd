//! Images: pixels in [0, 1], all of one shape.

use crate::problem::Problem;

/// Images with values in [0, 1], one after the other as channels × height × width.
///
/// ```
/// use duress_core::data::Images;
/// let images = Images::new([1, 2, 2], vec![0.0, 0.5, 1.0, 0.25]).unwrap();
/// assert_eq!(images.len(), 1);
/// assert!(Images::new([1, 2, 2], vec![0.0, 0.5, 1.5, 0.25]).is_err());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Images {
    shape: [usize; 3],
    pixels: Vec<f32>,
}

impl Images {
    /// Checks count and range.
    pub fn new(shape: [usize; 3], pixels: Vec<f32>) -> Result<Images, Problem> {
        let size = shape.iter().product::<usize>();
        if size == 0 || !pixels.len().is_multiple_of(size) {
            return Err(Problem::new(format!(
                "{} pixels do not make images of {shape:?}",
                pixels.len()
            )));
        }
        match pixels.iter().position(|p| !(0.0..=1.0).contains(p)) {
            Some(at) => {
                Err(
                    Problem::new(format!("image {} has a pixel of {}", at / size, pixels[at]))
                        .expected("values from 0 to 1"),
                )
            }
            None => Ok(Images { shape, pixels }),
        }
    }

    /// How many images there are.
    pub fn len(&self) -> usize {
        self.pixels.len() / self.size()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pixels.is_empty()
    }

    /// Channels, height, width.
    pub fn shape(&self) -> [usize; 3] {
        self.shape
    }

    /// How many values an image has.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// All values, image after image.
    pub fn pixels(&self) -> &[f32] {
        &self.pixels
    }

    /// The values of image `i`.
    pub fn image(&self, i: usize) -> &[f32] {
        &self.pixels[i * self.size()..(i + 1) * self.size()]
    }

    /// Images of the same shape from `change(i, image)`; what leaves [0, 1] is clipped to it.
    #[must_use]
    pub fn map(&self, mut change: impl FnMut(usize, &mut [f32])) -> Images {
        let mut pixels = self.pixels.clone();
        for (i, image) in pixels.chunks_mut(self.size()).enumerate() {
            change(i, image);
            image.iter_mut().for_each(|p| *p = p.clamp(0.0, 1.0));
        }
        Images {
            shape: self.shape,
            pixels,
        }
    }

    pub(super) fn select(&self, which: &[usize]) -> Images {
        let pixels = which.iter().flat_map(|&i| self.image(i)).copied().collect();
        Images {
            shape: self.shape,
            pixels,
        }
    }
}
