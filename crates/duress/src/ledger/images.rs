//! The images that a cell's answers are about, as a file: as exact as the subject met them.

use std::path::Path;

use duress_core::answer::Answers;
use duress_core::data::{Images, Inputs, Items};
use duress_core::question::Question;
use duress_core::subject::{Failure, Fitted};
use serde::{Deserialize, Serialize};

use super::cell::Kept;
use super::checkpoint;
use super::version::Unreadable;
use crate::plan::Id;

/// Images as an attack left them, in the order of the answers.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptImages {
    /// What is told about each.
    pub told: ImageNotes,
    /// Their pixels in [0, 1], image after image.
    pub pixels: Vec<f32>,
}

/// What is told about kept images beside their pixels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImageNotes {
    /// Channels, height, width.
    pub shape: [usize; 3],
    /// The largest change of a pixel from the clean image.
    pub linf: Vec<f64>,
    /// The Euclidean length of the change.
    pub l2: Vec<f64>,
    /// The sum of all changes.
    pub l1: Vec<f64>,
    /// Whether the answer is the same once every pixel is rounded to 8 bits.
    pub same_in_8_bits: Vec<bool>,
}

impl KeptImages {
    /// The images `attacked`, about which `kept` has the answers; the subject is asked once more,
    /// about what 8 bits leave of them.
    pub(crate) fn new(
        clean: &Items,
        attacked: &Items,
        kept: &Kept,
        fitted: &dyn Fitted,
    ) -> Result<KeptImages, Failure> {
        let before = clean.images()?;
        let after = attacked.images()?;
        let rounded = in_8_bits(after);
        let again = fitted.answer(Question::Classes, &attacked.with(Inputs::Images(rounded)))?;
        let told = ImageNotes {
            shape: after.shape(),
            linf: distances(before, after, |by| by.fold(0.0, f64::max)),
            l2: distances(before, after, |by| by.map(|by| by * by).sum::<f64>().sqrt()),
            l1: distances(before, after, |by| by.sum()),
            same_in_8_bits: same_labels(&kept.answers, &again, after.len()),
        };
        Ok(KeptImages {
            told,
            pixels: after.pixels().to_vec(),
        })
    }

    /// The pixels of one image.
    pub fn image(&self, at: usize) -> &[f32] {
        let size: usize = self.told.shape.iter().product();
        &self.pixels[at * size..(at + 1) * size]
    }

    /// A line that tells about them, and the pixels.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(&self.told)
            .unwrap_or_else(|why| panic!("notes are always JSON: {why}"));
        bytes.push(b'\n');
        bytes.extend(self.pixels.iter().flat_map(|pixel| pixel.to_le_bytes()));
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<KeptImages> {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let told: ImageNotes = serde_json::from_slice(&bytes[..end]).ok()?;
        let (numbers, rest) = bytes[end + 1..].as_chunks::<4>();
        let images = told.linf.len();
        let size = told
            .shape
            .iter()
            .try_fold(images, |all, side| all.checked_mul(*side))?;
        let lists = [told.l2.len(), told.l1.len(), told.same_in_8_bits.len()];
        let whole = rest.is_empty() && numbers.len() == size && lists == [images; 3];
        whole.then(|| KeptImages {
            told,
            pixels: numbers
                .iter()
                .map(|four| f32::from_le_bytes(*four))
                .collect(),
        })
    }
}

/// Reads the images of a cell; `None` where there are none.
pub(super) fn read(path: &Path, owner: Id) -> Result<Option<KeptImages>, Unreadable> {
    let Some(kept) = checkpoint::read(path, owner)? else {
        return Ok(None);
    };
    // There were no such files before there were checksums.
    let images = kept.checked.then(|| KeptImages::from_bytes(&kept.bytes));
    match images.flatten() {
        Some(images) => Ok(Some(images)),
        None => Err(Unreadable::damaged(path, "these are no images")),
    }
}

fn in_8_bits(images: &Images) -> Images {
    images.map(|_, pixels| {
        for pixel in pixels {
            *pixel = (*pixel * 255.0).round() / 255.0;
        }
    })
}

fn distances(
    before: &Images,
    after: &Images,
    length: impl Fn(&mut dyn Iterator<Item = f64>) -> f64,
) -> Vec<f64> {
    let each = |at: usize| {
        let pairs = before.image(at).iter().zip(after.image(at));
        length(&mut pairs.map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs()))
    };
    (0..after.len()).map(each).collect()
}

fn same_labels(one: &Answers, other: &Answers, images: usize) -> Vec<bool> {
    match (one, other) {
        (Answers::Classes(one), Answers::Classes(other)) => (0..images)
            .map(|at| one.label(at).is_some() && one.label(at) == other.label(at))
            .collect(),
        _ => vec![false; images],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_comes_back_and_what_is_cut_does_not() {
        let images = KeptImages {
            told: ImageNotes {
                shape: [1, 1, 2],
                linf: vec![0.5, 0.1],
                l2: vec![0.5, 0.1],
                l1: vec![0.5, 0.1],
                same_in_8_bits: vec![true, false],
            },
            pixels: vec![0.1, 0.2, 0.3, 1.0 / 3.0],
        };
        let bytes = images.to_bytes();
        assert_eq!(KeptImages::from_bytes(&bytes), Some(images));
        assert_eq!(KeptImages::from_bytes(&bytes[..bytes.len() - 1]), None);
        assert_eq!(KeptImages::from_bytes(&bytes[..bytes.len() - 4]), None);
    }
}
