//! A folder of images, and the table of their labels if there is one.

use std::path::PathBuf;

use duress_core::part::{Field, Params, Takes};

use super::{CHANNELS, CROP, FIT_SHARE, LIMIT, SIZE, SPLIT_SEED, UNREADABLE};

/// What the keys of a part that reads folders of images mean in its own words.
pub(crate) struct FolderDocs {
    pub(crate) path: &'static str,
    pub(crate) labels: &'static str,
    pub(crate) fit_path: &'static str,
    pub(crate) fit_labels: &'static str,
}

/// The keys of such a part, with one of its own.
pub(crate) const fn folder_keys<const ALL: usize>(docs: FolderDocs, own: &[Field]) -> [Field; ALL] {
    let files = [
        Field {
            default: None,
            ..file("path", docs.path)
        },
        file("labels", docs.labels),
        file("fit-path", docs.fit_path),
        file("fit-labels", docs.fit_labels),
    ];
    let pictures = [
        SIZE, CROP, CHANNELS, FIT_SHARE, SPLIT_SEED, LIMIT, UNREADABLE,
    ];
    assert!(files.len() + own.len() + pictures.len() == ALL);
    let mut all = [files[0]; ALL];
    let mut at = 0;
    while at < ALL {
        all[at] = if at < files.len() {
            files[at]
        } else if at < files.len() + own.len() {
            own[at - files.len()]
        } else {
            pictures[at - files.len() - own.len()]
        };
        at += 1;
    }
    all
}

/// A file or folder that may be left out.
const fn file(name: &'static str, doc: &'static str) -> Field {
    Field {
        name,
        takes: Takes::File,
        doc,
        default: Some(""),
    }
}

/// Where images and their labels are.
pub(crate) struct LabelledFolder {
    pub(crate) folder: PathBuf,
    /// Where the study says so.
    pub(crate) labels: Option<PathBuf>,
}

impl LabelledFolder {
    /// What is tested on: `path` and `labels`.
    pub(crate) fn to_test(params: &Params) -> LabelledFolder {
        LabelledFolder {
            folder: params.file("path"),
            labels: params.file_if("labels"),
        }
    }

    /// What is fitted on, where the study says so: `fit-path` and `fit-labels`.
    pub(crate) fn to_fit(params: &Params) -> Option<LabelledFolder> {
        Some(LabelledFolder {
            folder: params.file_if("fit-path")?,
            labels: params.file_if("fit-labels"),
        })
    }
}
