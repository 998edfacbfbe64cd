//! Images in folders, one folder per class, or one folder with a table of labels.
//!
//! # What it does
//! Reads the PNG and JPEG images below `path`. Without `labels` every folder in `path` is a class
//! and holds its images, in any depth; classes are in the order of their names (by number where all
//! are whole numbers) unless `classes` gives them. With `labels`, a table (CSV, Parquet, JSON
//! lines, xlsx) names each image in its column `image` (or `file`, `id`) and its class in `label`.
//! Images are brought to `size` × `size` as torchvision's `Resize` does it with Pillow (bilinear
//! with antialiasing); `docs/images.md` says what becomes of grey, CMYK, 16-bit and transparent
//! ones. What is fitted on comes from `fit-path`, or is a `fit-share` of `path`.
//!
//! # Why it matters
//! It is the layout that `torchvision.datasets.ImageFolder` and Keras read, so what a network was
//! trained and tested with can be put under stress as it is.
//!
//! # Promise
//! All images that cannot be read are named at once, with what is wrong; none is lost in silence.
//! The division depends on the content of each image and `split-seed` alone: equal images are never
//! on both sides. Held in memory: 4 bytes per value of the finished set, and one file per core.
//!
//! # Example
//! ```toml
//! [dataset.pets]
//! use = "image-folder"
//! path = "pets"                   # pets/cat/1.jpg, pets/dog/2.png
//! size = 224
//! crop = "centre"
//! fit-share = 0.5
//! ```
//!
//! # Reference
//! The layout of `torchvision.datasets.ImageFolder`; the arithmetic of Pillow's `Image.resize` with
//! `BILINEAR`.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use duress_core::data::Dataset;
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_tables::formats;
use duress_tables::labels::{in_order, listed, no_class_twice, positions};
use duress_tables::table::{Table, by_name, find_column, no_column};

use crate::images::{
    self, ImageEntry, LabelledFolder, Pile, Wanted, decode, folder_of, gather, images_below,
};
use crate::shared::frame::fixed_source::{FixedSource, Load};

/// The part.
pub static PART: Part = Part {
    name: "image-folder",
    version: 1,
    fields: &[
        Field {
            name: "path",
            takes: Takes::File,
            doc: "the folder of what is tested on",
            default: None,
        },
        Field {
            name: "labels",
            takes: Takes::File,
            doc: "a table with the columns `image` and `label`; when left out, folders are classes",
            default: Some(""),
        },
        Field {
            name: "fit-path",
            takes: Takes::File,
            doc: "the folder of what is fitted on; when left out, `path` is divided by `fit-share`",
            default: Some(""),
        },
        Field {
            name: "fit-labels",
            takes: Takes::File,
            doc: "the labels of `fit-path`, where it is not a folder of folders",
            default: Some(""),
        },
        Field {
            name: "classes",
            takes: Takes::Texts,
            doc: "the names of the classes in order; when left out, all there are",
            default: Some(""),
        },
        images::SIZE,
        images::CROP,
        images::CHANNELS,
        images::FIT_SHARE,
        images::SPLIT_SEED,
        images::LIMIT,
        images::UNREADABLE,
    ],
    source: include_str!("image_folder.rs"),
    build: Build::Dataset(|params| Ok(FixedSource::labelled_images(ImageFolder::new(params)?))),
};

struct ImageFolder {
    test: LabelledFolder,
    fit: Option<LabelledFolder>,
    classes: Vec<String>,
    wanted: Wanted,
}

/// An image that is listed: its id, its class in words, its file.
struct Listed {
    id: String,
    class: String,
    file: PathBuf,
}

impl ImageFolder {
    fn new(params: &Params) -> Result<ImageFolder, Problem> {
        let classes = params.texts("classes").to_vec();
        no_class_twice(&classes)?;
        Ok(ImageFolder {
            test: LabelledFolder::to_test(params),
            fit: LabelledFolder::to_fit(params),
            classes,
            wanted: Wanted::new(params)?,
        })
    }

    fn classes(&self, lists: &[&[Listed]]) -> Vec<String> {
        if !self.classes.is_empty() {
            return self.classes.clone();
        }
        in_order(
            lists
                .iter()
                .copied()
                .flatten()
                .map(|one| one.class.as_str()),
        )
    }

