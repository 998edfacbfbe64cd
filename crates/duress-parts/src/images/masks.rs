//! Masks of images from files: where in each image the thing is that its label is about.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use duress_core::part::{Field, Takes};
use duress_core::problem::Problem;

use super::gather::{Gathered, Pile, in_parallel};
use super::picture::{Depth, Picture};
use super::{Frame, decode, folder_of, images_below};

/// How many masks that cannot be used a message names, and how many images without one a remark.
const NAMED: usize = 5;

/// The key `masks` of what reads folders of images.
pub(crate) const MASKS: Field = Field {
    name: "masks",
    takes: Takes::File,
    doc: "a folder with a mask for each image tested on, for gauges of where maps lie; an image without one takes no part in them",
    default: Some(""),
};

/// A folder of masks: which file is the mask of which image.
pub(crate) struct MaskFolder {
    folder: PathBuf,
    by_image: BTreeMap<String, PathBuf>,
}

impl MaskFolder {
    /// The masks below a folder; `image` says of the path of each, without its ending, which image it
    /// is about, and nothing of a file that is no mask.
    pub(crate) fn read(
        folder: &Path,
        image: impl Fn(&str) -> Option<String>,
    ) -> Result<MaskFolder, Problem> {
        let (files, _) = images_below(folder_of(folder)?)?;
        let mut by_image = BTreeMap::new();
        for file in files {
            let inside = file.strip_prefix(folder).unwrap_or(&file);
            let inside = inside.with_extension("");
            let Some(about) = image(&inside.to_string_lossy().replace('\\', "/")) else {
                continue;
            };
            if let Some(other) = by_image.insert(about.clone(), file.clone()) {
                let wrong = format!("`{about}` has a second mask, `{}`", other.display());
                return Err(Problem::new(wrong)
                    .expected("one mask for each image")
                    .in_file(&file));
            }
        }
        Ok(MaskFolder {
            folder: folder.into(),
            by_image,
        })
    }

    /// The images with their masks; `named` says how an item's mask is called.
    pub(crate) fn mask(
        &self,
        pile: Pile,
        frame: Frame,
        named: impl Fn(&str) -> String + Sync,
    ) -> Result<Pile, Problem> {
        let own: BTreeSet<String> = pile.items.iter().map(|item| named(&item.id)).collect();
        let others = self.by_image.keys().filter(|name| !own.contains(*name));
        let others = others.count();
        let remark = (others > 0).then(|| format!("{others} masks belong to no image tested on"));
        let of = |id: &str| match self.by_image.get(&named(id)) {
            Some(file) => decode::read(file).map(|picture| Some((picture, file.clone()))),
            None => Ok(None),
        };
        let masked = masked(pile, frame, of).map_err(|problem| match problem.file {
            Some(_) => problem,
            None => problem.in_file(&self.folder),
        })?;
        Ok(masked.with_remarks(remark))
    }
}

/// The images with their masks, each brought to where its image is brought. `of` finds the mask of an
/// item by its id, and the file it is from; an item without one has a mask that nothing lies on.
pub(crate) fn masked(
    mut pile: Pile,
    frame: Frame,
    of: impl Fn(&str) -> Result<Option<(Picture, PathBuf)>, Problem> + Sync,
) -> Result<Pile, Problem> {
    let read = in_parallel(pile.items.iter(), |item| match of(&item.id)? {
        Some((picture, file)) => {
            let mask = fitted(picture, frame, item);
            mask.map(Some).map_err(|problem| problem.in_file(&file))
        }
        None => Ok(None),
    });
    let mut problems = Vec::new();
    let mut without = Vec::new();
    let places = pile.shape[1] * pile.shape[2];
    for (item, mask) in pile.items.iter_mut().zip(read) {
        match mask {
            Ok(Some(mask)) => item.mask = Some(mask),
            Ok(None) => {
                without.push(item.id.clone());
                item.mask = Some(vec![false; places]);
            }
            Err(problem) => problems.push(problem),
        }
    }
    if let Some(problem) = wrong_masks(problems) {
        return Err(problem);
    }
    match without.len() {
        0 => Ok(pile),
        all if all == pile.items.len() => Err(Problem::new("no image has a mask")
            .expected(format!("one for `{}` and the others", without[0]))),
        some => {
            let named = without[..some.min(NAMED)].join(", ");
            let more = if some > NAMED { " …" } else { "" };
            let remark = format!(
                "{some} of {} images have no mask and take no part in gauges of where maps lie: {named}{more}",
                pile.items.len()
            );
            Ok(pile.with_remarks([remark]))
        }
    }
}

/// All masks that cannot be used, as one problem.
fn wrong_masks(mut problems: Vec<Problem>) -> Option<Problem> {
    let count = problems.len();
    match count {
        0 => None,
        1 => problems.pop(),
        _ => {
            let named = problems.iter().take(NAMED);
            let lines: String = named.map(|problem| format!("\n  {problem}")).collect();
            let more = match count.saturating_sub(NAMED) {
                0 => String::new(),
                more => format!("\n  … and {more} more"),
            };
            Some(Problem::new(format!(
                "{count} masks cannot be used:{lines}{more}"
            )))
        }
    }
}

/// The places of a mask as its image is seen: of those that cover a place in part, what covers half
/// of it counts.
fn fitted(picture: Picture, frame: Frame, item: &Gathered) -> Result<Vec<bool>, Problem> {
    let picture = picture.grey();
    let size = [picture.height, picture.width];
    if size != item.size {
        let [height, width] = size;
        let wrong = format!("the mask of `{}` is {width} × {height}", item.id);
        let [height, width] = item.size;
        return Err(Problem::new(wrong).expected(format!("{width} × {height}, as its image is")));
    }
    let inside = picture.samples.iter().find(|sample| **sample != 0.0);
    let third = picture
        .samples
        .iter()
        .find(|sample| **sample != 0.0 && Some(*sample) != inside);
    if let (Some(one), Some(other)) = (inside, third) {
        let wrong = format!(
            "the mask of `{}` has the values 0, {one} and {other}",
            item.id
        );
        return Err(Problem::new(wrong)
            .expected("two values: 0 beside the thing, another on it")
            .hint("a mask that was saved as JPEG has more: save it as PNG"));
    }
    let samples = picture.samples.iter();
    let samples = samples.map(|sample| f32::from(u8::from(*sample != 0.0)));
    let binary = Picture {
        depth: Depth::Real,
        samples: samples.collect(),
        ..picture
    };
    let frame = Frame {
        channels: None,
        ..frame
    };
    let (_, values) = frame.fit(binary);
    Ok(values.into_iter().map(|value| value >= 0.5).collect())
}
