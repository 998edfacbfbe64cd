//! Where variance comes from: clusters, items, replicates, and what is left.
//!
//! An answer is taken to be `y_skj = μ + C_k + I_kj + R_s + (CR)_sk + E_skj`, of replicate s about
//! item j of cluster k. The analysis of variance of N items in K clusters of `n_k`, with S
//! replicates, `m = Σ n_k² / N` and `n₀ = (N − m)/(K − 1)`, has
//!
//! | source | mean square expects |
//! |---|---|
//! | clusters | `S n₀ σ²_C + n₀ σ²_CR + S σ²_I + σ²_E` |
//! | items within clusters | `S σ²_I + σ²_E` |
//! | replicates | `N σ²_R + m σ²_CR + σ²_E` |
//! | clusters × replicates | `n₀ σ²_CR + σ²_E` |
//! | what is left | `σ²_E` |
//!
//! and the squared standard error of the mean is
//! `σ²_C m/N + σ²_I/N + σ²_R/S + (σ²_CR m + σ²_E)/(NS)`. A variance that comes out below zero is
//! taken to be zero. With one replicate what is left cannot be told from the items.
//!
//! Source: S. R. Searle, G. Casella and C. E. McCulloch, *Variance Components* (1992), chapters 3
//! and 5.

use crate::components::Components;
use crate::moments::Moments;
use crate::{UndefinedReason, check};

/// What may have been drawn otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Factor {
    /// Clusters of items.
    Cluster,
    /// Items, within clusters where there are such.
    Item,
    /// Replicates.
    Replicate,
    /// Templates that each item was asked about with.
    Template,
    /// Neither alone: items with replicates, and chance.
    Rest,
}

/// How much one factor varies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Source {
    /// The factor.
    pub factor: Factor,
    /// Its share in the variance of one answer, as a variance.
    pub variance: f64,
    /// What it adds to the squared standard error of the mean over everything.
    pub error: f64,
}

impl Components {
    /// Where the variance of what a unit says comes from, in a design whose units are items or
    /// clusters.
    ///
    /// ```
    /// use duress_stats::components::Components;
    /// use duress_stats::sources::Factor;
    ///
    /// let said = [[1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 1.0, 1.0]];
    /// let added = |s: usize, j: usize| Some((said[s][j] - [0.5, 0.75][s]) / 4.0);
    /// let found = Components::crossed(&[0.5, 0.75], 4, added, None).unwrap();
    /// let sources = found.sources(Factor::Item);
    /// assert_eq!(sources.len(), 3);
    /// assert!(sources.iter().all(|source| source.variance >= 0.0));
    /// ```
    #[must_use]
    pub fn sources(&self, unit: Factor) -> Vec<Source> {
        let [of_units, of_replicates, rest] = self.variances();
        let n = self.units as f64;
        let s = self.replicates as f64;
        let source = |factor, variance: f64, count: f64| Source {
            factor,
            variance,
            error: variance / count,
        };
        let mut all = vec![source(unit, of_units, n)];
        if self.replicates > 1 {
            all.push(source(Factor::Replicate, of_replicates, s));
            all.push(source(Factor::Rest, rest, n * s));
        }
        all
    }
}

