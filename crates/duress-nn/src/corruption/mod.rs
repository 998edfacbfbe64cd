//! What corruptions do to the pixels of one picture.
//!
//! Strengths are plain numbers and chance is handed in as [`Draws`](duress_core::seed::Draws), so
//! nothing here knows a severity or a study. Every corruption takes its draws in an order that does
//! not depend on its strength: a stronger one is the same accident turned up. Borders, kernels and
//! orders of operations follow the scripts of Hendrycks and Dietterich (ICLR 2019) as the package
//! `imagecorruptions` carries them, since numbers are compared with those; where these work on
//! eight-bit levels only for want of anything better, ours keep what they have.
//!
//! Sums have a fixed order and transcendental functions come from `libm`: the same bits everywhere.

pub mod blur;
pub mod colour;
pub mod digital;
mod distance;
mod edges;
mod filter;
pub mod jpeg;
pub mod noise;
pub mod overlay;
mod plasma;
pub mod spatter;
mod stroke;
pub mod weather;

/// The pixels of one picture, to be changed in place: channels × height × width, in [0, 1].
pub struct Picture<'a> {
    pixels: &'a mut [f32],
    channels: usize,
    height: usize,
    width: usize,
}

impl<'a> Picture<'a> {
    /// A picture of `shape` = channels, height, width.
    ///
    /// # Panics
    /// When the pixels do not have that shape: whoever calls has both from one place.
    pub fn new(pixels: &'a mut [f32], shape: [usize; 3]) -> Picture<'a> {
        let [channels, height, width] = shape;
        assert_eq!(
            pixels.len(),
            channels * height * width,
            "pixels of {shape:?}"
        );
        Picture {
            pixels,
            channels,
            height,
            width,
        }
    }

    /// Height and width.
    fn size(&self) -> Size {
        Size {
            height: self.height,
            width: self.width,
        }
    }

    /// The channels one after the other.
    fn planes(&mut self) -> impl Iterator<Item = &mut [f32]> {
        self.pixels.chunks_exact_mut(self.height * self.width)
    }

    /// The three planes of a picture in colour; `None` for any other number of channels, each of
    /// which is then a picture of its own.
    fn red_green_blue(&mut self) -> Option<[&mut [f32]; 3]> {
        if self.channels != 3 {
            return None;
        }
        let (red, rest) = self.pixels.split_at_mut(self.height * self.width);
        let (green, blue) = rest.split_at_mut(self.height * self.width);
        Some([red, green, blue])
    }

    /// How bright each pixel is: ITU-R 601-2 luma for colour, else the mean of the channels.
    fn brightness(&self) -> Vec<f32> {
        let area = self.height * self.width;
        let plane = |channel: usize| &self.pixels[channel * area..(channel + 1) * area];
        if self.channels == 3 {
            let red = plane(0);
            let green = plane(1);
            let blue = plane(2);
            return (0..area)
                .map(|at| luma([red[at], green[at], blue[at]]))
                .collect();
        }
        let mean = |at: usize| (0..self.channels).map(|c| plane(c)[at]).sum::<f32>();
        (0..area)
            .map(|at| mean(at) / self.channels as f32)
            .collect()
    }

    /// Covers the pixels with a colour, as opaque as `coverage` says pixel by pixel.
    fn cover(&mut self, colour: [f32; 3], coverage: &[f32]) {
        let in_colour = self.channels == 3;
        for (channel, plane) in self.planes().enumerate() {
            let ink = if in_colour {
                colour[channel]
            } else {
                luma(colour)
            };
            for (pixel, &share) in plane.iter_mut().zip(coverage) {
                *pixel += share * (ink - *pixel);
            }
        }
    }
}

/// The height and width of a plane of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    height: usize,
    width: usize,
}

impl Size {
    fn area(self) -> usize {
        self.height * self.width
    }
}

/// How bright a colour is (ITU-R 601-2).
fn luma([red, green, blue]: [f32; 3]) -> f32 {
    0.299 * red + 0.587 * green + 0.114 * blue
}
