//! 1797 handwritten digits of 8 × 8 pixels, shipped with duress.
//!
//! # What it does
//! Gives the ten classes `0` to `9` as grey images with values in [0, 1] (17 levels), divided into
//! items to fit on and items to test on. The division is the same for every seed, so items can be
//! crossed with seeds; a larger `fit-share` keeps every item that a smaller one fits on. Items can
//! be sliced by the column `class`.
//!
//! # Why it matters
//! It is real, small and free: a whole study runs in seconds and without a download. It is also
//! easy: a small network is right about 98 times in 100, so differences between good ones are
//! small. The 13 people who wrote the digits are not named in the data and stand on both sides of
//! the division: fitted on the first two thirds of the file and tested on the rest, the same
//! network is right 93 times in 100.
//!
//! # Promise
//! No two of the images are equal, so none that is tested on was fitted on.
//!
//! # Example
//! ```toml
//! [dataset.digits]
//! use = "digits"
//! fit-share = "2/3"
//! ```
//!
//! # Reference
//! E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning
//! Repository, 1998, doi:10.24432/C50P49 (CC BY 4.0), as packed by scikit-learn (BSD 3-Clause).

use duress_core::data::{Dataset, Images, Inputs, Items, Split};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::seed::Seed;
use duress_core::truth::{Labels, Truth};

use crate::shared::frame::fixed_source::{FixedSource, Load};

/// The part.
pub static PART: Part = Part {
    name: "digits",
    version: 1,
    fields: &[Field {
        name: "fit-share",
        takes: Takes::Number(0.05, 0.95),
        doc: "the share of the items that subjects are fitted on",
        default: Some("2/3"),
    }],
    source: include_str!("digits.rs"),
    build: Build::Dataset(|params| Ok(FixedSource::labelled_images(Digits::new(params)))),
};

/// What `peers/data/run.py` wrote: 64 pixels from 0 to 16 and the digit, 1797 times.
static RECORDS: &[u8] = include_bytes!("../../../data/digits.bin");
const RECORD: usize = 65;
const BRIGHTEST: f32 = 16.0;

struct Digits {
    fit_share: f64,
}

impl Digits {
    fn new(params: &Params) -> Digits {
        Digits {
            fit_share: params.number("fit-share"),
        }
    }
}

impl Load for Digits {
    fn load(&self) -> Result<Dataset, Problem> {
        let records: Vec<&[u8]> = RECORDS.chunks_exact(RECORD).collect();
        let (fit, test) = divide(records.len(), self.fit_share);
        Dataset::new(Some(split(&records, &fit)?), split(&records, &test)?)
    }
}

/// Puts all items into one order that never changes, and takes the first of them; each side is then
/// back in the file's order.
fn divide(items: usize, share: f64) -> (Vec<usize>, Vec<usize>) {
    let mut order: Vec<usize> = (0..items).collect();
    Seed::new(0).child("digits").draws().shuffle(&mut order);
    let mut test = order.split_off((items as f64 * share) as usize);
    order.sort_unstable();
    test.sort_unstable();
    (order, test)
}

fn split(records: &[&[u8]], which: &[usize]) -> Result<Split, Problem> {
    let ids = which.iter().map(|i| format!("digit-{i:04}")).collect();
    let chosen = || which.iter().map(|&i| records[i]);
    let levels = chosen().flat_map(|record| &record[..RECORD - 1]);
    let pixels = levels.map(|&level| f32::from(level) / BRIGHTEST);
    let images = Images::new([1, 8, 8], pixels.collect())?;
    let digits = || chosen().map(|record| record[RECORD - 1]);
    let classes = (0..10).map(|class| class.to_string()).collect();
    let labels = Labels::new(classes, digits().map(u32::from).collect());
    let truth = Truth::Labels(labels.map_err(Problem::new)?);
    let items = Items::new(ids, Inputs::Images(images))?;
    let split = Split::new(items, truth)?;
    let column = digits().map(|digit| digit.to_string()).collect();
    Ok(split.with_column("class", column))
}
