//! Images that are asked about together, each with the class its map is about.

use std::ops::Range;

use duress_core::data::Images;
use duress_core::subject::{Failure, LogitSlope, LogitSlopes};

use crate::network::ItemShape;

/// How many bytes of images are made at once.
pub const AT_ONCE: usize = 32 << 20;

/// Images of one shape, and the class that each is asked about. Pixels may be beyond [0, 1]: some
/// methods put noise on them.
#[derive(Clone, Copy, Debug)]
pub struct TargetBatch<'a> {
    shape: ItemShape,
    pixels: &'a [f32],
    targets: &'a [u32],
}

impl<'a> TargetBatch<'a> {
    /// Images of `shape`, one for each target.
    ///
    /// # Panics
    /// When there are more or fewer pixels than that: whoever calls has both from one place.
    pub fn new(shape: ItemShape, pixels: &'a [f32], targets: &'a [u32]) -> TargetBatch<'a> {
        let size: usize = shape.iter().product();
        assert!(size > 0, "images of {shape:?} cannot be");
        assert_eq!(
            pixels.len(),
            size * targets.len(),
            "one target for each image of {shape:?}"
        );
        TargetBatch {
            shape,
            pixels,
            targets,
        }
    }

    /// A data set's images.
    pub fn of_images(images: &'a Images, targets: &'a [u32]) -> TargetBatch<'a> {
        TargetBatch::new(images.shape(), images.pixels(), targets)
    }

    /// How many images there are.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Channels, height and width.
    pub fn shape(&self) -> ItemShape {
        self.shape
    }

    /// How many values an image has.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// How many places an image has, and a map values.
    pub fn places(&self) -> usize {
        self.shape[1] * self.shape[2]
    }

    /// All values, image after image.
    pub fn pixels(&self) -> &'a [f32] {
        self.pixels
    }

    /// The class that each image is asked about.
    pub fn targets(&self) -> &'a [u32] {
        self.targets
    }

    /// The values of one image.
    pub fn image(&self, item: usize) -> &'a [f32] {
        &self.pixels[item * self.size()..(item + 1) * self.size()]
    }

    /// Some of them.
    pub fn part(&self, items: Range<usize>) -> TargetBatch<'a> {
        TargetBatch {
            shape: self.shape,
            pixels: &self.pixels[items.start * self.size()..items.end * self.size()],
            targets: &self.targets[items],
        }
    }

    /// How many images of this shape may be made at once.
    pub(super) fn at_once(&self) -> usize {
        (AT_ONCE / (4 * self.size())).max(1)
    }

    /// The images in parts, so that there are at most as many as may be made at once when each is
    /// there `copies` times; one image at a time where one has too many copies already.
    pub(super) fn parts(&self, copies: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let together = (self.at_once() / copies.max(1)).max(1);
        let items = self.len();
        let starts = (0..items).step_by(together);
        starts.map(move |start| start..items.min(start + together))
    }
}

/// The logit of each image's target.
pub(super) fn target_logits(
    subject: &dyn LogitSlopes,
    batch: TargetBatch<'_>,
) -> Result<Vec<f32>, Failure> {
    picked(&subject.logits(batch.pixels())?, batch.targets())
}

/// The probability of each image's target, by the softmax of its logits.
pub(super) fn target_probabilities(
    subject: &dyn LogitSlopes,
    batch: TargetBatch<'_>,
) -> Result<Vec<f32>, Failure> {
    let logits = subject.logits(batch.pixels())?;
    let classes = classes_of(&logits, batch.targets())?;
    let rows = logits.chunks_exact(classes).zip(batch.targets());
    let probability = |(row, &target): (&[f32], &u32)| {
        let row: Vec<f64> = row.iter().map(|&logit| f64::from(logit)).collect();
        duress_core::answer::softmax(&row)[target as usize] as f32
    };
    Ok(rows.map(probability).collect())
}

/// How the logit of each image's target changes with every value of that image, times the weight
/// of the image.
pub(super) fn target_slopes(
    subject: &dyn LogitSlopes,
    batch: TargetBatch<'_>,
    weight: impl Fn(usize) -> f32 + Sync,
) -> Result<Vec<f32>, Failure> {
    let mut gradient = vec![0.0; batch.pixels().len()];
    let slope: &LogitSlope<'_> = &|item, _, slope| {
        slope.fill(0.0);
        // A target beyond the classes is refused below; here there is nobody to tell.
        if let Some(slope) = slope.get_mut(batch.targets()[item] as usize) {
            *slope = weight(item);
        }
    };
    let logits = subject.backward(batch.pixels(), slope, &mut gradient)?;
    classes_of(&logits, batch.targets())?;
    Ok(gradient)
}

fn picked(logits: &[f32], targets: &[u32]) -> Result<Vec<f32>, Failure> {
    let classes = classes_of(logits, targets)?;
    let rows = logits.chunks_exact(classes).zip(targets);
    Ok(rows.map(|(row, &target)| row[target as usize]).collect())
}

/// How many classes the logits are of, if every target is one of them.
fn classes_of(logits: &[f32], targets: &[u32]) -> Result<usize, Failure> {
    let classes = logits.len() / targets.len().max(1);
    match targets.iter().find(|&&target| target as usize >= classes) {
        Some(target) => Err(Failure::unable(format!(
            "asked about class {target}, and there are {classes}"
        ))),
        None => Ok(classes.max(1)),
    }
}
