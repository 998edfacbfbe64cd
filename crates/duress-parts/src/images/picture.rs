//! A picture: what a decoder makes of a file.

use super::resize::resize;

/// A picture of one or three channels, its samples interleaved row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Samples in a row ÷ channels.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// One for grey, three for red, green and blue.
    pub channels: usize,
    /// What the samples count.
    pub depth: Depth,
    /// The samples.
    pub samples: Vec<f32>,
}

/// What the samples of a picture count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Depth {
    /// Whole levels up to this one, which is white: 255 or 65535. They stay whole when the picture
    /// is resized.
    Levels(f32),
    /// Any value from 0 to 1.
    Real,
}

impl Depth {
    /// The sample that is white.
    pub fn white(self) -> f32 {
        match self {
            Depth::Levels(white) => white,
            Depth::Real => 1.0,
        }
    }

    /// The nearest value a sample may have, halves up.
    pub(super) fn nearest(self, value: f64) -> f32 {
        match self {
            Depth::Levels(white) => (value + 0.5).floor().clamp(0.0, f64::from(white)) as f32,
            Depth::Real => value.clamp(0.0, 1.0) as f32,
        }
    }
}

impl Picture {
    /// One whose samples are bytes: 255 is white.
    pub(crate) fn of_bytes(
        width: usize,
        height: usize,
        channels: usize,
        samples: Vec<f32>,
    ) -> Picture {
        Picture {
            width,
            height,
            channels,
            depth: Depth::Levels(255.0),
            samples,
        }
    }

    /// The same at another size, as Pillow's `resize` with `BILINEAR` gives it.
    #[must_use]
    pub fn resized(&self, width: usize, height: usize) -> Picture {
        resize(self, width, height)
    }

    /// The same in grey: ITU-R 601-2 luma in 16-bit fixed point, as Pillow and OpenCV have it.
    pub(super) fn grey(self) -> Picture {
        if self.channels == 1 {
            return self;
        }
        let luma = |pixel: &[f32]| {
            let [red, green, blue] = [19595.0, 38470.0, 7471.0];
            let sum = red * f64::from(pixel[0])
                + green * f64::from(pixel[1])
                + blue * f64::from(pixel[2]);
            self.depth.nearest(sum / 65536.0)
        };
        let samples = self.samples.chunks_exact(3).map(luma).collect();
        Picture {
            channels: 1,
            samples,
            ..self
        }
    }

    /// The same in colour: grey is repeated.
    pub(super) fn rgb(self) -> Picture {
        if self.channels == 3 {
            return self;
        }
        let samples = self.samples.iter().flat_map(|&grey| [grey; 3]).collect();
        Picture {
            channels: 3,
            samples,
            ..self
        }
    }

    /// Values from 0 to 1, channel after channel.
    pub(super) fn planes(&self) -> Vec<f32> {
        let white = self.depth.white();
        let plane = |channel| self.samples.iter().skip(channel).step_by(self.channels);
        (0..self.channels)
            .flat_map(plane)
            .map(|sample| sample / white)
            .collect()
    }
}