/// Where the variance of an answer comes from, where items belong to clusters: `readings` are one per
/// replicate, item j adds `added(s, j)` to each, and is of cluster `labels[j]`.
///
/// ```
/// use duress_stats::sources::{Factor, within_clusters};
///
/// // Items of one cluster are alike, clusters are not.
/// let said = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
/// let added = |_: usize, j: usize| Some((said[j] - 0.5) / 8.0);
/// let found = within_clusters(&[0.5], added, &[0, 0, 0, 1, 1, 1, 2, 2]).unwrap();
/// assert_eq!(found[0].factor, Factor::Cluster);
/// assert!(found[0].variance > found[1].variance);
/// ```
///
/// # Errors
/// No replicate, fewer than two clusters, as many clusters as items, or values that are not finite.
pub fn within_clusters(
    readings: &[f64],
    added: impl Fn(usize, usize) -> Option<f64>,
    labels: &[usize],
) -> Result<Vec<Source>, UndefinedReason> {
    let readings_of = Moments::from_values("replicates", readings, 1)?;
    let items = labels.len();
    let effects = Effects::new(readings.len(), labels, |s, j| {
        added(s, j).unwrap_or(0.0) * items as f64
    });
    let sizes = &effects.sizes;
    let clusters = sizes.iter().filter(|size| **size > 0.0).count();
    check::at_least("clusters", clusters, 2)?;
    check::at_least("items beside one of each cluster", items - clusters, 1)?;
    let n = items as f64;
    let k = clusters as f64;
    let s = readings.len() as f64;
    let Squares {
        clusters,
        items,
        both,
        rest,
    } = effects.squares(labels, |s, j| added(s, j).unwrap_or(0.0) * n);
    let per = |sum: f64, freedom: f64| if freedom > 0.0 { sum / freedom } else { 0.0 };
    let of_clusters = per(clusters, k - 1.0);
    let of_items = per(items, n - k);
    let of_both = per(both, (s - 1.0) * (k - 1.0));
    let of_rest = per(rest, (s - 1.0) * (n - k));
    let of_replicates = per(n * readings_of.sum_of_squares(), s - 1.0);
    let weighed = sizes.iter().map(|size| size * size).sum::<f64>() / n;
    let usual = (n - weighed) / (k - 1.0);
    check::finite("what items add", &[of_clusters, of_items, of_rest])?;
    let above_zero = |variance: f64| variance.max(0.0);
    let item = above_zero((of_items - of_rest) / s);
    let cluster = above_zero((of_clusters - of_items - of_both + of_rest) / (s * usual));
    let interaction = above_zero((of_both - of_rest) / usual);
    let replicate = above_zero((of_replicates - weighed * interaction - of_rest) / n);
    let source = |factor, variance, error| Source {
        factor,
        variance,
        error,
    };
    let of_left = (interaction * weighed + of_rest) / (n * s);
    let mut all = vec![
        source(Factor::Cluster, cluster, cluster * weighed / n),
        source(Factor::Item, item, item / n),
        source(Factor::Replicate, replicate, replicate / s),
        source(Factor::Rest, interaction + of_rest, of_left),
    ];
    if readings.len() == 1 {
        all.truncate(2);
    }
    Ok(all)
}

/// Means of what answers have more than the reading of their replicate.
struct Effects {
    replicates: usize,
    /// Items of each cluster.
    sizes: Vec<f64>,
    /// Of each item, over replicates.
    of_items: Vec<f64>,
    /// Of each cluster in each replicate, cluster by cluster.
    of_both: Vec<f64>,
    /// Of each cluster, over replicates.
    of_clusters: Vec<f64>,
}

/// Sums of squares.
struct Squares {
    clusters: f64,
    items: f64,
    both: f64,
    rest: f64,
}

impl Effects {
    fn new(replicates: usize, labels: &[usize], more: impl Fn(usize, usize) -> f64) -> Effects {
        let clusters = labels.iter().max().map_or(0, |last| last + 1);
        let mut found = Effects {
            replicates,
            sizes: vec![0.0; clusters],
            of_items: vec![0.0; labels.len()],
            of_both: vec![0.0; clusters * replicates],
            of_clusters: vec![0.0; clusters],
        };
        for (item, &label) in labels.iter().enumerate() {
            found.sizes[label] += 1.0;
            for replicate in 0..replicates {
                let value = more(replicate, item);
                found.of_items[item] += value / replicates as f64;
                found.of_both[label * replicates + replicate] += value;
            }
        }
        for (label, size) in found
            .sizes
            .iter()
            .enumerate()
            .filter(|(_, size)| **size > 0.0)
        {
            let own = &mut found.of_both[label * replicates..(label + 1) * replicates];
            own.iter_mut().for_each(|sum| *sum /= size);
            found.of_clusters[label] = own.iter().sum::<f64>() / replicates as f64;
        }
        found
    }

    fn squares(&self, labels: &[usize], more: impl Fn(usize, usize) -> f64) -> Squares {
        let mut squares = Squares {
            clusters: 0.0,
            items: 0.0,
            both: 0.0,
            rest: 0.0,
        };
        let s = self.replicates as f64;
        for (label, size) in self.sizes.iter().enumerate() {
            let of_cluster = self.of_clusters[label];
            squares.clusters += s * size * of_cluster * of_cluster;
            for replicate in 0..self.replicates {
                let apart = self.both(label, replicate) - of_cluster;
                squares.both += size * apart * apart;
            }
        }
        for (item, &label) in labels.iter().enumerate() {
            let apart = self.of_items[item] - self.of_clusters[label];
            squares.items += s * apart * apart;
            for replicate in 0..self.replicates {
                let own = more(replicate, item) - self.both(label, replicate) - apart;
                squares.rest += own * own;
            }
        }
        squares
    }

    fn both(&self, label: usize, replicate: usize) -> f64 {
        self.of_both[label * self.replicates + replicate]
    }
}
