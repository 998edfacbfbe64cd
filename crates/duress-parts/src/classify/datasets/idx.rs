//! Images in IDX files, as MNIST and its relatives have them, plain or gzipped.
//!
//! # What it does
//! Looks in `path` for `t10k-images-idx3-ubyte` and `t10k-labels-idx1-ubyte` (or `test-…`), which
//! are tested on, and `train-…`, which are fitted on unless `fit = false`; each may end in `.gz`,
//! and all may begin with `prefix`. The classes are the numbers from 0 to the largest label unless
//! `classes` names them. Ids are `test-00000` and so on, in the order of the file.
//!
//! # Why it matters
//! MNIST, Fashion-MNIST, KMNIST and EMNIST come in this form, and most published attacks show a
//! figure for one of them.
//!
//! # Promise
//! Files that stop short, go on too long, or do not belong together are refused. A gzipped file is
//! read as a stream. Held in memory: 4 bytes per value of the finished set.
//!
//! # Example
//! ```toml
//! [dataset.mnist]
//! use = "idx"
//! path = "mnist"                  # train-images-idx3-ubyte.gz, t10k-labels-idx1-ubyte, …
//! limit = 1000
//! ```
//!
//! # Reference
//! Y. LeCun, C. Cortes and C. Burges, The MNIST database of handwritten digits, which defines IDX.

use std::path::PathBuf;

use duress_core::data::Dataset;
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_tables::labels::no_class_twice;

use crate::classify::frame::class_names::CLASSES;
use crate::images::picture::Picture;
use crate::images::{self, Pile, Records, Stream, Wanted, folder_of};
use crate::shared::frame::fixed_source::{FixedSource, Load};

/// The part.
pub static PART: Part = Part {
    name: "idx",
    version: 1,
    fields: &[
        Field {
            name: "path",
            takes: Takes::File,
            doc: "the folder with the files",
            default: None,
        },
        Field {
            name: "prefix",
            takes: Takes::Text,
            doc: "what the names of the files begin with",
            default: Some(""),
        },
        images::FIT,
        Field {
            doc: "the names of the classes from label 0 on; when left out, the numbers",
            ..CLASSES
        },
        images::SIZE,
        images::CROP,
        images::CHANNELS_AS_THEY_ARE,
        images::SPLIT_SEED,
        images::LIMIT,
    ],
    source: include_str!("idx.rs"),
    build: Build::Dataset(|params| Ok(FixedSource::labelled_images(Idx::new(params)?))),
};

struct Idx {
    folder: PathBuf,
    prefix: String,
    fit: bool,
    classes: Vec<String>,
    wanted: Wanted,
}

impl Idx {
    fn new(params: &Params) -> Result<Idx, Problem> {
        let classes = params.texts("classes").to_vec();
        no_class_twice(&classes)?;
        Ok(Idx {
            folder: params.file("path"),
            prefix: params.text_if("prefix").unwrap_or_default().into(),
            fit: params.flag("fit"),
            classes,
            wanted: Wanted::new(params)?,
        })
    }

    /// The file whose name begins so; copies are found with and without `.gz`, with a point or a
    /// dash before `idx`.
    fn find(&self, starts: &[&str], kind: &str) -> Result<PathBuf, Problem> {
        let names = starts.iter().flat_map(|start| {
            ["-", "."].map(|joint| format!("{}{start}{joint}{kind}-ubyte", self.prefix))
        });
        let names: Vec<String> = names
            .flat_map(|name| [name.clone(), format!("{name}.gz")])
            .collect();
        let found = names
            .iter()
            .map(|name| self.folder.join(name))
            .find(|file| file.is_file());
        found.ok_or_else(|| {
            Problem::new(format!("there is no file `{}`", names[0]))
                .expected(format!("it, or one of {}", names[1..].join(", ")))
                .in_file(&self.folder)
        })
    }

    fn labels(&self, starts: &[&str]) -> Result<(PathBuf, Vec<u8>), Problem> {
        let names: Vec<String> = starts
            .iter()
            .map(|start| format!("{start}-labels"))
            .collect();
        let file = self.find(
            &names.iter().map(String::as_str).collect::<Vec<_>>(),
            "idx1",
        )?;
        let mut stream = Stream::open(&file)?;
        let [count] = sizes(&mut stream)?;
        let labels = stream.bytes(count)?;
        stream.end()?;
        Ok((file, labels))
    }

    fn pile(
        &self,
        name: &str,
        starts: &[&str],
        (at, labels): (PathBuf, Vec<u8>),
    ) -> Result<Pile, Problem> {
        let names: Vec<String> = starts
            .iter()
            .map(|start| format!("{start}-images"))
            .collect();
        let file = self.find(
            &names.iter().map(String::as_str).collect::<Vec<_>>(),
            "idx3",
        )?;
        let mut stream = Stream::open(&file)?;
        let [count, height, width] = sizes(&mut stream)?;
        if count != labels.len() {
            return Err(Problem::new(format!(
                "{count} images, but {} labels in {}",
                labels.len(),
                at.display()
            ))
            .expected("as many of one as of the other")
            .in_file(&file));
        }
        let size = height
            .checked_mul(width)
            .filter(|&size| size > 0 && size <= 1 << 26);
        let size =
            size.ok_or_else(|| stream.damaged(format!("images of {height} × {width} cannot be")))?;
        let picture = |bytes: Vec<u8>| {
            Picture::of_bytes(width, height, 1, bytes.into_iter().map(f32::from).collect())
        };
        let label = |i: usize, _: &[u8]| Ok(u32::from(labels[i]));
        let records = Records { name, count, size };
        stream.pile(records, &self.wanted, label, picture)
    }
}

/// The sizes of the `N` axes of bytes that an IDX file begins with.
fn sizes<const N: usize>(stream: &mut Stream) -> Result<[usize; N], Problem> {
    let magic = stream.bytes(4)?;
    if magic[..] != [0, 0, 8, N as u8] {
        return Err(Problem::new(format!(
            "it begins with {magic:02x?}, which is not IDX of bytes with {N} axes"
        ))
        .expected(format!("[00, 00, 08, {N:02x}]"))
        .in_file(stream.file()));
    }
    let mut sizes = [0; N];
    for size in &mut sizes {
        *size = stream
            .bytes(4)?
            .iter()
            .fold(0, |size, &byte| size << 8 | usize::from(byte));
    }
    Ok(sizes)
}

impl Load for Idx {
    fn load(&self) -> Result<Dataset, Problem> {
        folder_of(&self.folder)?;
        let tested = ["t10k", "test"];
        let fitted = ["train"];
        let test = self.labels(&tested)?;
        let fit = self.fit.then(|| self.labels(&fitted)).transpose()?;
        let most = test
            .1
            .iter()
            .chain(fit.iter().flat_map(|(_, labels)| labels))
            .max()
            .copied()
            .unwrap_or(0);
        let classes = match self.classes.is_empty() {
            true => (0..=most).map(|class| class.to_string()).collect(),
            false => self.classes.clone(),
        };
        if usize::from(most) >= classes.len() {
            return Err(Problem::new(format!(
                "a label is {most}, but there are {} classes",
                classes.len()
            ))
            .in_file(&self.folder));
        }
        let test = self.pile("test", &tested, test)?;
        let fit = fit
            .map(|fit| self.pile("train", &fitted, fit))
            .transpose()?;
        self.wanted.dataset(&classes, test, fit)
    }
}
