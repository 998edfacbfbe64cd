//! Groups with their scores under stress: their means, how far these spread, and how far they would
//! by chance.

use duress_core::gauge::{Group, GroupSpread, Undefined};
use duress_core::seed::Seed;

use crate::order::frame::degradation::RungScores;
use crate::order::frame::group_evenness::Normalize;

/// An item's position, and the sum and number of its scores under stress.
#[derive(Clone, Copy)]
struct ScoredItem {
    item: usize,
    sum: f64,
    count: f64,
}

/// Groups of items by a column, with what each scores under stress.
pub(crate) struct ScoredGroups {
    /// By group: its name and its items.
    members: Vec<(String, Vec<ScoredItem>)>,
    /// By item: whether it is in one of them.
    in_group: Vec<bool>,
    normalize: Normalize,
}

impl ScoredGroups {
    /// The groups; items without a score under stress are in none.
    pub(crate) fn of(
        scores: &RungScores,
        groups: Vec<(String, Vec<usize>)>,
        normalize: Normalize,
    ) -> ScoredGroups {
        let scored = |item: usize| {
            let (sum, count) = scores
                .of_item(item)
                .fold((0.0, 0.0), |(sum, n), score| (sum + score, n + 1.0));
            (count > 0.0).then_some(ScoredItem { item, sum, count })
        };
        let of = |(name, items): (String, Vec<usize>)| {
            (name, items.into_iter().filter_map(scored).collect())
        };
        let members: Vec<(String, Vec<ScoredItem>)> = groups.into_iter().map(of).collect();
        let mut in_group = vec![false; scores.items()];
        for member in members.iter().flat_map(|(_, members)| members) {
            in_group[member.item] = true;
        }
        ScoredGroups {
            members,
            in_group,
            normalize,
        }
    }

    /// Whether an item is in one of them.
    pub(crate) fn has(&self, item: usize) -> bool {
        self.in_group[item]
    }

    /// 1 − the normalized spread of the means.
    pub(crate) fn s_struct(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let means = self.means(weights)?;
        self.normalized(population_sd(&means), &means)
    }

    /// The same of a spread without the sampling variance of the means.
    pub(crate) fn net_s_struct(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let means = self.means(weights)?;
        self.normalized(self.net_spread(&means, weights)?, &means)
    }

    fn normalized(&self, spread: f64, means: &[f64]) -> Result<f64, Undefined> {
        let least = means.iter().copied().fold(f64::INFINITY, f64::min);
        let range = means.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least;
        match self.normalize {
            Normalize::Half => Ok(1.0 - spread / 0.5),
            Normalize::Range if range == 0.0 => Err(Undefined::new(
                "all groups have the same mean: there is no range to divide by",
            )),
            Normalize::Range => Ok(1.0 - spread / range),
        }
    }

    /// The mean score of each group over its items and their arrangements.
    fn means(&self, weights: &[u32]) -> Result<Vec<f64>, Undefined> {
        let mean = |(name, members): &(String, Vec<ScoredItem>)| {
            mean_of(members, weights).ok_or_else(|| {
                Undefined::new(format!(
                    "no item of group `{name}` has a score under stress"
                ))
            })
        };
        self.members.iter().map(mean).collect()
    }

    /// The spread of the means without what sampling adds to it: over draws of items, the variance of K means about
    /// their own centre is larger by (1 − 1/K) times the mean of their squared standard errors.
    fn net_spread(&self, means: &[f64], weights: &[u32]) -> Result<f64, Undefined> {
        let mut errors = 0.0;
        for ((name, members), mean) in self.members.iter().zip(means) {
            errors += squared_error(members, *mean, weights).ok_or_else(|| {
                Undefined::new(format!(
                    "group `{name}` has one item: how far its mean is off is not known"
                ))
            })?;
        }
        let groups = means.len() as f64;
        let spread = population_sd(means);
        let by_sampling = (1.0 - 1.0 / groups) * errors / groups;
        Ok(libm::sqrt((spread * spread - by_sampling).max(0.0)))
    }

    /// The groups' means and their spread, beside what shuffled labels give.
    pub(crate) fn beside_chance(
        &self,
        items: usize,
        shuffles: usize,
    ) -> Result<GroupSpread, Undefined> {
        let weights = vec![1; items];
        let means = self.means(&weights)?;
        let spread = population_sd(&means);
        let found = self.normalized(spread, &means)?;
        let mut everyone: Vec<ScoredItem> = self
            .members
            .iter()
            .flat_map(|(_, members)| members.iter().copied())
            .collect();
        let mut draws = Seed::new(0).child("s-struct").child("shuffles").draws();
        let mut floor = 0.0;
        let mut as_far = 0;
        for _ in 0..shuffles {
            draws.shuffle(&mut everyone);
            let means = self.dealt_means(&everyone);
            let read = self.normalized(population_sd(&means), &means)?;
            floor += read;
            as_far += usize::from(read <= found + 1e-12);
        }
        let group = |((name, members), mean): (&(String, Vec<ScoredItem>), &f64)| Group {
            name: name.clone(),
            n: members.len(),
            value: Ok(*mean),
        };
        Ok(GroupSpread {
            groups: self.members.iter().zip(&means).map(group).collect(),
            spread,
            net_spread: self.net_spread(&means, &weights).ok(),
            floor: floor / shuffles as f64,
            p: (1 + as_far) as f64 / (1 + shuffles) as f64,
            shuffles,
        })
    }

    /// The means of groups of the same sizes, when items are dealt to them in this order.
    fn dealt_means(&self, everyone: &[ScoredItem]) -> Vec<f64> {
        let mut rest = everyone;
        let mut means = Vec::with_capacity(self.members.len());
        for (_, members) in &self.members {
            let (own, after) = rest.split_at(members.len());
            rest = after;
            let sum: f64 = own.iter().map(|member| member.sum).sum();
            let count: f64 = own.iter().map(|member| member.count).sum();
            means.push(sum / count);
        }
        means
    }
}

/// The mean over items and arrangements; none where nothing counts.
fn mean_of(members: &[ScoredItem], weights: &[u32]) -> Option<f64> {
    let mut sum = 0.0;
    let mut count = 0.0;
    for member in members {
        let weight = f64::from(weights[member.item]);
        sum += member.sum * weight;
        count += member.count * weight;
    }
    (count > 0.0).then(|| sum / count)
}

/// The squared standard error of such a mean, items being drawn; none of one item.
fn squared_error(members: &[ScoredItem], mean: f64, weights: &[u32]) -> Option<f64> {
    let mut squares = 0.0;
    let mut count = 0.0;
    let mut items = 0.0;
    for member in members {
        let weight = f64::from(weights[member.item]);
        let off = member.sum - mean * member.count;
        squares += off * off * weight;
        count += member.count * weight;
        items += weight;
    }
    (items > 1.0).then(|| squares / (count * count) * items / (items - 1.0))
}

fn population_sd(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let centre = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|value| (value - centre).powi(2));
    libm::sqrt(squares.sum::<f64>() / n)
}
