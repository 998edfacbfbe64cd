//! Skin lesions of ISIC 2018, task 3: a folder of dermoscopic images and the challenge's table of
//! diagnoses.
//!
//! # What it does
//! Reads the images below `path` that the ground-truth CSV names
//! (`image,MEL,NV,BCC,AKIEC,BKL,DF,VASC`, a 1 in the column of the diagnosis). The seven classes
//! are always in that order, whatever the order of the columns. Without `labels` the CSV is the one
//! whose name ends in `GroundTruth.csv`, in the folder or beside it. Images are brought to `size` ×
//! `size` (`docs/images.md`). What is fitted on comes from `fit-path` (the challenge's training
//! folder), or is a `fit-share` of `path`. `lesions` names the challenge's `LesionGroupings.csv`;
//! without it, the one whose name ends so is taken, in the folder or beside it. Images of one lesion
//! are then on one side of that division, the column `lesion` says which they are, and intervals and
//! claims count lesions and not images, unless the study has `cluster` otherwise. An image that the
//! table does not name is a lesion of its own.
//!
//! `masks` names the folder of the challenge's segmentations (task 1), which say where the lesion is.
//!
//! # Why it matters
//! A data set with seven unequal classes that decide something. Many lesions were photographed
//! several times: divided by image, half a lesion is fitted on and the other half tested on, and
//! the accuracy is too good to be true.
//!
//! # Promise
//! A row without exactly one diagnosis is refused with its line; images that cannot be found or
//! read are named, all at once; images without a row are counted in the report. Held in memory: 4
//! bytes per value of the finished set, and one file per core.
//!
//! # Example
//! ```toml
//! [dataset.lesions]
//! use = "isic-2018"
//! path = "ISIC2018_Task3_Test_Input"
//! labels = "ISIC2018_Task3_Test_GroundTruth.csv"
//! fit-path = "ISIC2018_Task3_Training_Input"
//! fit-labels = "ISIC2018_Task3_Training_GroundTruth.csv"
//! size = 224
//! ```
//!
//! # Reference
//! N. Codella et al., Skin lesion analysis toward melanoma detection 2018, arXiv:1902.03368; P.
//! Tschandl, C. Rosendahl and H. Kittler, The HAM10000 dataset, Scientific Data 5, 2018.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use duress_core::data::Dataset;
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_tables::formats::{self, folder_around};
use duress_tables::table::{by_name, find_column, no_column};

use crate::images::{
    FolderDocs, ImageEntry, LabelledFolder, MASKS, MaskFolder, Pile, Wanted, decode, folder_keys,
    folder_of, gather, images_below,
};
use crate::shared::frame::fixed_source::{FixedSource, Load};

/// The part.
pub static PART: Part = Part {
    name: "isic-2018",
    version: 2,
    fields: &folder_keys::<13>(
        FolderDocs {
            path: "the folder of the images tested on",
            labels: "their ground-truth CSV; when left out, it is looked for in the folder and beside it",
            fit_path: "the folder of the images fitted on; when left out, `path` is divided by `fit-share`",
            fit_labels: "the ground-truth CSV of `fit-path`",
        },
        &[
            Field {
                name: "lesions",
                takes: Takes::File,
                doc: "LesionGroupings.csv (image, lesion_id): images of one lesion stay on one side of a division, and are no independent items; when left out, it is looked for in the folder and beside it",
                default: Some(""),
            },
            Field {
                doc: "a folder of the challenge's segmentations, `ISIC_0000000_segmentation.png` for the image `ISIC_0000000`, for gauges of where maps lie; an image without one takes no part in them",
                ..MASKS
            },
        ],
    ),
    source: include_str!("isic_2018.rs"),
    build: Build::Dataset(|params| Ok(FixedSource::labelled_images(Isic2018::new(params)?))),
};

/// The column that says which lesion an image is of.
const LESION: &str = "lesion";

/// The diagnoses, in the order of the challenge.
const CLASSES: [&str; 7] = ["MEL", "NV", "BCC", "AKIEC", "BKL", "DF", "VASC"];

struct Isic2018 {
    test: LabelledFolder,
    fit: Option<LabelledFolder>,
    lesions: Option<PathBuf>,
    masks: Option<PathBuf>,
    wanted: Wanted,
}

impl Isic2018 {
    fn new(params: &Params) -> Result<Isic2018, Problem> {
        Ok(Isic2018 {
            test: LabelledFolder::to_test(params),
            fit: LabelledFolder::to_fit(params),
            lesions: params.file_if("lesions"),
            masks: params.file_if("masks"),
            wanted: Wanted::new(params)?,
        })
    }

