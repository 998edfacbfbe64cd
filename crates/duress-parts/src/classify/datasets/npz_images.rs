//! Images and labels in arrays of an npz file.
//!
//! # What it does
//! Reads images from one array and labels from another: `x` and `y`, or `x_test` and `y_test`
//! (fitted on: `x_train`, `y_train`), or `test_images` and `test_labels` (`train_images`,
//! `train_labels`), or those that the keys name. Images are items × height × width, with a last or
//! a second axis of 1 or 3 channels. Bytes are levels up to 255, 16-bit values up to 65535, real
//! numbers lie in [0, 1]; `white` says otherwise. Labels are the names of classes, or whole numbers
//! that are positions in `classes`. Ids are `test-00000` and so on. `columns` names arrays with one
//! value per image tested on, to slice or to cluster by.
//!
//! # Why it matters
//! The form in which Keras, MedMNIST and most notebooks keep their images.
//!
//! # Promise
//! Nothing is unpickled. Values outside [0, white], arrays that do not belong together and files
//! that stop short are refused. An image that is in both arrays is not fitted on, and the report
//! says so. Arrays are read row by row; held in memory: 4 bytes per value of the finished set.
//!
//! # Example
//! ```toml
//! [dataset.blood]
//! use = "npz-images"
//! path = "bloodmnist.npz"
//! ```
//!
//! # Reference
//! NumPy's `savez` and `savez_compressed`; J. Yang et al., MedMNIST v2, Scientific Data 10, 2023,
//! for one of the layouts.

use std::path::PathBuf;

use duress_core::data::{Dataset, TableUse};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::word::Word;
use duress_tables::formats::{self, npz};
use duress_tables::labels::{in_order, no_class_twice, positions};
use duress_tables::table::{Table, by_name, find_column};

use crate::classify::frame::class_names::CLASSES;
use crate::images::picture::{Depth, Picture};
use crate::images::{self, ImageEntry, Pile, Wanted, gather};
use crate::shared::frame::fixed_source::{FixedSource, Load};

/// The part.
pub static PART: Part = Part {
    name: "npz-images",
    version: 1,
    fields: &[
        Field {
            name: "path",
            takes: Takes::File,
            doc: "the npz file",
            default: None,
        },
        Field {
            name: "x",
            takes: Takes::Text,
            doc: "the array of the images tested on",
            default: Some(""),
        },
        Field {
            name: "y",
            takes: Takes::Text,
            doc: "the array of their labels",
            default: Some(""),
        },
        Field {
            name: "fit-x",
            takes: Takes::Text,
            doc: "the array of the images fitted on",
            default: Some(""),
        },
        Field {
            name: "fit-y",
            takes: Takes::Text,
            doc: "the array of their labels",
            default: Some(""),
        },
        Field {
            name: "layout",
            takes: Takes::Choice(PixelLayout::spellings),
            doc: "which axis of four is the channels; `auto` takes the one that is 1 or 3 long",
            default: Some("auto"),
        },
        Field {
            name: "white",
            takes: Takes::Number(1e-6, 1e9),
            doc: "the value that becomes 1; when left out, the largest of unsigned kinds, and 1 for real numbers",
            default: Some(""),
        },
        CLASSES,
        Field {
            name: "columns",
            takes: Takes::Texts,
            doc: "arrays with one value per image tested on, to slice or to cluster by",
            default: Some(""),
        },
        Field {
            name: "masks",
            takes: Takes::Text,
            doc: "the array of the masks of the images tested on, items × height × width with zeros beside the thing, for gauges of where maps lie; a mask of zeros takes no part in them",
            default: Some(""),
        },
        images::SIZE,
        images::CROP,
        images::CHANNELS_AS_THEY_ARE,
        images::FIT_SHARE,
        images::SPLIT_SEED,
        images::LIMIT,
    ],
    source: include_str!("npz_images.rs"),
    build: Build::Dataset(|params| Ok(FixedSource::labelled_images(NpzImages::new(params)?))),
};

/// Names that go together: images and labels tested on, images and labels fitted on.
const USUAL: [[&str; 4]; 5] = [
    ["x", "y", "", ""],
    ["x_test", "y_test", "x_train", "y_train"],
    ["test_images", "test_labels", "train_images", "train_labels"],
    ["X", "y", "", ""],
    ["images", "labels", "", ""],
];

struct NpzImages {
    file: PathBuf,
    named: [Option<String>; 4],
    layout: PixelLayout,
    white: Option<f32>,
    classes: Vec<String>,
    columns: Vec<String>,
    masks: Option<String>,
    wanted: Wanted,
}

duress_core::words! {
    /// Which of four axes is that of the channels.
    enum PixelLayout {
        /// The one that is 1 or 3 long.
        Auto = "auto",
        ChannelsLast = "channels-last",
        ChannelsFirst = "channels-first",
    }
}

