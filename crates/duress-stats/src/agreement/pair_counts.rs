//! Counts of pairs: how often one rater said a category where the other said another.

use crate::{UndefinedReason, check};

/// How often each pair of categories was said.
///
/// ```
/// use duress_stats::agreement::PairCounts;
/// let counts = PairCounts::of_pairs(2, &[(0, 0), (1, 1), (1, 0)]).unwrap();
/// assert_eq!(counts.at(1, 0), 1);
/// assert_eq!(counts.observed_agreement(), Ok(2.0 / 3.0));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairCounts {
    categories: usize,
    /// Row by row: what the first said, then what the second said.
    counts: Vec<u64>,
}

impl PairCounts {
    /// Counts pairs of categories, each below `categories`.
    ///
    /// # Errors
    /// A category that does not exist.
    pub fn of_pairs(categories: usize, pairs: &[(usize, usize)]) -> Result<Self, UndefinedReason> {
        let mut counts = vec![0; categories * categories];
        for (one, other) in pairs {
            let largest = *one.max(other);
            if largest >= categories {
                return Err(UndefinedReason::OutOfRange {
                    what: "a category",
                    value: largest as f64,
                    expected: "below the number of categories",
                });
            }
            counts[one * categories + other] += 1;
        }
        Ok(PairCounts { categories, counts })
    }

    /// Counts that are known, row by row.
    ///
    /// # Errors
    /// Not as many as categories squared.
    pub fn of_counts(categories: usize, counts: &[u64]) -> Result<Self, UndefinedReason> {
        match counts.len() == categories * categories {
            true => Ok(PairCounts {
                categories,
                counts: counts.to_vec(),
            }),
            false => Err(UndefinedReason::Unpaired {
                left: counts.len(),
                right: categories * categories,
            }),
        }
    }

    /// How many categories there are.
    #[must_use]
    pub fn categories(&self) -> usize {
        self.categories
    }

    /// How often the first said `one` where the second said `other`.
    #[must_use]
    pub fn at(&self, one: usize, other: usize) -> u64 {
        self.counts[one * self.categories + other]
    }

    /// How many pairs there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// How often each said each category.
    #[must_use]
    pub fn margins(&self) -> (Vec<u64>, Vec<u64>) {
        let all = || 0..self.categories;
        let one = all().map(|i| all().map(|j| self.at(i, j)).sum()).collect();
        let other = all().map(|j| all().map(|i| self.at(i, j)).sum()).collect();
        (one, other)
    }

    /// The share of pairs in which both said the same.
    ///
    /// # Errors
    /// No pair.
    pub fn observed_agreement(&self) -> Result<f64, UndefinedReason> {
        check::at_least("pairs", self.total() as usize, 1)?;
        let same: u64 = (0..self.categories).map(|i| self.at(i, i)).sum();
        Ok(same as f64 / self.total() as f64)
    }
}

/// Kendall's τ-b of two ratings on ordered categories.
///
/// # Errors
/// One of the two always said the same.
pub fn pair_tau(counts: &PairCounts) -> Result<f64, UndefinedReason> {
    let k = counts.categories();
    let mut concordant = 0.0;
    let mut discordant = 0.0;
    // Sums of all counts above and to the left, and above and to the right, of each cell.
    let mut above = vec![0_u64; k];
    for i in 0..k {
        let mut left = 0;
        let mut right: u64 = above.iter().sum();
        for (j, over) in above.iter().enumerate() {
            right -= over;
            let here = counts.at(i, j) as f64;
            concordant += here * left as f64;
            discordant += here * right as f64;
            left += over;
        }
        for (j, over) in above.iter_mut().enumerate() {
            *over += counts.at(i, j);
        }
    }
    let pairs = |n: u64| n as f64 * (n as f64 - 1.0) / 2.0;
    let (one, other) = counts.margins();
    let all = pairs(counts.total());
    let untied = |margin: &[u64]| all - margin.iter().map(|n| pairs(*n)).sum::<f64>();
    let scale = libm::sqrt(untied(&one)) * libm::sqrt(untied(&other));
    match scale > 0.0 {
        true => Ok((concordant - discordant) / scale),
        false => Err(UndefinedReason::NoSpread {
            what: "the ratings of one rater",
        }),
    }
}
