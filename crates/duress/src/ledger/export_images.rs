//! Adversarial images as files that other software opens: an archive of arrays for each cell, and a
//! picture of every break that 8 bits keep.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;

use duress_core::answer::{Answers, ClassAnswers, Said};
use duress_core::explanation::AskedExplanation;
use duress_tables::formats::numpy::{npy, npy_of_numbers, npy_of_texts, npz};

use super::{Kept, KeptImages, Ledger, LedgerEntry, write_whole};
use crate::plan::{Cell, Plan};

/// What was written, and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportedImages {
    /// Archives, one for each cell of an attack.
    pub archives: usize,
    /// Images that break the subject.
    pub broken: usize,
    /// Of these, images that still do in 8 bits, and are there as pictures.
    pub pictures: usize,
    /// Cells of attacks whose images were not kept.
    pub without: usize,
}

/// Writes the images of every cell that has them into a folder.
pub fn images_into(plan: &Plan, ledger: &Ledger, folder: &Path) -> io::Result<ExportedImages> {
    fs::create_dir_all(folder)?;
    let mut exported = ExportedImages::default();
    for cell in plan.cells() {
        let attacked = cell.stress.is_some_and(|at| plan.stresses[at.stress].aware);
        let entry = ledger.entry(plan.id(cell)).map_err(io::Error::other)?;
        let (true, Some(LedgerEntry::Answered(kept))) = (attacked, entry) else {
            continue;
        };
        let images = ledger.images(plan.id(cell)).map_err(io::Error::other)?;
        match (images, &kept.answers) {
            (Some(images), Answers::Classes(said)) => {
                let written = CellImages {
                    kept: &kept,
                    said,
                    labels: labels(plan, ledger, cell)?,
                    images,
                };
                written.write(&folder.join(file_stem(plan, cell, None)), &mut exported)?;
            }
            _ => exported.without += 1,
        }
    }
    Ok(exported)
}

/// The labels of a cell's items, as positions among the classes of the dataset.
fn labels(plan: &Plan, ledger: &Ledger, cell: Cell) -> io::Result<Vec<u32>> {
    let fingerprint = plan.dataset(cell.test, cell.replicate).fingerprint;
    let dataset = ledger.dataset(fingerprint).map_err(io::Error::other)?;
    match dataset.labels() {
        Some(labels) => Ok(labels.to_vec()),
        None => Err(io::Error::other("an attack on items without labels")),
    }
}

/// Subject, dataset, rung, seed and perhaps an explanation, in letters that every file system takes.
pub(super) fn file_stem(plan: &Plan, cell: Cell, asked: Option<AskedExplanation>) -> String {
    let place = plan.place(cell);
    let seed = plan.study.seeds[cell.replicate];
    let mut name = format!(
        "{} {} {} seed{seed}",
        place.subject, place.dataset, place.under
    );
    if let Some(asked) = asked {
        name += &format!(" {asked}");
    }
    let letter = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' | '+' => letter,
        _ => '_',
    };
    name.chars().map(letter).collect()
}

/// The images of a cell, and what is known of them.
struct CellImages<'a> {
    kept: &'a Kept,
    said: &'a ClassAnswers,
    labels: Vec<u32>,
    images: KeptImages,
}

impl CellImages<'_> {
    fn write(&self, stem: &Path, exported: &mut ExportedImages) -> io::Result<()> {
        write_whole(&stem.with_added_extension("npz"), &self.archive())?;
        exported.archives += 1;
        for at in (0..self.labels.len()).filter(|&at| self.is_broken(at)) {
            exported.broken += 1;
            if self.images.told.same_in_8_bits[at] && self.can_be_drawn() {
                fs::create_dir_all(stem)?;
                self.draw(at, stem)?;
                exported.pictures += 1;
            }
        }
        Ok(())
    }

    fn is_broken(&self, at: usize) -> bool {
        self.said
            .label(at)
            .is_some_and(|answer| answer != self.labels[at])
    }

    fn archive(&self) -> Vec<u8> {
        let images = &self.images;
        let notes = &self.images.told;
        let count = self.labels.len();
        let shape: Vec<usize> = [count].into_iter().chain(notes.shape).collect();
        let pixels: Vec<u8> = images
            .pixels
            .iter()
            .flat_map(|pixel| pixel.to_le_bytes())
            .collect();
        let wholes = |values: &mut dyn Iterator<Item = i64>| {
            let bytes: Vec<u8> = values.flat_map(i64::to_le_bytes).collect();
            npy("<i8", &[count], &bytes)
        };
        let flags = |values: Vec<bool>| {
            let bytes: Vec<u8> = values.into_iter().map(u8::from).collect();
            npy("|b1", &[count], &bytes)
        };
        let answer = |at: usize| self.said.label(at).map_or(-1, i64::from);
        let mut arrays = vec![
            ("ids", npy_of_texts(&self.kept.ids)),
            ("images", npy("<f4", &shape, &pixels)),
            ("classes", npy_of_texts(self.said.classes())),
            (
                "labels",
                wholes(&mut self.labels.iter().map(|label| i64::from(*label))),
            ),
            ("answers", wholes(&mut (0..count).map(answer))),
            (
                "broken",
                flags((0..count).map(|at| self.is_broken(at)).collect()),
            ),
            ("linf", npy_of_numbers(&[count], &notes.linf)),
            ("l2", npy_of_numbers(&[count], &notes.l2)),
            ("l1", npy_of_numbers(&[count], &notes.l1)),
            ("same_in_8_bits", flags(notes.same_in_8_bits.clone())),
        ];
        let classes = self.said.classes().len();
        match self.said.said() {
            Said::Logits(scores) => {
                arrays.push(("logits", npy_of_numbers(&[count, classes], scores)));
            }
            Said::Probabilities(scores) => {
                arrays.push(("probabilities", npy_of_numbers(&[count, classes], scores)));
            }
            Said::Labels { .. } => {}
        }
        if let Some(losses) = self.losses() {
            arrays.push(("losses", npy_of_numbers(&[count], &losses)));
        }
        npz(&arrays)
    }

    /// The cross-entropy at the label, where answers tell it.
    fn losses(&self) -> Option<Vec<f64>> {
        let each = |at: usize| {
            let probability = self.said.probability(at, self.labels[at])?;
            Some(-probability.max(f64::MIN_POSITIVE).ln())
        };
        (0..self.labels.len()).map(each).collect()
    }

    fn can_be_drawn(&self) -> bool {
        matches!(self.images.told.shape[0], 1 | 3)
    }

    fn draw(&self, at: usize, folder: &Path) -> io::Result<()> {
        let [channels, height, width] = self.images.told.shape;
        let id: String = self.kept.ids[at]
            .chars()
            .map(|letter| {
                if letter.is_ascii_alphanumeric() {
                    letter
                } else {
                    '_'
                }
            })
            .collect();
        let file = File::create(folder.join(format!("{at}_{id}.png")))?;
        let mut encoder = png::Encoder::new(BufWriter::new(file), width as u32, height as u32);
        encoder.set_color(match channels {
            1 => png::ColorType::Grayscale,
            _ => png::ColorType::Rgb,
        });
        encoder.set_depth(png::BitDepth::Eight);
        let pixels = self.images.image(at);
        let place = |i: usize| pixels[i % channels * height * width + i / channels];
        let bytes: Vec<u8> = (0..pixels.len())
            .map(|i| (place(i) * 255.0).round() as u8)
            .collect();
        let mut writer = encoder.write_header().map_err(io::Error::other)?;
        writer.write_image_data(&bytes).map_err(io::Error::other)
    }
}