impl NpzImages {
    fn new(params: &Params) -> Result<NpzImages, Problem> {
        let named = ["x", "y", "fit-x", "fit-y"].map(|key| params.text_if(key).map(String::from));
        if named[0].is_some() != named[1].is_some() || named[2].is_some() != named[3].is_some() {
            return Err(Problem::new(
                "an array of images is named without its labels, or labels without images",
            )
            .expected("`x` with `y`, `fit-x` with `fit-y`"));
        }
        let classes = params.texts("classes").to_vec();
        no_class_twice(&classes)?;
        Ok(NpzImages {
            file: params.file("path"),
            named,
            layout: params.choice("layout"),
            white: params.number_if("white").map(|white| white as f32),
            columns: params.texts("columns").to_vec(),
            masks: params.text_if("masks").map(String::from),
            classes,
            wanted: Wanted::new(params)?,
        })
    }

    /// Which arrays there are to read: tested on and, if there are such, fitted on, each with its
    /// labels.
    fn arrays(&self) -> Result<[Option<String>; 4], Problem> {
        let heads = formats::heads(&self.file)?;
        let has = |name: &str| heads.iter().any(|head| head.name == name);
        let mut arrays = self.named.clone();
        if arrays[0].is_none() {
            let usual = USUAL
                .iter()
                .find(|names| has(names[0]) && has(names[1]))
                .ok_or_else(|| {
                    let there: Vec<&str> = heads.iter().map(|head| head.name.as_str()).collect();
                    Problem::new(format!("its arrays are {}", there.join(", ")))
                        .expected("`x` and `y`, or their names as `x = …` and `y = …`")
                })?;
            arrays = usual.map(|name| has(name).then(|| name.to_string()));
        }
        for name in arrays.iter().flatten() {
            find_column(&heads, Some(name), &[])?;
        }
        Ok(arrays)
    }

    fn labels(&self, name: &str) -> Result<Table, Problem> {
        formats::read(&self.file, &mut |heads| Ok(by_name(heads, &[], &[name])))
    }

    /// The values of the columns that are kept, image by image.
    fn values(&self, images: usize) -> Result<Vec<Vec<String>>, Problem> {
        let mut values = vec![Vec::new(); images];
        for column in &self.columns {
            let table = formats::read(&self.file, &mut |heads| {
                find_column(heads, Some(column), &[])?;
                Ok(by_name(heads, &[], &[column]))
            })?;
            if table.rows() != images {
                return Err(Problem::new(format!(
                    "`{column}` has {} values, for {images} images",
                    table.rows()
                ))
                .expected("one value for each image tested on"));
            }
            let texts = values.iter_mut().zip(table.texts(column).iter());
            texts.for_each(|(own, value)| own.push(value.to_string()));
        }
        Ok(values)
    }

    fn pile(
        &self,
        prefix: &str,
        x: &str,
        labels: Vec<u32>,
        values: &[Vec<String>],
    ) -> Result<Pile, Problem> {
        npz::rows(&self.file, x, |mut rows| {
            let grid = Grid::of(rows.shape(), self.layout)?;
            if rows.shape()[0] != labels.len() {
                return Err(Problem::new(format!(
                    "{} images, but {} labels",
                    rows.shape()[0],
                    labels.len()
                ))
                .expected("as many of one as of the other"));
            }
            // Unsigned kinds hold whole levels, and stay so when they are resized.
            let depth = rows
                .most()
                .filter(|&most| self.white.is_none_or(|white| white == most));
            let depth = depth.map_or(Depth::Real, Depth::Levels);
            let white = self.white.filter(|_| depth == Depth::Real).unwrap_or(1.0);
            let ids: Vec<String> = (0..labels.len())
                .map(|i| format!("{prefix}-{i:05}"))
                .collect();
            let mut chosen = self.wanted.limited(&ids).into_iter().peekable();
            let entries = (0..labels.len()).map_while(|i| Some((i, rows.next_row()?)));
            let entries = entries
                .filter(|(i, row)| chosen.next_if_eq(i).is_some() || row.is_err())
                .map(|(i, row)| {
                    Ok(ImageEntry {
                        id: ids[i].clone(),
                        label: labels[i],
                        group: None,
                        values: values.get(i).cloned().unwrap_or_default(),
                        from: (i, row?),
                    })
                });
            gather(&format!("`{x}`"), entries, &self.wanted, |(i, values)| {
                grid.picture(values, depth, white)
                    .map_err(|why| about_row(i, why))
            })
        })
    }
}

impl NpzImages {
    /// The images with the masks of an array, of which there have to be as many as images.
    fn with_masks(&self, pile: Pile, array: &str, images: usize) -> Result<Pile, Problem> {
        find_column(&formats::heads(&self.file)?, Some(array), &[])?;
        let masks: Vec<Picture> = npz::rows(&self.file, array, |mut rows| {
            let grid = Grid::of(rows.shape(), self.layout)?;
            if grid.channels != 1 || rows.shape()[0] != images {
                let wrong = format!("the shape of `{array}` is {:?}", rows.shape());
                let expected = format!("{images} masks, one for each image, of height × width");
                return Err(Problem::new(wrong).expected(expected));
            }
            let mut masks = Vec::with_capacity(images);
            while let Some(row) = rows.next_row() {
                masks.push(grid.plain(row?));
            }
            Ok(masks)
        })?;
        let of = |id: &str| {
            let row = id.rsplit('-').next().and_then(|row| row.parse().ok());
            let mask = row.and_then(|row: usize| masks.get(row)).cloned();
            Ok(mask.map(|mask| (mask, self.file.clone())))
        };
        images::masked(pile, self.wanted.frame, of)
    }
}

