//! What is drawn together: items, clusters of items, or items within strata.

use std::collections::HashMap;

use crate::random::RandomStream;
use crate::{UndefinedReason, check};

/// How items are drawn.
///
/// Clusters and strata are given by one label per item; labels are compared, nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Design<'a> {
    /// Items are independent: n draws out of n.
    Simple,
    /// Items with the same label are drawn together: as many draws as there are clusters.
    Clustered(&'a [usize]),
    /// Each stratum keeps its size: draws within each.
    Stratified(&'a [usize]),
}

/// A design made ready: strata of blocks of items. A block is what one draw picks.
#[derive(Debug)]
pub(super) enum Sampler {
    Items { n: u32 },
    Clusters { of_item: Vec<u32>, clusters: u32 },
    Strata { items: Vec<Vec<u32>> },
}

impl Sampler {
    pub(super) fn new(design: Design<'_>, units: usize) -> Result<Self, UndefinedReason> {
        check::at_least("units", units, 2)?;
        check::at_most("the number of units", units, u32::MAX as usize)?;
        match design {
            Design::Simple => Ok(Self::Items { n: units as u32 }),
            Design::Clustered(labels) => {
                let (of_item, clusters) = dense(labels, units)?;
                check::at_least("clusters", clusters as usize, 2)?;
                Ok(Self::Clusters { of_item, clusters })
            }
            Design::Stratified(labels) => {
                let (of_item, strata) = dense(labels, units)?;
                let mut items = vec![Vec::new(); strata as usize];
                of_item
                    .iter()
                    .enumerate()
                    .for_each(|(item, &s)| items[s as usize].push(item as u32));
                let smallest = items.iter().map(Vec::len).min().unwrap_or(0);
                check::at_least("items in a stratum", smallest, 2)?;
                Ok(Self::Strata { items })
            }
        }
    }

    pub(super) fn simple(&self) -> bool {
        matches!(self, Self::Items { .. })
    }

    pub(super) fn name(&self) -> String {
        match self {
            Self::Items { n } => format!("{n} items"),
            Self::Clusters { clusters, of_item } => {
                format!("{} items in {clusters} clusters", of_item.len())
            }
            Self::Strata { items } => {
                format!(
                    "{} items in {} strata",
                    items.iter().map(Vec::len).sum::<usize>(),
                    items.len()
                )
            }
        }
    }

    /// One resample of the data.
    pub(super) fn draw_weights(&self, stream: &mut RandomStream, weights: &mut [u32]) {
        weights.fill(0);
        match self {
            Self::Items { n } => stream.draw_below(*n, weights.len(), |i| weights[i as usize] += 1),
            Self::Clusters { of_item, clusters } => {
                let mut counts = vec![0; *clusters as usize];
                stream.draw_below(*clusters, counts.len(), |c| counts[c as usize] += 1);
                weigh_as_clusters(of_item, &counts, weights);
            }
            Self::Strata { items } => {
                for stratum in items {
                    let size = stratum.len();
                    stream.draw_below(size as u32, size, |i| {
                        weights[stratum[i as usize] as usize] += 1
                    });
                }
            }
        }
    }

    /// One resample of a resample, in which item `i` already counts `from[i]` times.
    pub(super) fn redraw(&self, stream: &mut RandomStream, from: &[u32], weights: &mut [u32]) {
        weights.fill(0);
        match self {
            Self::Items { .. } => {
                let drawn = repeated(0..from.len() as u32, |i| from[i as usize]);
                stream.draw_below(drawn.len() as u32, drawn.len(), |i| {
                    weights[drawn[i as usize] as usize] += 1
                });
            }
            Self::Clusters { of_item, clusters } => {
                let mut times = vec![0; *clusters as usize];
                of_item
                    .iter()
                    .zip(from)
                    .for_each(|(&c, &w)| times[c as usize] = w);
                let drawn = repeated(0..*clusters, |c| times[c as usize]);
                let mut counts = vec![0; *clusters as usize];
                stream.draw_below(drawn.len() as u32, drawn.len(), |i| {
                    counts[drawn[i as usize] as usize] += 1
                });
                weigh_as_clusters(of_item, &counts, weights);
            }
            Self::Strata { items } => {
                for stratum in items {
                    let drawn = repeated(stratum.iter().copied(), |i| from[i as usize]);
                    stream.draw_below(drawn.len() as u32, drawn.len(), |i| {
                        weights[drawn[i as usize] as usize] += 1
                    });
                }
            }
        }
    }

    /// Blocks by stratum, each block a list of items: what a jackknife leaves out.
    pub(super) fn blocks(&self) -> Vec<Vec<Vec<u32>>> {
        match self {
            Self::Items { n } => vec![(0..*n).map(|i| vec![i]).collect()],
            Self::Clusters { of_item, clusters } => {
                let mut blocks = vec![Vec::new(); *clusters as usize];
                of_item
                    .iter()
                    .enumerate()
                    .for_each(|(item, &c)| blocks[c as usize].push(item as u32));
                vec![blocks]
            }
            Self::Strata { items } => items
                .iter()
                .map(|s| s.iter().map(|&i| vec![i]).collect())
                .collect(),
        }
    }
}

/// Every item counts as often as its cluster.
fn weigh_as_clusters(of_item: &[u32], counts: &[u32], weights: &mut [u32]) {
    for (weight, &cluster) in weights.iter_mut().zip(of_item) {
        *weight = counts[cluster as usize];
    }
}

/// Each id as often as it counts.
fn repeated(ids: impl Iterator<Item = u32>, times: impl Fn(u32) -> u32) -> Vec<u32> {
    ids.flat_map(|id| std::iter::repeat_n(id, times(id) as usize))
        .collect()
}

/// Labels as 0, 1, 2, … in order of appearance.
fn dense(labels: &[usize], units: usize) -> Result<(Vec<u32>, u32), UndefinedReason> {
    if labels.len() != units {
        return Err(UndefinedReason::Unpaired {
            left: units,
            right: labels.len(),
        });
    }
    let mut seen = HashMap::new();
    let of_item = labels
        .iter()
        .map(|label| {
            let next = seen.len() as u32;
            *seen.entry(*label).or_insert(next)
        })
        .collect();
    Ok((of_item, seen.len() as u32))
}
