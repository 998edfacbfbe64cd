//! Exhibits: worst items, before and after.

use duress_core::place::Place;
use serde::{Deserialize, Serialize};

/// One item, before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exhibit {
    /// Where.
    pub place: Place,
    /// The seed of the replicate.
    pub seed: u64,
    /// The item; for a graph, the dataset.
    pub item: String,
    /// What is true of it, in words.
    pub truth: String,
    /// What was said of it when clean.
    pub said_clean: String,
    /// What was said of it under stress.
    pub said_pressed: String,
    /// What it looks like.
    pub sight: Sight,
}

/// What an exhibit looks like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sight {
    /// An image, channels × height × width, each value 0–255.
    Image {
        /// Channels, height, width.
        shape: [usize; 3],
        /// Before stress.
        before: Vec<u8>,
        /// Under stress.
        after: Vec<u8>,
        /// Where what was said of it comes from, by some methods.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        maps: Vec<MapPair>,
    },
    /// A text.
    Text {
        /// Before stress.
        before: String,
        /// Under stress.
        after: String,
    },
    /// A graph, learned beside true.
    Graph {
        /// The variables.
        variables: Vec<String>,
        /// The true edges.
        truth: Vec<(u32, u32)>,
        /// The edges learned when clean.
        clean: Vec<(u32, u32)>,
        /// The edges learned under stress.
        pressed: Vec<(u32, u32)>,
        /// How often each edge was chosen, over the seeds, where all of them had the same truth;
        /// else none.
        #[serde(default)]
        shares: Option<EdgeShares>,
    },
}

/// The maps of an image before and under stress, by one method.
///
/// Each value is a share of the largest absolute value of its own map, from −127 to 127: a reader
/// sees where a map points, and how strongly is for gauges to say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapPair {
    /// What was asked.
    pub asked: String,
    /// How many rows a map has.
    pub height: usize,
    /// How many columns.
    pub width: usize,
    /// Before stress, row by row.
    pub before: Vec<i8>,
    /// Under stress.
    pub after: Vec<i8>,
}

/// How often edges were chosen over several seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EdgeShares {
    /// How many seeds answered both clean and under stress.
    pub seeds: usize,
    /// Each edge that was chosen at all when clean, with the share of seeds that chose it.
    pub clean: Vec<((u32, u32), f64)>,
    /// The same under stress.
    pub pressed: Vec<((u32, u32), f64)>,
}
