//! What was resampled: the units an interval is over.

use crate::tagged::tagged;

tagged! {
    /// What an interval is over, with how many there are.
    pub enum Resampled {
        /// Nothing is there to be resampled.
        Nothing = "nothing" => "nothing";
        /// The replicates.
        Seeds {
            /// How many.
            seeds: usize,
        } = "seeds" => "{seeds} seeds";
        /// The replicates, the items being kept.
        SeedsItemsKept {
            /// How many.
            seeds: usize,
        } = "seeds-items-kept" => "{seeds} seeds, for these items only";
        /// The replicates, of a gauge of the whole dataset, which is the same for all of them.
        SeedsOfOneDataset {
            /// How many.
            seeds: usize,
        } = "seeds-of-one-dataset" => "{seeds} seeds, for this data set only";
        /// The items, of the one seed of a study.
        ItemsOfOneSeed {
            /// How many.
            items: usize,
        } = "items-of-one-seed" => "{items} items, for this seed only";
        /// The items, of seeds that said the same of each.
        ItemsOfEqualSeeds {
            /// How many items.
            items: usize,
            /// How many seeds.
            seeds: usize,
        } = "items-of-equal-seeds" => "{items} items, for these {seeds} seeds only, which do not differ";
        /// The items, of one seed.
        Items {
            /// How many.
            items: usize,
        } = "items" => "{items} items";
        /// The items, the same for all seeds, which are kept.
        ItemsSeedsKept {
            /// How many items.
            items: usize,
            /// How many seeds.
            seeds: usize,
        } = "items-seeds-kept" => "{items} items, {seeds} seeds kept";
        /// The items, for these seeds and no others.
        ItemsForSeeds {
            /// How many items.
            items: usize,
            /// How many seeds.
            seeds: usize,
        } = "items-for-seeds" => "{items} items, for these {seeds} seeds only";
        /// The items of each seed, the seeds being kept.
        ItemsWithinSeeds {
            /// How many items, in the smallest seed.
            items: usize,
            /// How many seeds.
            seeds: usize,
        } = "items-within-seeds" => "{items} items within each of {seeds} seeds";
        /// Items and seeds, where every seed meets the same items.
        Crossed {
            /// How many items.
            items: usize,
            /// How many seeds.
            seeds: usize,
        } = "crossed" => "{items} items crossed with {seeds} seeds";
        /// Items and seeds, where every seed has items of its own.
        Nested {
            /// How many items, in the smallest seed.
            items: usize,
            /// How many seeds.
            seeds: usize,
        } = "nested" => "{items} items nested in {seeds} seeds";
        /// Clusters of items, of one seed.
        Clusters {
            /// How many clusters.
            clusters: usize,
            /// The column that says which.
            column: String,
            /// How many items.
            items: usize,
        } = "clusters" => "{clusters} clusters by {column} ({items} items)";
        /// Clusters of items, of the one seed of a study.
        ClustersOfOneSeed {
            /// How many clusters.
            clusters: usize,
            /// The column that says which.
            column: String,
            /// How many items.
            items: usize,
        } = "clusters-of-one-seed" => "{clusters} clusters by {column} ({items} items), for this seed only";
        /// Clusters of items, of seeds that said the same of each item.
        ClustersOfEqualSeeds {
            /// How many clusters.
            clusters: usize,
            /// The column that says which.
            column: String,
            /// How many items.
            items: usize,
            /// How many seeds.
            seeds: usize,
        } = "clusters-of-equal-seeds" => "{clusters} clusters by {column} ({items} items), for these {seeds} seeds only, which do not differ";
        /// Clusters of items, for these seeds and no others.
        ClustersForSeeds {
            /// How many clusters.
            clusters: usize,
            /// The column that says which.
            column: String,
            /// How many items.
            items: usize,
            /// How many seeds.
            seeds: usize,
        } = "clusters-for-seeds" => "{clusters} clusters by {column} ({items} items), for these {seeds} seeds only";
        /// Clusters of items, and seeds, where every seed meets the same clusters.
        CrossedClusters {
            /// How many clusters.
            clusters: usize,
            /// The column that says which.
            column: String,
            /// How many items.
            items: usize,
            /// How many seeds.
            seeds: usize,
        } = "crossed-clusters" => "{clusters} clusters by {column} ({items} items) crossed with {seeds} seeds";
    }
}

