//! Images in folders, one folder per class, or one folder with a table of labels.
//!
//! # What it does
//! Reads the PNG and JPEG images below `path`. Without `labels` every folder in `path` is a class
//! and holds its images, in any depth; classes are in the order of their names (by number where all
//! are whole numbers) unless `classes` gives them. With `labels`, a table (CSV, Parquet, JSON
//! lines, xlsx) names each image in its column `image` (or `file`, `id`) and its class in `label`;
//! its `columns`, and those called as groups of items are (`patient`, `lesion_id` …), are kept to
//! slice or to cluster by.
//! Images are brought to `size` × `size` as torchvision's `Resize` does it with Pillow (bilinear
//! with antialiasing); `docs/images.md` says what becomes of grey, CMYK, 16-bit and transparent
//! ones. What is fitted on comes from `fit-path`, or is a `fit-share` of `path`.
//!
//! `masks` names a folder with a mask for each image, under the image's own path.
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

use duress_core::data::{Dataset, TableUse};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_tables::formats;
use duress_tables::labels::{in_order, listed, no_class_twice, positions};
use duress_tables::layout::words::says_group;
use duress_tables::table::{Head, Table, by_name, find_column, no_column};

use crate::classify::frame::class_names::CLASSES;
use crate::images::{
    FolderDocs, ImageEntry, LabelledFolder, MASKS, MaskFolder, Pile, Wanted, decode, folder_keys,
    folder_of, gather, images_below,
};
use crate::shared::frame::fixed_source::{FixedSource, Load};

/// The part.
pub static PART: Part = Part {
    name: "image-folder",
    version: 1,
    fields: &folder_keys::<14>(
        FolderDocs {
            path: "the folder of what is tested on",
            labels: "a table with the columns `image` and `label`; when left out, folders are classes",
            fit_path: "the folder of what is fitted on; when left out, `path` is divided by `fit-share`",
            fit_labels: "the labels of `fit-path`, where it is not a folder of folders",
        },
        &[
            Field {
                doc: "the names of the classes in order; when left out, all there are",
                ..CLASSES
            },
            Field {
                name: "columns",
                takes: Takes::Texts,
                doc: "columns of `labels` to slice or to cluster by",
                default: Some(""),
            },
            Field {
                doc: "a folder with a mask for each image tested on, under the image's own path, whatever its ending, for gauges of where maps lie; an image without one takes no part in them",
                ..MASKS
            },
        ],
    ),
    source: include_str!("image_folder.rs"),
    build: Build::Dataset(|params| Ok(FixedSource::labelled_images(ImageFolder::new(params)?))),
};

struct ImageFolder {
    test: LabelledFolder,
    fit: Option<LabelledFolder>,
    classes: Vec<String>,
    columns: Vec<String>,
    masks: Option<PathBuf>,
    wanted: Wanted,
}

/// An image that is listed: its id, its class in words, its file, its values in the columns that are
/// kept.
struct Listed {
    id: String,
    class: String,
    file: PathBuf,
    values: Vec<String>,
}

/// The images of a folder.
struct Listing {
    images: Vec<Listed>,
    /// The columns that are kept of their table.
    columns: Vec<String>,
    /// What a reader should know about what is not among them.
    remark: Option<String>,
}

impl ImageFolder {
    fn new(params: &Params) -> Result<ImageFolder, Problem> {
        let classes = params.texts("classes").to_vec();
        no_class_twice(&classes)?;
        let test = LabelledFolder::to_test(params);
        let columns = params.texts("columns");
        if let (Some(column), None) = (columns.first(), &test.labels) {
            return Err(Problem::new(format!(
                "the column `{column}` of a folder of folders, which has no table"
            ))
            .expected("a table of labels as `labels = …`"));
        }
        Ok(ImageFolder {
            test,
            fit: LabelledFolder::to_fit(params),
            masks: params.file_if("masks"),
            columns: columns.to_vec(),
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
        listing: Listing,
        classes: &[String],
    ) -> Result<Pile, Problem> {
        let Listing {
            images: list,
            columns,
            remark,
        } = listing;
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
            let one = &list[i];
            Ok(ImageEntry {
                id: one.id.clone(),
                label: at[one.class.as_str()],
                group: None,
                values: one.values.clone(),
                from: one.file.as_path(),
            })
        });
        let what = place.folder.display().to_string();
        Ok(gather(&what, entries, &self.wanted, decode::read)?
            .with_columns(&columns)
            .with_remarks(remark))
    }
}

impl LabelledFolder {
    fn list(&self, classes: &[String], columns: &[String]) -> Result<Listing, Problem> {
        let folder = folder_of(&self.folder)?;
        let (found, others) = images_below(folder)?;
        match &self.labels {
            None => by_folder(folder, found, others),
            Some(labels) => by_table(folder, &found, &read_labels(labels, columns)?, classes),
        }
    }
}