    fn pile(
        &self,
        place: &LabelledFolder,
        lesions: &HashMap<String, String>,
    ) -> Result<Pile, Problem> {
        let folder = folder_of(&place.folder)?;
        let diagnoses = diagnoses(&place.labels()?)?;
        let by_name: HashMap<String, PathBuf> = images_below(folder)?
            .0
            .into_iter()
            .filter_map(|file| Some((file.file_stem()?.to_string_lossy().into_owned(), file)))
            .collect();
        let ids: Vec<String> = diagnoses.iter().map(|(image, _)| image.clone()).collect();
        let columns: &[String] = match lesions.is_empty() {
            true => &[],
            false => &[LESION.into()],
        };
        let entries = self.wanted.limited(&ids).into_iter().map(|i| {
            let (image, label) = &diagnoses[i];
            // An image that is not there is named like one that is broken.
            let from = by_name
                .get(image)
                .cloned()
                .unwrap_or_else(|| folder.join(format!("{image}.jpg")));
            Ok(ImageEntry {
                id: image.clone(),
                label: *label,
                group: lesions.get(image).cloned(),
                values: columns
                    .iter()
                    .map(|_| lesions.get(image).cloned().unwrap_or_default())
                    .collect(),
                from,
            })
        });
        let named: std::collections::HashSet<&String> = ids.iter().collect();
        let unnamed = by_name.keys().filter(|name| !named.contains(name)).count();
        let remark = (unnamed > 0)
            .then(|| format!("{unnamed} images in the folder have no diagnosis and are left out"));
        let read = |file: PathBuf| decode::read(&file);
        Ok(
            gather(&folder.display().to_string(), entries, &self.wanted, read)?
                .with_columns(columns)
                .with_remarks(remark),
        )
    }
}

impl LabelledFolder {
    fn labels(&self) -> Result<PathBuf, Problem> {
        if let Some(labels) = &self.labels {
            return Ok(labels.clone());
        }
        match self.tables("GroundTruth.csv").as_slice() {
            [one] => Ok(one.clone()),
            many => Err(Problem::new(format!(
                "{} tables in or beside the folder end in `GroundTruth.csv`",
                many.len()
            ))
            .expected("one, or its name as `labels = …`")
            .in_file(&self.folder)),
        }
    }

    /// The tables whose names end so, in the folder or else beside it.
    fn tables(&self, ending: &str) -> Vec<PathBuf> {
        let tables = |folder: &Path| -> Vec<PathBuf> {
            let entries = std::fs::read_dir(folder)
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.path());
            entries
                .filter(|file| file.to_string_lossy().ends_with(ending))
                .collect()
        };
        let inside = tables(&self.folder);
        let beside = || folder_around(&self.folder).map(|folder| tables(&folder));
        match inside.is_empty() {
            true => beside().unwrap_or_default(),
            false => inside,
        }
    }
}

/// The images of a ground-truth table with their classes.
fn diagnoses(file: &Path) -> Result<Vec<(String, u32)>, Problem> {
    let table = formats::read(file, &mut |heads| {
        for name in CLASSES.iter().chain(&["image"]) {
            find_column(heads, Some(name), &[])?;
        }
        Ok(by_name(heads, &CLASSES, &["image"]))
    })?;
    let columns: Vec<&[f64]> = CLASSES.iter().map(|class| table.numbers(class).1).collect();
    let images = table.texts("image").iter().enumerate();
    let diagnosis = |(row, image): (usize, &str)| {
        let given: Vec<usize> = (0..CLASSES.len())
            .filter(|&class| columns[class][row] != 0.0)
            .collect();
        match given.as_slice() {
            [class] if columns[*class][row] == 1.0 => Ok((image.to_string(), *class as u32)),
            _ => {
                let said: Vec<String> = columns
                    .iter()
                    .map(|column| column[row].to_string())
                    .collect();
                Err(table.at(
                    row,
                    Problem::new(format!("the diagnosis of `{image}` is {}", said.join(", ")))
                        .expected("a single 1 among zeros"),
                ))
            }
        }
    };
    images.map(diagnosis).collect()
}

/// The lesion of each image.
fn lesions(file: &Path) -> Result<HashMap<String, String>, Problem> {
    let table = formats::read(file, &mut |heads| {
        for name in ["image", "lesion_id"] {
            find_column(heads, Some(name), &[]).map_err(|_| no_column(name, heads))?;
        }
        Ok(by_name(heads, &[], &["image", "lesion_id"]))
    })?;
    let pairs = table
        .texts("image")
        .iter()
        .zip(table.texts("lesion_id").iter());
    Ok(pairs
        .map(|(image, lesion)| (image.to_string(), lesion.to_string()))
        .collect())
}

impl Isic2018 {
    /// The lesion of each image, from the tables that are named or found.
    fn lesions(&self) -> Result<HashMap<String, String>, Problem> {
        if let Some(file) = &self.lesions {
            return lesions(file);
        }
        let folders = std::iter::once(&self.test).chain(&self.fit);
        let mut files: Vec<PathBuf> = folders
            .flat_map(|folder| folder.tables("LesionGroupings.csv"))
            .collect();
        files.sort();
        files.dedup();
        let mut all = HashMap::new();
        for file in files {
            all.extend(lesions(&file)?);
        }
        Ok(all)
    }
}

/// The image that a segmentation of the challenge is about, by the path of its file.
fn segmented(path: &str) -> Option<String> {
    let name = path.rsplit('/').next()?;
    name.strip_suffix("_segmentation").map(String::from)
}

impl Load for Isic2018 {
    fn load(&self) -> Result<Dataset, Problem> {
        let lesions = self.lesions()?;
        let test = self.pile(&self.test, &lesions)?;
        let test = match &self.masks {
            Some(folder) => {
                let masks = MaskFolder::read(folder, segmented)?;
                masks.mask(test, self.wanted.frame, str::to_string)?
            }
            None => test,
        };
        let fit = self
            .fit
            .as_ref()
            .map(|fit| self.pile(fit, &lesions))
            .transpose()?;
        let grouped = test.is_grouped();
        let dataset = self.wanted.dataset(&CLASSES.map(String::from), test, fit)?;
        Ok(match grouped {
            true => dataset.clustered_by(LESION),
            false => dataset,
        })
    }
}
