//! Clusters: items that belong together, as those of one patient do, and are therefore left out and
//! drawn together.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::plan::clusters::is_absent;

/// Which cluster each item is of, for every replicate.
///
/// Clusters are numbered as they first occur, over all replicates: a number means one cluster
/// everywhere. There are none of this type where no two items share a cluster: such items are
/// independent, and counted so.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clusters {
    /// The column that says which.
    column: Arc<str>,
    /// By replicate, the cluster of each of its items.
    labels: Vec<Arc<[usize]>>,
    /// How many there are.
    count: usize,
}

impl Clusters {
    /// The clusters that a column tells, by the values it has for the items of each replicate; a
    /// replicate whose items are not known has none. `same_items` says that all replicates have the
    /// same. `None` where every item is a cluster of its own.
    pub(crate) fn of(
        column: &str,
        values: &[Option<&[String]>],
        same_items: bool,
    ) -> Option<Clusters> {
        let mut numbers = ClusterNumbers::default();
        let mut labels: Vec<Arc<[usize]>> = Vec::new();
        for own in values {
            let known = labels.iter().find(|known| same_items && !known.is_empty());
            labels.push(match (known, own) {
                (Some(known), Some(_)) => Arc::clone(known),
                (_, own) => own
                    .unwrap_or_default()
                    .iter()
                    .map(|value| numbers.of_value(value))
                    .collect(),
            });
        }
        Clusters {
            column: column.into(),
            labels,
            count: numbers.next,
        }
        .if_shared(same_items)
    }

    /// The same on some of the items of each replicate, by their positions.
    pub(crate) fn subset(&self, some: &[Vec<usize>], same_items: bool) -> Option<Clusters> {
        let mut numbers = HashMap::new();
        let mut number = |cluster: usize| {
            let next = numbers.len();
            *numbers.entry(cluster).or_insert(next)
        };
        let labels = self.labels.iter().zip(some);
        let labels = labels
            .map(|(own, some)| some.iter().map(|&item| number(own[item])).collect())
            .collect();
        Clusters {
            column: Arc::clone(&self.column),
            labels,
            count: numbers.len(),
        }
        .if_shared(same_items)
    }

    /// The same of some replicates.
    pub(crate) fn of_replicates(&self, replicates: &[usize]) -> Clusters {
        let labels = replicates.iter().map(|&at| Arc::clone(&self.labels[at]));
        Clusters {
            column: Arc::clone(&self.column),
            labels: labels.collect(),
            count: self.count,
        }
    }

    /// The clusters of one replicate; none where no two of its items share one.
    pub(super) fn of_replicate(&self, replicate: usize) -> Option<Clusters> {
        let all = (0..self.labels[replicate].len()).collect();
        self.of_replicates(&[replicate]).subset(&[all], true)
    }

    fn if_shared(self, same_items: bool) -> Option<Clusters> {
        let sizes = self.labels.iter().map(|own| own.len());
        let items = match same_items {
            true => sizes.max().unwrap_or(0),
            false => sizes.sum(),
        };
        (self.count < items).then_some(self)
    }

    /// The column that says which cluster an item is of.
    pub(super) fn column(&self) -> &str {
        &self.column
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// How many clusters of one size would say as much, `(Σn)²/Σn²`: fewer, the more unequal they
    /// are.
    pub(super) fn effective_count(&self) -> f64 {
        let mut sizes = vec![0.0; self.count];
        self.labels
            .iter()
            .flat_map(|own| own.iter())
            .for_each(|&cluster| sizes[cluster] += 1.0);
        let (sum, squares) = sizes.iter().fold((0.0, 0.0), |(sum, squares), n: &f64| {
            (sum + n, squares + n * n)
        });
        sum * sum / squares
    }

    /// The cluster of each item of a replicate.
    pub(super) fn labels(&self, replicate: usize) -> &[usize] {
        &self.labels[replicate]
    }

    /// Whether replicates with items of their own have them from the same clusters: those are then
    /// crossed with the replicates, though the items are not.
    pub(super) fn cross_replicates(&self) -> bool {
        let mut seen = HashSet::new();
        let own = |labels: &Arc<[usize]>| labels.iter().copied().collect::<HashSet<usize>>();
        let mut lists = self.labels.iter().map(own);
        lists.any(|own| own.into_iter().any(|cluster| !seen.insert(cluster)))
    }

    /// How often each item of a replicate counts when each cluster counts so often.
    pub(super) fn weights_of_items(&self, replicate: usize, of_clusters: &[u32]) -> Vec<u32> {
        let labels = self.labels[replicate].iter();
        labels.map(|&cluster| of_clusters[cluster]).collect()
    }
}

/// Numbers for values, as they come; an item without a value is a cluster of its own.
#[derive(Default)]
struct ClusterNumbers<'a> {
    known: HashMap<&'a str, usize>,
    next: usize,
}

impl<'a> ClusterNumbers<'a> {
    fn of_value(&mut self, value: &'a str) -> usize {
        let next = self.next;
        let number = match is_absent(value) {
            true => next,
            false => *self.known.entry(value.trim()).or_insert(next),
        };
        self.next += usize::from(number == next);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).into()).collect()
    }

    #[test]
    fn a_number_means_one_cluster_in_every_replicate() {
        let first = texts(&["a", "b", "a"]);
        let second = texts(&["c", "b"]);
        let nested = Clusters::of("who", &[Some(&first), Some(&second)], false).unwrap();
        assert_eq!(nested.labels(0), [0, 1, 0]);
        assert_eq!(nested.labels(1), [2, 1]);
        assert_eq!((nested.count(), nested.cross_replicates()), (3, true));
        let apart = Clusters::of("who", &[Some(&first), Some(&texts(&["c", "c"]))], false);
        assert!(!apart.unwrap().cross_replicates());
    }

    #[test]
    fn an_item_without_a_value_is_a_cluster_of_its_own_and_clusters_of_one_are_none() {
        let values = texts(&["a", "", " a ", "NaN", "n/a"]);
        let found = Clusters::of("who", &[Some(&values)], true).unwrap();
        assert_eq!(found.labels(0), [0, 1, 0, 2, 3]);
        let single = texts(&["a", "b", ""]);
        assert_eq!(Clusters::of("who", &[Some(&single)], true), None);
        assert_eq!(
            Clusters::of("who", &[Some(&single), Some(&single)], true),
            None
        );
    }

    #[test]
    fn a_subset_has_the_clusters_of_its_items_only() {
        let values = texts(&["a", "b", "b", "c", "c"]);
        let all = Clusters::of("who", &[Some(&values), None], true).unwrap();
        let some = all.subset(&[vec![1, 2, 4], vec![]], true).unwrap();
        assert_eq!((some.labels(0), some.count()), (&[0, 0, 1][..], 2));
        assert_eq!(all.subset(&[vec![0, 1, 3], vec![]], true), None);
        assert_eq!(some.weights_of_items(0, &[3, 1]), [3, 3, 1]);
    }
}
