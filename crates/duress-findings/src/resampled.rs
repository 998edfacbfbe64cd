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
        match self {
            Resampled::Items { .. } => items.into(),
            Resampled::ItemsOfOneSeed { .. } => format!("{items}, for this seed only"),
            Resampled::ItemsOfEqualSeeds { seeds, .. } => {
                format!("{items}, for these {seeds} seeds only, which do not differ")
            }
            Resampled::ItemsSeedsKept { seeds, .. } => format!("{items}, {seeds} seeds kept"),
            Resampled::ItemsForSeeds { seeds, .. } => {
                format!("{items}, for these {seeds} seeds only")
            }
            Resampled::ItemsWithinSeeds { seeds, .. } => {
                format!("{items} within each of {seeds} seeds")
            }
            Resampled::Crossed { seeds, .. } => format!("{items} crossed with {seeds} seeds"),
            Resampled::Nested { seeds, .. } => format!("{items} nested in {seeds} seeds"),
            Resampled::Nothing
            | Resampled::Seeds { .. }
            | Resampled::SeedsItemsKept { .. }
            | Resampled::Other { .. } => self.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_ways_to_say_it_agree() {
        let (items, seeds) = (7, 3);
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
        ] {
            assert_eq!(unit.with_items_as("7 items"), unit.to_string());
        }
    }
}
