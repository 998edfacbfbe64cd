//! A folder of images, and the table of their labels if there is one.

use std::path::PathBuf;

use duress_core::part::Params;

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
