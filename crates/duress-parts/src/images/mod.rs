//! Images from files: decoded, brought to one size, and divided into what is fitted and what is
//! tested on.
//!
//! Every part that reads images does it through here. Items are read one by one on all cores and
//! kept as they will be seen, so what is held is the finished set (4 bytes per value) and, for each
//! core, one file with its picture; the files together are never held.

pub mod decode;
mod divide;
mod frame;
mod gather;
mod labelled_folder;
mod listing;
mod masks;
pub mod picture;
mod records;
mod resize;

use duress_core::data::Dataset;
use duress_core::part::{Field, Params, Takes};
use duress_core::problem::Problem;
use duress_core::seed::Seed;
use duress_core::word::Word;

use divide::{divide, without_twins};
pub use frame::{Channels, Frame};
pub(crate) use gather::{ImageEntry, Pile, gather};
pub(crate) use labelled_folder::{FolderDocs, LabelledFolder, folder_keys};
pub(crate) use listing::{folder_of, images_below};
pub(crate) use masks::{MASKS, MaskFolder, masked};
pub(crate) use records::{Records, Stream};

/// The key `size`.
pub(crate) const SIZE: Field = Field {
    name: "size",
    takes: Takes::Whole(1, 8192),
    doc: "the side of the square that every image is brought to; when left out, images stay as they are and must be equally large",
    default: Some(""),
};

/// The key `crop`.
pub(crate) const CROP: Field = Field {
    name: "crop",
    takes: Takes::Choice(Crop::spellings),
    doc: "whether an image that is not square is stretched, or its shorter side brought to `size` and the middle taken",
    default: Some("none"),
};

/// The key `channels`, for files whose images need not be alike.
pub(crate) const CHANNELS: Field = Field {
    name: "channels",
    takes: Takes::Choice(Channels::spellings),
    doc: "what images become: colour, with grey ones repeated, or grey",
    default: Some("rgb"),
};

/// The key `channels`, for files whose images are all alike.
pub(crate) const CHANNELS_AS_THEY_ARE: Field = Field {
    doc: "what images become; when left out, they stay as they are",
    default: Some(""),
    ..CHANNELS
};

/// The key `fit`, for what comes with files to fit on.
pub(crate) const FIT: Field = Field {
    name: "fit",
    takes: Takes::Flag,
    doc: "whether to read the training files, to fit on",
    default: Some("true"),
};

/// The key `fit-share`.
pub(crate) const FIT_SHARE: Field = Field {
    name: "fit-share",
    takes: Takes::Number(0.0, 0.95),
    doc: "the share of the items that subjects are fitted on, chosen by content",
    default: Some("0"),
};

/// The key `split-seed`.
pub(crate) const SPLIT_SEED: Field = Field {
    name: "split-seed",
    takes: Takes::Whole(0, i64::MAX),
    doc: "another number divides, and limits, in another way; the study's seeds do not",
    default: Some("0"),
};

/// The key `limit`.
pub(crate) const LIMIT: Field = Field {
    name: "limit",
    takes: Takes::Whole(1, i64::MAX),
    doc: "at most this many items of each folder or file, chosen by id; a larger limit keeps what a smaller one chose",
    default: Some(""),
};

/// The key `unreadable`.
pub(crate) const UNREADABLE: Field = Field {
    name: "unreadable",
    takes: Takes::Choice(UnreadableImages::spellings),
    doc: "what to do when images cannot be read: name them all and stop, or go on without them and say so in the report",
    default: Some("refuse"),
};

duress_core::words! {
    /// What becomes of an image that is not square.
    enum Crop {
        /// It is stretched.
        None = "none",
        /// Its middle is taken.
        Centre = "centre",
    }
}

duress_core::words! {
    /// What is done about images that cannot be read.
    enum UnreadableImages {
        /// All are named, and that is the end.
        Refuse = "refuse",
        /// The others are taken.
        LeaveOut = "leave-out",
    }
}

/// What the keys shared by all parts that read images say.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// How every image is to look.
    pub(crate) frame: Frame,
    limit: Option<usize>,
    leave_out: bool,
    fit_share: f64,
    seed: Seed,
}

impl Wanted {
    /// From the keys above; those a part has not are taken as left out.
    pub(crate) fn new(params: &Params) -> Result<Wanted, Problem> {
        let frame = Frame {
            size: params.count_if("size"),
            crop: params.choice_if("crop") == Some(Crop::Centre),
            channels: params.choice_if("channels"),
        };
        if frame.crop && frame.size.is_none() {
            return Err(Problem::new("`crop` without `size`")
                .expected("the side of what is taken, as `size = …`"));
        }
        Ok(Wanted {
            frame,
            limit: params.count_if("limit"),
            leave_out: params.choice_if("unreadable") == Some(UnreadableImages::LeaveOut),
            fit_share: params.number_if("fit-share").unwrap_or(0.0),
            seed: Seed::new(params.count_if("split-seed").unwrap_or(0) as u64),
        })
    }

    /// Which of these items are read, in their order: all, or as many as the limit, chosen by id.
    pub(crate) fn limited(&self, ids: &[String]) -> Vec<usize> {
        let all = 0..ids.len();
        let Some(limit) = self.limit.filter(|&limit| limit < ids.len()) else {
            return all.collect();
        };
        let seed = self.seed.child("limit");
        let mut chosen: Vec<(u64, usize)> = all
            .map(|i| (seed.child(&ids[i]).draws().bits64(), i))
            .collect();
        chosen.sort_unstable();
        chosen.truncate(limit);
        let mut chosen: Vec<usize> = chosen.into_iter().map(|(_, i)| i).collect();
        chosen.sort_unstable();
        chosen
    }

    /// The dataset: `fit` beside `test` where both were read, without what is in both, else `test`
    /// divided as the keys say.
    pub(crate) fn dataset(
        &self,
        classes: &[String],
        test: Pile,
        fit: Option<Pile>,
    ) -> Result<Dataset, Problem> {
        let (fit, test) = match fit {
            Some(fit) => (Some(without_twins(fit, &test)), test),
            None => divide(test, self.fit_share, self.seed.child("divide")),
        };
        let remarks: Vec<String> = fit.iter().chain([&test]).flat_map(Pile::remarks).collect();
        let fit = fit
            .filter(|fit| !fit.is_empty())
            .map(|fit| fit.split(classes))
            .transpose()?;
        let dataset = Dataset::new(fit, test.split(classes)?)?;
        Ok(remarks.into_iter().fold(dataset, Dataset::with_remark))
    }
}
