//! Inputs: what a subject sees of the items, of one kind for all of them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::images::Images;
use super::text::Text;
use super::windows::Windows;

/// What the items of a dataset look like to a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputKind {
    /// Nothing is known but the ids: the answers were recorded elsewhere.
    Unseen,
    /// Images.
    Images,
    /// Windows of a multivariate time series.
    Windows,
    /// Texts.
    Texts,
}

impl fmt::Display for InputKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InputKind::Unseen => "items known by id only",
            InputKind::Images => "images",
            InputKind::Windows => "windows",
            InputKind::Texts => "texts",
        })
    }
}

/// What a subject sees of the items.
#[derive(Clone, Debug, PartialEq)]
pub enum Inputs {
    /// Nothing; this many items.
    Unseen(usize),
    /// Images in [0, 1].
    Images(Images),
    /// Windows of a multivariate time series, some values hidden.
    Windows(Windows),
    /// One text per item.
    Texts(Vec<Text>),
}

impl Inputs {
    /// What kind they are.
    pub fn kind(&self) -> InputKind {
        match self {
            Inputs::Unseen(_) => InputKind::Unseen,
            Inputs::Images(_) => InputKind::Images,
            Inputs::Windows(_) => InputKind::Windows,
            Inputs::Texts(_) => InputKind::Texts,
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Inputs::Unseen(n) => *n,
            Inputs::Images(images) => images.len(),
            Inputs::Windows(windows) => windows.len(),
            Inputs::Texts(texts) => texts.len(),
        }
    }

    pub(super) fn select(&self, which: &[usize]) -> Inputs {
        match self {
            Inputs::Unseen(_) => Inputs::Unseen(which.len()),
            Inputs::Images(images) => Inputs::Images(images.select(which)),
            Inputs::Windows(windows) => Inputs::Windows(windows.select(which)),
            Inputs::Texts(texts) => {
                Inputs::Texts(which.iter().map(|&i| texts[i].clone()).collect())
            }
        }
    }

    /// Gives the content of item `i` to `sink`, byte by byte the same on every platform.
    pub(super) fn feed_item(&self, i: usize, sink: &mut dyn FnMut(&[u8])) {
        match self {
            Inputs::Unseen(_) => {}
            Inputs::Images(images) => images.image(i).iter().for_each(|p| sink(&p.to_le_bytes())),
            Inputs::Windows(windows) => windows.feed_window(i, sink),
            Inputs::Texts(texts) => texts[i].feed(sink),
        }
    }

    /// Gives what is not in any one item to `sink`: the kind, the shape, the names.
    pub(super) fn feed_shape(&self, sink: &mut dyn FnMut(&[u8])) {
        sink(self.kind().to_string().as_bytes());
        match self {
            Inputs::Unseen(_) | Inputs::Texts(_) => {}
            Inputs::Images(images) => {
                images
                    .shape()
                    .iter()
                    .for_each(|&size| sink(&(size as u64).to_le_bytes()));
            }
            Inputs::Windows(windows) => {
                sink(&(windows.steps() as u64).to_le_bytes());
                windows
                    .variables()
                    .iter()
                    .for_each(|name| sink(name.as_bytes()));
            }
        }
    }
}
