//! Leave-one-out values, from which BCa takes its acceleration.

use super::design::Sampler;
use crate::statistic::Statistic;
use crate::{UndefinedReason, parallel};

/// Beyond this many blocks, and without an exact short cut, blocks are left out in groups.
const GROUPS: usize = 1000;

/// Values without each block in turn, by stratum.
pub(super) struct Jackknife {
    pub(super) strata: Vec<Vec<f64>>,
    /// What the method's name must add, empty when every block was left out on its own.
    pub(super) note: String,
}

impl Jackknife {
    pub(super) fn leaving_one_out<S: Statistic + ?Sized>(
        statistic: &S,
        sampler: &Sampler,
        threads: usize,
    ) -> Result<Self, UndefinedReason> {
        if let Some(values) = short_cut(statistic, sampler) {
            return Ok(Self {
                strata: values?,
                note: String::new(),
            });
        }
        let blocks = sampler.blocks();
        let all: usize = blocks.iter().map(Vec::len).sum();
        let size = all.div_ceil(GROUPS).max(1);
        let left_out: Vec<Vec<Vec<u32>>> = blocks
            .iter()
            .map(|stratum| grouped(stratum, size))
            .collect();
        let strata = left_out
            .iter()
            .map(|groups| without_each(statistic, groups, threads));
        let note = match size {
            1 => String::new(),
            _ => format!(
                " (grouped jackknife, {} groups)",
                left_out.iter().map(Vec::len).sum::<usize>()
            ),
        };
        Ok(Self {
            strata: strata.collect::<Result<_, _>>()?,
            note,
        })
    }
}

/// The statistic's own leave-one-out values, when blocks are single items.
fn short_cut<S: Statistic + ?Sized>(
    statistic: &S,
    sampler: &Sampler,
) -> Option<Result<Vec<Vec<f64>>, UndefinedReason>> {
    if matches!(sampler, Sampler::Clusters { .. }) {
        return None;
    }
    let values = match statistic
        .leave_one_out()?
        .into_iter()
        .collect::<Result<Vec<f64>, _>>()
    {
        Ok(values) => values,
        Err(why) => return Some(Err(why)),
    };
    Some(Ok(match sampler {
        Sampler::Strata { items } => items
            .iter()
            .map(|s| s.iter().map(|&i| values[i as usize]).collect())
            .collect(),
        _ => vec![values],
    }))
}

/// Blocks dealt out like cards, so that sorted data do not make groups of a kind. At least two
/// groups remain.
fn grouped(blocks: &[Vec<u32>], size: usize) -> Vec<Vec<u32>> {
    let count = blocks.len().div_ceil(size).max(2).min(blocks.len());
    let mut groups = vec![Vec::new(); count];
    blocks
        .iter()
        .enumerate()
        .for_each(|(i, block)| groups[i % count].extend(block));
    groups
}

fn without_each<S: Statistic + ?Sized>(
    statistic: &S,
    groups: &[Vec<u32>],
    threads: usize,
) -> Result<Vec<f64>, UndefinedReason> {
    let set = |weights: &mut [u32], group: &[u32], to: u32| {
        group.iter().for_each(|&i| weights[i as usize] = to)
    };
    let scratch = || vec![1; statistic.units()];
    let values = parallel::map_with_state(groups.len(), threads, scratch, |weights, g| {
        set(weights, &groups[g], 0);
        let value = statistic.at_weights(weights);
        set(weights, &groups[g], 1);
        value
    });
    values.into_iter().collect()
}
