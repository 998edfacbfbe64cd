//! CIFAR-10 and CIFAR-100 in their binary form.
//!
//! # What it does
//! Looks in `path` for `test_batch.bin` and `data_batch_1.bin` to `data_batch_5.bin` (CIFAR-10), or
//! `test.bin` and `train.bin` (CIFAR-100); the test file is tested on, the others are fitted on
//! unless `fit = false`. Names of classes are those in `batches.meta.txt` or
//! `fine_label_names.txt`, else numbers; `labels = "coarse"` takes the 20 superclasses of
//! CIFAR-100. Ids are `test-00000` and so on, in the order of the files.
//!
//! # Why it matters
//! The usual ground for comparing attacks and defences: 32 × 32 pixels, ε = 8/255.
//!
//! # Promise
//! A file that stops within a record, or a label out of range, is refused. An image that is in the
//! training and in the test files is not fitted on, and the report says how many there were. Held
//! in memory: 4 bytes per value of the finished set.
//!
//! # Example
//! ```toml
//! [dataset.cifar]
//! use = "cifar"
//! path = "cifar-10-batches-bin"
//! fit = false                     # the network comes ready
//! limit = 1000
//! ```
//!
//! # Reference
//! A. Krizhevsky, Learning multiple layers of features from tiny images, 2009.

use std::path::{Path, PathBuf};

use duress_core::data::Dataset;
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::word::Word;
use duress_tables::labels::no_class_twice;

use crate::images::picture::Picture;
use crate::images::{self, Pile, Records, Stream, Wanted, folder_of};
use crate::shared::frame::fixed_source::{FixedSource, Load};

/// The part.
pub static PART: Part = Part {
    name: "cifar",
    version: 1,
    fields: &[
        Field {
            name: "path",
            takes: Takes::File,
            doc: "the folder with the binary files",
            default: None,
        },
        images::FIT,
        Field {
            name: "labels",
            takes: Takes::Choice(CifarLabels::spellings),
            doc: "the 100 classes of CIFAR-100, or their 20 superclasses",
            default: Some("fine"),
        },
        images::SIZE,
        images::CHANNELS_AS_THEY_ARE,
        images::SPLIT_SEED,
        images::LIMIT,
    ],
    source: include_str!("cifar.rs"),
    build: Build::Dataset(|params| Ok(FixedSource::labelled_images(Cifar::new(params)?))),
};

const SIDE: usize = 32;
const PLANE: usize = SIDE * SIDE;

/// What the ten classes of CIFAR-10 and both kinds of labels of CIFAR-100 are like in the files.
struct CifarForm {
    test: &'static str,
    fit: &'static [&'static str],
    /// The bytes before the pixels.
    before: usize,
    /// Which of them is the label.
    label: usize,
    classes: usize,
    names: &'static str,
}

const TEN: CifarForm = CifarForm {
    test: "test_batch.bin",
    fit: &[
        "data_batch_1.bin",
        "data_batch_2.bin",
        "data_batch_3.bin",
        "data_batch_4.bin",
        "data_batch_5.bin",
    ],
    before: 1,
    label: 0,
    classes: 10,
    names: "batches.meta.txt",
};

const FINE: CifarForm = CifarForm {
    test: "test.bin",
    fit: &["train.bin"],
    before: 2,
    label: 1,
    classes: 100,
    names: "fine_label_names.txt",
};

const COARSE: CifarForm = CifarForm {
    label: 0,
    classes: 20,
    names: "coarse_label_names.txt",
    ..FINE
};

duress_core::words! {
    /// Which labels of CIFAR-100 are the classes.
    enum CifarLabels {
        /// The 100 classes.
        Fine = "fine",
        /// Their 20 superclasses.
        Coarse = "coarse",
    }
}

struct Cifar {
    folder: PathBuf,
    fit: bool,
    labels: CifarLabels,
    wanted: Wanted,
}

impl Cifar {
    fn new(params: &Params) -> Result<Cifar, Problem> {
        Ok(Cifar {
            folder: params.file("path"),
            fit: params.flag("fit"),
            labels: params.choice("labels"),
            wanted: Wanted::new(params)?,
        })
    }

    fn form(&self) -> Result<&'static CifarForm, Problem> {
        let hundred = match self.labels {
            CifarLabels::Fine => &FINE,
            CifarLabels::Coarse => &COARSE,
        };
        let is_there = |form: &&CifarForm| self.folder.join(form.test).is_file();
        [&TEN, hundred].into_iter().find(is_there).ok_or_else(|| {
            Problem::new(format!(
                "there is neither `{}` nor `{}`",
                TEN.test, FINE.test
            ))
            .expected("the folder of the binary version of CIFAR-10 or CIFAR-100")
            .in_file(&self.folder)
        })
    }

    /// The names of the classes: as many lines of text as there are classes, else numbers.
    fn classes(&self, form: &CifarForm) -> Result<Vec<String>, Problem> {
        let file = self.folder.join(form.names);
        let Ok(text) = std::fs::read_to_string(&file) else {
            return Ok((0..form.classes).map(|class| class.to_string()).collect());
        };
        let names: Vec<String> = text
            .lines()
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(String::from)
            .collect();
        if names.len() != form.classes {
            return Err(Problem::new(format!("{} names", names.len()))
                .expected(format!("{} names of classes, one on a line", form.classes))
                .in_file(&file));
        }
        no_class_twice(&names).map(|()| names)
    }

    fn pile(&self, form: &CifarForm, name: &str, file: &Path) -> Result<Pile, Problem> {
        let size = form.before + 3 * PLANE;
        let stream = Stream::open(file)?;
        let length = std::fs::metadata(file)
            .map_err(|error| stream.damaged(error))?
            .len() as usize;
        if length == 0 || !length.is_multiple_of(size) {
            return Err(stream.damaged(format!("{length} bytes are not whole records of {size}")));
        }
        let label = |i: usize, bytes: &[u8]| match bytes[form.label] {
            label if usize::from(label) < form.classes => Ok(u32::from(label)),
            label => Err(Problem::new(format!(
                "record {i} has label {label} of {} classes",
                form.classes
            ))
            .in_file(file)),
        };
        let picture = |bytes: Vec<u8>| {
            let planes = &bytes[form.before..];
            let pixel =
                |at: usize| [0, PLANE, 2 * PLANE].map(|plane| f32::from(planes[plane + at]));
            Picture::of_bytes(SIDE, SIDE, 3, (0..PLANE).flat_map(pixel).collect())
        };
        let count = length / size;
        let records = Records { name, count, size };
        stream.pile(records, &self.wanted, label, picture)
    }
}

impl Load for Cifar {
    fn load(&self) -> Result<Dataset, Problem> {
        folder_of(&self.folder)?;
        let form = self.form()?;
        let test = self.pile(form, "test", &self.folder.join(form.test))?;
        let mut fit: Option<Pile> = None;
        for name in form.fit.iter().filter(|_| self.fit) {
            let more = self.pile(form, name.trim_end_matches(".bin"), &self.folder.join(name))?;
            fit = Some(match fit {
                Some(fit) => fit.and(more),
                None => more,
            });
        }
        self.wanted.dataset(&self.classes(form)?, test, fit)
    }
}
