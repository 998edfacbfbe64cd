//! Gathers images on the threads there are, in the order they are listed, whoever is done first.

use std::sync::{Mutex, PoisonError};

use duress_core::data::{Images, Inputs, Items, Split};
use duress_core::mask::Masks;
use duress_core::problem::Problem;
use duress_core::truth::{Labels, Truth};
use duress_stats::parallel::crew;

use super::Wanted;
use super::picture::Picture;

/// An item that is yet to be read.
#[derive(Clone, Debug)]
pub(crate) struct ImageEntry<T> {
    /// Its id.
    pub(crate) id: String,
    /// Its class, as a position among the classes.
    pub(crate) label: u32,
    /// Items of one group stay on one side when the items are divided; `None` for an item that is a
    /// group of its own.
    pub(crate) group: Option<String>,
    /// Its values in the columns of its pile.
    pub(crate) values: Vec<String>,
    /// Where its picture comes from.
    pub(crate) from: T,
}

/// Items with their images as they will be seen.
#[derive(Debug, Default)]
pub(crate) struct Pile {
    pub(super) shape: [usize; 3],
    /// The columns that its items have values in.
    pub(super) columns: Vec<String>,
    pub(super) items: Vec<Gathered>,
    pub(super) remarks: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Gathered {
    pub(super) id: String,
    pub(super) label: u32,
    pub(super) group: Option<String>,
    values: Vec<String>,
    /// The height and width of its picture before it was framed.
    pub(super) size: [usize; 2],
    shape: [usize; 3],
    pub(super) pixels: Vec<f32>,
    /// The places of what its label is about, where masks were read.
    pub(super) mask: Option<Vec<bool>>,
}

/// How many files that cannot be read a message names.
const NAMED: usize = 200;

/// Reads all entries, on all cores: each is turned into a picture, framed, and kept. `what` is what
/// the entries are from, for messages.
pub(crate) fn gather<T: Send>(
    what: &str,
    entries: impl Iterator<Item = Result<ImageEntry<T>, Problem>> + Send,
    wanted: &Wanted,
    picture: impl Fn(T) -> Result<Picture, Problem> + Sync,
) -> Result<Pile, Problem> {
    let read = in_parallel(entries, |entry| {
        let ImageEntry {
            id,
            label,
            group,
            values,
            from,
        } = entry?;
        let picture = picture(from)?;
        let size = [picture.height, picture.width];
        let (shape, pixels) = wanted.frame.fit(picture);
        Ok(Gathered {
            id,
            label,
            group,
            values,
            size,
            shape,
            pixels,
            mask: None,
        })
    });
    let count = read.len();
    let mut pile = Pile::default();
    let mut problems: Vec<Problem> = Vec::new();
    for one in read {
        match one {
            Ok(item) => pile.items.push(item),
            Err(problem) => problems.push(problem),
        }
    }
    if let Some(problem) = unreadable(what, count, &problems) {
        match wanted.leave_out {
            true => pile.remarks.push(problem.message),
            false => {
                return Err(problem.hint(
                    "mend or remove them, or leave them out with `unreadable = \"leave-out\"`",
                ));
            }
        }
    }
    pile.alike(what)
}

fn unreadable(what: &str, of: usize, problems: &[Problem]) -> Option<Problem> {
    let mut lines: Vec<String> = problems
        .iter()
        .take(NAMED)
        .map(|problem| format!("\n  {problem}"))
        .collect();
    if problems.len() > NAMED {
        lines.push(format!("\n  … and {} more", problems.len() - NAMED));
    }
    let count = problems.len();
    (count > 0).then(|| {
        Problem::new(format!(
            "{count} of {of} images of {what} cannot be read:{}",
            lines.concat()
        ))
    })
}

/// `work` on everything in `list`, on the threads there are; results in the order of the list. Whoever is free
/// takes the next.
pub(super) fn in_parallel<T: Send, R: Send>(
    list: impl Iterator<Item = T> + Send,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let list = Mutex::new(list.enumerate());
    let next = || list.lock().unwrap_or_else(PoisonError::into_inner).next();
    let some = || {
        let mut done = Vec::new();
        while let Some((at, one)) = next() {
            done.push((at, work(one)));
        }
        done
    };
    let mut done: Vec<(usize, R)> = crew(usize::MAX, some).into_iter().flatten().collect();
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

impl Pile {
    /// Takes this pile only if all its images are of one shape.
    fn alike(mut self, what: &str) -> Result<Pile, Problem> {
        let Some(first) = self.items.first() else {
            return Err(Problem::new(format!("there is no image in {what}")));
        };
        self.shape = first.shape;
        let size = |[channels, height, width]: [usize; 3]| {
            format!("{width} × {height} with {channels} channels")
        };
        match self.items.iter().find(|item| item.shape != first.shape) {
            Some(odd) => Err(Problem::new(format!(
                "the images of {what} are not alike: `{}` is {}, `{}` is {}",
                first.id,
                size(first.shape),
                odd.id,
                size(odd.shape)
            ))
            .hint("`size = …` and `channels = …` bring them all to one shape")),
            None => Ok(self),
        }
    }

    /// Says what the columns are called that items have values in.
    #[must_use]
    pub(crate) fn with_columns(self, columns: &[String]) -> Pile {
        Pile {
            columns: columns.to_vec(),
            ..self
        }
    }

    /// Whether some items are of one group.
    pub(crate) fn is_grouped(&self) -> bool {
        let mut seen = std::collections::HashSet::new();
        let mut groups = self.items.iter().filter_map(|item| item.group.as_ref());
        groups.any(|group| !seen.insert(group))
    }

    /// Adds something a reader of the report should know.
    #[must_use]
    pub(crate) fn with_remarks(mut self, remarks: impl IntoIterator<Item = String>) -> Pile {
        self.remarks.extend(remarks);
        self
    }

    /// Both together; their images must be of one shape.
    #[must_use]
    pub(crate) fn and(mut self, more: Pile) -> Pile {
        assert_eq!(
            self.shape, more.shape,
            "files of one form hold images of one shape"
        );
        self.items.extend(more.items);
        self.with_remarks(more.remarks)
    }

    pub(super) fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The items with their labels sealed. Images are let go of one by one as they are put
    /// together, so no two copies are held.
    pub(super) fn split(self, classes: &[String]) -> Result<Split, Problem> {
        let labels: Vec<u32> = self.items.iter().map(|item| item.label).collect();
        let names = labels
            .iter()
            .map(|&label| classes[label as usize].clone())
            .collect();
        let mut pixels =
            Vec::with_capacity(self.items.len() * self.shape.iter().product::<usize>());
        let mut ids = Vec::with_capacity(self.items.len());
        let mut columns: Vec<(String, Vec<String>)> = self
            .columns
            .into_iter()
            .map(|name| (name, Vec::new()))
            .collect();
        let mut masks: Vec<Vec<bool>> = Vec::new();
        for item in self.items {
            masks.extend(item.mask);
            ids.push(item.id);
            pixels.extend(item.pixels);
            let values = columns.iter_mut().zip(item.values);
            values.for_each(|((_, column), value)| column.push(value));
        }
        let items = Items::new(ids, Inputs::Images(Images::new(self.shape, pixels)?))?;
        let labels = Labels::new(classes.to_vec(), labels).map_err(Problem::new)?;
        let labels = match masks.is_empty() {
            true => labels,
            false => {
                let [_, height, width] = self.shape;
                let masks = Masks::new([height, width], &masks).map_err(Problem::new)?;
                labels.with_masks(masks).map_err(Problem::new)?
            }
        };
        let split = Split::new(items, Truth::Labels(labels))?;
        Ok(split.with_columns(columns).with_column("class", names))
    }
}