/// The class of an image is the first folder on the way to it.
fn by_folder(folder: &Path, found: Vec<PathBuf>, others: usize) -> Result<Listing, Problem> {
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
                values: Vec::new(),
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
    Ok(Listing {
        images: list,
        columns: Vec::new(),
        remark,
    })
}

fn by_table(
    folder: &Path,
    found: &[PathBuf],
    labels: &LabelTable,
    classes: &[String],
) -> Result<Listing, Problem> {
    let LabelTable { table, columns } = labels;
    let LabelTableColumns { image, label, kept } = columns;
    let of: Vec<String> = match classes {
        [] => table.texts(label).iter().map(String::from).collect(),
        _ => positions(table, label, classes)?
            .0
            .into_iter()
            .map(|at| classes[at as usize].clone())
            .collect(),
    };
    let ids = table.texts(image).iter().zip(of).enumerate();
    let value = |column: &String, row: usize| table.texts(column).get(row).to_string();
    let list: Vec<Listed> = ids
        .map(|(row, (id, class))| Listed {
            id: id.into(),
            class,
            file: folder.join(id),
            values: kept.iter().map(|column| value(column, row)).collect(),
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
    Ok(Listing {
        images: list,
        columns: kept.clone(),
        remark,
    })
}

/// A table of labels, and what its columns are called.
struct LabelTable {
    table: Table,
    columns: LabelTableColumns,
}

/// What the columns of a table of labels are called.
struct LabelTableColumns {
    image: String,
    label: String,
    /// Those that are kept.
    kept: Vec<String>,
}

/// The table of labels, with these columns and those that say which images belong together. Whole
/// numbers stay what they are written as.
fn read_labels(file: &Path, named: &[String]) -> Result<LabelTable, Problem> {
    let mut columns = None;
    let table = formats::read(file, &mut |heads| {
        let found = LabelTableColumns::find(heads, named)?;
        let wants = by_name(heads, &[], &found.all());
        columns = Some(found);
        Ok(wants)
    })?;
    let columns = columns.ok_or_else(|| Problem::new("the table has no header").in_file(file))?;
    Ok(LabelTable { table, columns })
}

impl LabelTableColumns {
    /// The columns with the image and its label, those that are named, and those that say which
    /// images belong together.
    fn find(heads: &[Head], named: &[String]) -> Result<LabelTableColumns, Problem> {
        let find = |usual: &[&str]| {
            find_column(heads, None, usual)?.ok_or_else(|| no_column(usual[0], heads))
        };
        let (image, label) = (
            find(&["image", "file", "id"])?,
            find(&["label", "labels", "class"])?,
        );
        for column in named {
            find_column(heads, Some(column), &[])?;
        }
        let single = heads.iter().filter(|head| !head.listed);
        let groups = single
            .map(|head| head.name.as_str())
            .filter(|name| says_group(name) && *name != image && *name != label);
        let mut kept: Vec<String> = named.to_vec();
        kept.extend(groups.map(String::from));
        kept.sort_unstable();
        kept.dedup();
        Ok(LabelTableColumns { image, label, kept })
    }

    fn all(&self) -> Vec<&str> {
        let own = [&self.image, &self.label];
        self.kept.iter().chain(own).map(String::as_str).collect()
    }
}

/// What an image is called apart from how it was encoded.
fn without_ending(id: &str) -> String {
    let path: PathBuf = Path::new(id).components().collect();
    let path = path.with_extension("");
    path.to_string_lossy().replace('\\', "/")
}

impl Load for ImageFolder {
    fn load(&self) -> Result<Dataset, Problem> {
        let test = self.test.list(&self.classes, &self.columns)?;
        let fit = self
            .fit
            .as_ref()
            .map(|fit| Ok((fit, fit.list(&self.classes, &[])?)))
            .transpose()?;
        let classes = match &fit {
            Some((_, fit)) => self.classes(&[&test.images, &fit.images]),
            None => self.classes(&[&test.images]),
        };
        let test = self.pile(&self.test, test, &classes)?;
        let test = match &self.masks {
            Some(folder) => {
                let masks = MaskFolder::read(folder, |path| Some(path.to_string()))?;
                masks.mask(test, self.wanted.frame, without_ending)?
            }
            None => test,
        };
        let fit = fit
            .map(|(place, listing)| self.pile(place, listing, &classes))
            .transpose()?;
        self.wanted.dataset(&classes, test, fit)
    }

    fn tables(&self) -> Result<Vec<TableUse>, Problem> {
        let places = std::iter::once(&self.test).chain(&self.fit);
        let labels = places.filter_map(|place| place.labels.as_deref());
        let read = |heads: &[Head]| {
            let found = LabelTableColumns::find(heads, &self.columns)?;
            Ok(found.all().into_iter().map(String::from).collect())
        };
        labels.map(|file| formats::table_use(file, read)).collect()
    }
}
