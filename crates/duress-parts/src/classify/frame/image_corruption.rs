//! The frame of every corruption of images: what it is like, and what it does to each of them.

use duress_core::data::{InputKind, Inputs, Items};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Monotone, Pressed, Pressure, Promise, Stressor};
use duress_core::subject::Failure;
use duress_nn::corruption::Picture;

use super::corruption_levels::{Levels, MOST, UNIT};

type ImageAct = dyn Fn(&mut [f32], [usize; 3], f64, Seed) + Send + Sync;

/// A blind stressor of images that keeps every pixel in [0, 1].
pub(crate) struct ImageCorruption {
    unit: &'static str,
    most: f64,
    monotone: Monotone,
    act: Box<ImageAct>,
}

impl ImageCorruption {
    /// One that changes each image for itself: its pixels, which are clipped to [0, 1] afterwards,
    /// their channels, height and width, the severity, and the seed of that image. `monotone` says
    /// for what distortion rises with the severity.
    pub(crate) fn of_each(
        unit: &'static str,
        most: f64,
        monotone: Monotone,
        act: impl Fn(&mut [f32], [usize; 3], f64, Seed) + Send + Sync + 'static,
    ) -> Stressor {
        let act = Box::new(act);
        Stressor::Blind(Box::new(ImageCorruption {
            unit,
            most,
            monotone,
            act,
        }))
    }

    /// One with five published levels, whose severity is the level: `act` is handed a picture, the
    /// strengths of a level or between two, and the seed of the image.
    pub(crate) fn of_levels<const N: usize>(
        levels: Levels<N>,
        monotone: Monotone,
        act: impl Fn(&mut Picture<'_>, [f64; N], Seed) + Send + Sync + 'static,
    ) -> Stressor {
        ImageCorruption::of_each(UNIT, MOST, monotone, move |pixels, shape, level, seed| {
            levels.press(pixels, level, |pixels, strengths| {
                act(&mut Picture::new(pixels, shape), strengths, seed);
            });
        })
    }
}

impl Blind for ImageCorruption {
    fn pressure(&self) -> Pressure {
        Pressure {
            accepts: InputKind::Images,
            unit: self.unit,
            most: self.most,
            sees_truth: false,
            promise: Promise::InTheBox,
        }
    }

    fn monotone(&self) -> Monotone {
        self.monotone
    }

    fn press(
        &self,
        pressed: Pressed<'_>,
        severity: &Severity,
        seed: Seed,
    ) -> Result<Items, Failure> {
        let items = pressed.items;
        let images = items.images()?;
        let changed = images.map(|i, pixels| {
            let seed = items.seed(i, seed);
            (self.act)(pixels, images.shape(), severity.value(), seed);
        });
        Ok(items.with(Inputs::Images(changed)))
    }
}