    fn pile(
        &self,
        place: &LabelledFolder,
        list: Vec<Listed>,
        remark: Option<String>,
        classes: &[String],
    ) -> Result<Pile, Problem> {
        let at: HashMap<&str, u32> = classes.iter().map(String::as_str).zip(0..).collect();
        if let Some(odd) = list.iter().find(|one| !at.contains_key(one.class.as_str())) {
            return Err(Problem::new(format!(
                "`{}` is of class {:?}, which is none of the classes",
                odd.id, odd.class
            ))
            .expected(format!("one of {}", listed(classes)))
            .in_file(&place.folder));
        }
        let ids: Vec<String> = list.iter().map(|one| one.id.clone()).collect();
        let entries = self.wanted.limited(&ids).into_iter().map(|i| {
            let Listed { id, class, file } = &list[i];
            Ok(ImageEntry {
                id: id.clone(),
                label: at[class.as_str()],
                group: None,
                from: file.as_path(),
            })
        });
        let what = place.folder.display().to_string();
        Ok(gather(&what, entries, &self.wanted, decode::read)?.with_remarks(remark))
    }
}

impl LabelledFolder {
    /// The images, and what a reader should know about what is not among them.
    fn list(&self, classes: &[String]) -> Result<(Vec<Listed>, Option<String>), Problem> {
        let folder = folder_of(&self.folder)?;
        let (found, others) = images_below(folder)?;
        match &self.labels {
            None => by_folder(folder, found, others),
            Some(labels) => by_table(folder, &found, labels, classes),
        }
    }
}

/// The class of an image is the first folder on the way to it.
fn by_folder(
    folder: &Path,
    found: Vec<PathBuf>,
    others: usize,
) -> Result<(Vec<Listed>, Option<String>), Problem> {
    let mut list = Vec::with_capacity(found.len());
    let mut loose = Vec::new();
    for file in found {
        let path = file.strip_prefix(folder).unwrap_or(&file);
        let parts: Vec<String> = path
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        match parts.as_slice() {
            [class, _, ..] => list.push(Listed {
                id: parts.join("/"),
                class: class.clone(),
                file,
            }),
            _ => loose.push(parts.concat()),
        }
    }
    if let Some(one) = loose.first() {
        return Err(Problem::new(format!(
            "{} images are in no folder of a class, `{one}` first",
            loose.len()
        ))
        .expected("a folder per class, or a table of labels as `labels = …`")
        .in_file(folder));
    }
    let remark =
        (others > 0).then(|| format!("{others} files in the folder have no ending of an image"));
    Ok((list, remark))
}

fn by_table(
    folder: &Path,
    found: &[PathBuf],
    labels: &Path,
    classes: &[String],
) -> Result<(Vec<Listed>, Option<String>), Problem> {
    let (table, image, label) = read_labels(labels)?;
    let of: Vec<String> = match classes {
        [] => table.texts(&label).iter().map(String::from).collect(),
        _ => positions(&table, &label, classes)?
            .0
            .into_iter()
            .map(|at| classes[at as usize].clone())
            .collect(),
    };
    let ids = table.texts(&image).iter().zip(of);
    let list: Vec<Listed> = ids
        .map(|(id, class)| Listed {
            id: id.into(),
            class,
            file: folder.join(id),
        })
        .collect();
    // Told by file, since a table may write `./a.png`.
    let named: BTreeSet<PathBuf> = list
        .iter()
        .map(|one| one.file.components().collect())
        .collect();
    let unnamed = found.iter().filter(|file| !named.contains(*file)).count();
    let remark = (unnamed > 0)
        .then(|| format!("{unnamed} images in the folder have no label and are left out"));
    Ok((list, remark))
}

/// The table, and the names of its two columns. Whole numbers stay what they are written as.
fn read_labels(file: &Path) -> Result<(Table, String, String), Problem> {
    let mut columns = None;
    let table = formats::read(file, &mut |heads| {
        let find = |usual: &[&str]| {
            find_column(heads, None, usual)?.ok_or_else(|| no_column(usual[0], heads))
        };
        let (image, label) = (
            find(&["image", "file", "id"])?,
            find(&["label", "labels", "class"])?,
        );
        let wants = by_name(heads, &[], &[&image, &label]);
        columns = Some((image, label));
        Ok(wants)
    })?;
    let (image, label) =
        columns.ok_or_else(|| Problem::new("the table has no header").in_file(file))?;
    Ok((table, image, label))
}

impl Load for ImageFolder {
    fn load(&self) -> Result<Dataset, Problem> {
        let (test, remark) = self.test.list(&self.classes)?;
        let fit = self
            .fit
            .as_ref()
            .map(|fit| Ok((fit, fit.list(&self.classes)?)))
            .transpose()?;
        let classes = match &fit {
            Some((_, (fit, _))) => self.classes(&[&test, fit]),
            None => self.classes(&[&test]),
        };
        let test = self.pile(&self.test, test, remark, &classes)?;
        let fit = fit
            .map(|(place, (list, remark))| self.pile(place, list, remark, &classes))
            .transpose()?;
        self.wanted.dataset(&classes, test, fit)
    }
}