impl Resampled {
    /// The same sentence with the items called otherwise than by their number.
    ///
    /// ```
    /// use duress_findings::Resampled;
    /// let both = Resampled::Crossed { items: 40, seeds: 3 };
    /// assert_eq!(both.with_items_as("all of them"), "all of them crossed with 3 seeds");
    /// ```
    pub fn with_items_as(&self, items: &str) -> String {
        let whole = match self {
            Resampled::Items { .. }
            | Resampled::ItemsOfOneSeed { .. }
            | Resampled::ItemsOfEqualSeeds { .. }
            | Resampled::ItemsForSeeds { .. } => items.into(),
            Resampled::ItemsSeedsKept { seeds, .. } => format!("{items}, {seeds} seeds kept"),
            Resampled::ItemsWithinSeeds { seeds, .. } => {
                format!("{items} within each of {seeds} seeds")
            }
            Resampled::Crossed { seeds, .. } => format!("{items} crossed with {seeds} seeds"),
            Resampled::Nested { seeds, .. } => format!("{items} nested in {seeds} seeds"),
            Resampled::Clusters {
                clusters, column, ..
            }
            | Resampled::ClustersOfOneSeed {
                clusters, column, ..
            }
            | Resampled::ClustersOfEqualSeeds {
                clusters, column, ..
            }
            | Resampled::ClustersForSeeds {
                clusters, column, ..
            } => in_clusters(*clusters, column, items),
            Resampled::CrossedClusters {
                clusters,
                column,
                seeds,
                ..
            } => in_clusters(*clusters, column, items) + &format!(" crossed with {seeds} seeds"),
            Resampled::Nothing
            | Resampled::Seeds { .. }
            | Resampled::SeedsItemsKept { .. }
            | Resampled::SeedsOfOneDataset { .. }
            | Resampled::Other { .. } => return self.to_string(),
        };
        match self.narrower() {
            Some(only) => format!("{whole}, {only}"),
            None => whole,
        }
    }

    /// What it holds for, where that is less than new items and new seeds.
    ///
    /// ```
    /// use duress_findings::Resampled;
    /// let kept = Resampled::SeedsItemsKept { seeds: 3 };
    /// assert_eq!(kept.narrower().as_deref(), Some("for these items only"));
    /// assert_eq!(Resampled::Crossed { items: 40, seeds: 3 }.narrower(), None);
    /// ```
    pub fn narrower(&self) -> Option<String> {
        let only = match self {
            Resampled::SeedsItemsKept { .. } => "for these items only".into(),
            Resampled::SeedsOfOneDataset { .. } => "for this data set only".into(),
            Resampled::ItemsOfOneSeed { .. } | Resampled::ClustersOfOneSeed { .. } => {
                "for this seed only".into()
            }
            Resampled::ItemsOfEqualSeeds { seeds, .. }
            | Resampled::ClustersOfEqualSeeds { seeds, .. } => {
                format!("for these {seeds} seeds only, which do not differ")
            }
            Resampled::ItemsForSeeds { seeds, .. } | Resampled::ClustersForSeeds { seeds, .. } => {
                format!("for these {seeds} seeds only")
            }
            _ => return None,
        };
        Some(only)
    }
}

fn in_clusters(clusters: usize, column: &str, items: &str) -> String {
    format!("{clusters} clusters by {column} ({items})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_ways_to_say_it_agree() {
        let items = 7;
        let seeds = 3;
        let (clusters, column) = (2, || "patient".to_string());
        for unit in [
            Resampled::Nothing,
            Resampled::Seeds { seeds },
            Resampled::SeedsItemsKept { seeds },
            Resampled::Items { items },
            Resampled::ItemsOfOneSeed { items },
            Resampled::ItemsOfEqualSeeds { items, seeds },
            Resampled::ItemsSeedsKept { items, seeds },
            Resampled::ItemsForSeeds { items, seeds },
            Resampled::ItemsWithinSeeds { items, seeds },
            Resampled::Crossed { items, seeds },
            Resampled::Nested { items, seeds },
            Resampled::SeedsOfOneDataset { seeds },
            Resampled::Clusters {
                clusters,
                column: column(),
                items,
            },
            Resampled::ClustersOfOneSeed {
                clusters,
                column: column(),
                items,
            },
            Resampled::ClustersOfEqualSeeds {
                clusters,
                column: column(),
                items,
                seeds,
            },
            Resampled::ClustersForSeeds {
                clusters,
                column: column(),
                items,
                seeds,
            },
            Resampled::CrossedClusters {
                clusters,
                column: column(),
                items,
                seeds,
            },
        ] {
            assert_eq!(unit.with_items_as("7 items"), unit.to_string());
            let said = unit.to_string();
            let only = said.contains(" only");
            let narrower = unit.narrower();
            assert_eq!(only, narrower.is_some(), "{said}");
            assert!(narrower.is_none_or(|only| said.ends_with(&only)), "{said}");
        }
    }
}