fn about_row(i: usize, mut problem: Problem) -> Problem {
    problem.message = format!("image {i} (counted from 0): {}", problem.message);
    problem
}

/// How the values of an image lie.
#[derive(Clone, Copy)]
struct Grid {
    channels: usize,
    height: usize,
    width: usize,
    channels_first: bool,
}

impl Grid {
    fn of(shape: &[usize], layout: PixelLayout) -> Result<Grid, Problem> {
        let few = |axis: usize| axis == 1 || axis == 3;
        let last = |h: usize, w: usize, c: usize| Grid {
            channels: c,
            height: h,
            width: w,
            channels_first: false,
        };
        let first = |c: usize, h: usize, w: usize| Grid {
            channels: c,
            height: h,
            width: w,
            channels_first: true,
        };
        let grid = match *shape {
            [_, h, w] => Some(last(h, w, 1)),
            [_, a, b, c] if layout == PixelLayout::ChannelsLast && few(c) => Some(last(a, b, c)),
            [_, a, b, c] if layout == PixelLayout::ChannelsFirst && few(a) => Some(first(a, b, c)),
            [_, a, b, c] if layout == PixelLayout::Auto && few(c) && !few(a) => Some(last(a, b, c)),
            [_, a, b, c] if layout == PixelLayout::Auto && few(a) && !few(c) => {
                Some(first(a, b, c))
            }
            _ => None,
        };
        grid.filter(|grid| grid.height * grid.width > 0)
            .ok_or_else(|| {
                Problem::new(format!("its shape is {shape:?}"))
                    .expected(
                        "items × height × width, with 1 or 3 channels as the last or second axis",
                    )
                    .hint("`layout = \"channels-last\"` or `\"channels-first\"` says which")
            })
    }

    /// One channel as it is, whatever its values.
    fn plain(self, samples: Vec<f32>) -> Picture {
        Picture {
            width: self.width,
            height: self.height,
            channels: 1,
            depth: Depth::Real,
            samples,
        }
    }

    fn picture(self, values: Vec<f32>, depth: Depth, white: f32) -> Result<Picture, Problem> {
        let most = depth.white() * white;
        if let Some(odd) = values.iter().find(|value| !(0.0..=most).contains(*value)) {
            return Err(Problem::new(format!("a value is {odd}"))
                .expected(format!("values from 0 to {most}"))
                .hint("`white = 255` takes values up to 255"));
        }
        let Grid {
            channels,
            height,
            width,
            channels_first,
        } = self;
        let plane = height * width;
        let samples = match channels_first {
            true => (0..values.len())
                .map(|at| values[at % channels * plane + at / channels] / white)
                .collect(),
            false => values.into_iter().map(|value| value / white).collect(),
        };
        Ok(Picture {
            width,
            height,
            channels,
            depth,
            samples,
        })
    }
}

impl Load for NpzImages {
    fn load(&self) -> Result<Dataset, Problem> {
        let load = || {
            let [Some(x), Some(y), fit_x, fit_y] = self.arrays()? else {
                return Err(Problem::new("no array of images is named"));
            };
            let test = self.labels(&y)?;
            let fit = fit_x
                .zip(fit_y)
                .map(|(x, y)| Ok((x, self.labels(&y)?, y)))
                .transpose()?;
            let mut classes = self.classes.clone();
            if classes.is_empty() {
                let fitted = fit.iter().flat_map(|(_, table, y)| table.texts(y).iter());
                classes = in_order(test.texts(&y).iter().chain(fitted));
            }
            let labels = positions(&test, &y, &classes)?.0;
            let values = self.values(labels.len())?;
            let images = labels.len();
            let test = self
                .pile("test", &x, labels, &values)?
                .with_columns(&self.columns);
            let test = match &self.masks {
                Some(array) => self.with_masks(test, array, images)?,
                None => test,
            };
            let fit = fit
                .map(|(x, table, y)| {
                    self.pile("train", &x, positions(&table, &y, &classes)?.0, &[])
                })
                .transpose()?;
            self.wanted.dataset(&classes, test, fit)
        };
        load().map_err(|problem: Problem| problem.in_file(&self.file))
    }

    fn tables(&self) -> Result<Vec<TableUse>, Problem> {
        let arrays = self.arrays()?.into_iter().flatten();
        let beside = self.columns.iter().chain(&self.masks).cloned();
        let arrays = arrays.chain(beside).collect();
        let read = formats::table_use(&self.file, |_| Ok(arrays))?;
        Ok(vec![read])
    }
}
