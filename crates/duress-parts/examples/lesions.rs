//! Generated lesions as people can look at them: a sheet as PNG.
//!
//! ```text
//! cargo run --release -p duress-parts --example lesions -- sheet.png contrast=1.4 spread=0.05
//! ```
//!
//! It has a row per diagnosis and four blocks of the same lesions: without artefacts, with those
//! of their own diagnosis, of any, and of a wrong one. The keys are those of `generated-lesions`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use duress_core::seed::Seed;
use duress_core::word::Word;
use duress_nn::lesion::cohort::{Cohort, CohortRecipe};
use duress_nn::lesion::confounding::ArtefactPairing;
use duress_nn::lesion::diagnosis::Diagnosis;

/// Lesions of a diagnosis on a sheet, and how many times a pixel is repeated.
const LESIONS: usize = 6;
const ZOOM: usize = 2;

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, keys @ ..] = words.as_slice() else {
        return Err("a file to write, and keys as KEY=NUMBER".into());
    };
    let keys = numbers(keys)?;
    let seed = Seed::new(keys.get("seed").map_or(1, |seed| *seed as u64));
    sheet(recipe(&keys), seed, Path::new(file))
}

fn numbers(words: &[String]) -> Result<BTreeMap<String, f64>, Failed> {
    let mut keys = BTreeMap::new();
    for word in words {
        let (key, number) = word.split_once('=').ok_or("keys are KEY=NUMBER")?;
        keys.insert(key.to_string(), number.parse()?);
    }
    Ok(keys)
}

fn recipe(keys: &BTreeMap<String, f64>) -> CohortRecipe {
    let key = |name: &str, usual: f64| keys.get(name).copied().unwrap_or(usual);
    CohortRecipe {
        side: key("size", 32.0) as usize,
        spread: key("spread", 0.1),
        contrast: key("contrast", 1.0),
        faint: key("faint", 0.0) / 255.0,
        correlation: key("correlation", 0.7),
        imbalance: key("imbalance", 0.5),
    }
}

fn sheet(recipe: CohortRecipe, seed: Seed, file: &Path) -> Result<(), Failed> {
    let cohort = Cohort::new(recipe, seed.child("test"));
    let tile = recipe.side * ZOOM;
    let (width, height) = (4 * LESIONS * tile, Diagnosis::ALL.len() * tile);
    let mut page = vec![0u8; width * height * 3];
    for (row, diagnosis) in Diagnosis::ALL.iter().enumerate() {
        let cases = cohort.cases().filter(|case| case.diagnosis == *diagnosis);
        for (column, case) in cases
            .filter(|case| case.image == 0)
            .take(LESIONS)
            .enumerate()
        {
            let plain = std::iter::once(cohort.painting(&case).pixels);
            let pressed = ArtefactPairing::ALL.iter();
            let pressed = pressed.map(|pairing| cohort.image(&case, *pairing).pixels);
            for (block, pixels) in plain.chain(pressed).enumerate() {
                let corner = (row * tile, (block * LESIONS + column) * tile);
                paste(&pixels, recipe.side, corner, (&mut page, width));
            }
        }
    }
    write_png(file, &page, [width, height])
}

/// Puts planes of an image on a page of so many pixels a row, magnified.
fn paste(planes: &[f32], side: usize, corner: (usize, usize), (page, width): (&mut [u8], usize)) {
    let bytes = interleaved(planes, side);
    for row in 0..side * ZOOM {
        for column in 0..side * ZOOM {
            let from = 3 * (row / ZOOM * side + column / ZOOM);
            let to = 3 * ((corner.0 + row) * width + corner.1 + column);
            page[to..to + 3].copy_from_slice(&bytes[from..from + 3]);
        }
    }
}

fn interleaved(planes: &[f32], side: usize) -> Vec<u8> {
    let area = side * side;
    let level = |at: usize| (planes[at % 3 * area + at / 3] * 255.0).round() as u8;
    (0..3 * area).map(level).collect()
}

fn write_png(file: &Path, bytes: &[u8], [width, height]: [usize; 2]) -> Result<(), Failed> {
    let mut encoder = png::Encoder::new(fs::File::create(file)?, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    Ok(encoder.write_header()?.write_image_data(bytes)?)
}
