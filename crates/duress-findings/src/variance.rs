//! Where the variance behind a number comes from.

use serde::{Deserialize, Serialize};

duress_core::words! {
    /// What may have been drawn otherwise.
    pub enum VarianceSource {
        /// Clusters of items.
        Cluster = "cluster",
        /// Items, within clusters where there are such; with one replicate, also what is left.
        Item = "item",
        /// Replicates.
        Replicate = "replicate",
        /// Answers of one replicate about one item, asked again.
        Repeat = "repeat",
        /// Templates of a question.
        Template = "template",
        /// None of these alone: items with replicates, and chance.
        Rest = "rest",
    }
}

/// How much of the variance comes from one source.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VariancePart {
    /// The source.
    pub source: VarianceSource,
    /// Of one answer; of a gauge that is no mean, of what one item or cluster adds, times their
    /// number.
    pub variance: f64,
    /// Its share of the variance of one answer.
    pub share: f64,
    /// Its share of the squared standard error of the number: what more items, clusters or
    /// replicates would lessen.
    pub error_share: f64,
}

impl VariancePart {
    /// The parts of these sources, each with its variance and what it adds to the squared error;
    /// none where nothing varies.
    ///
    /// ```
    /// use duress_findings::{VariancePart, VarianceSource};
    /// let found = [(VarianceSource::Item, 0.375, 0.003), (VarianceSource::Replicate, 0.125, 0.001)];
    /// let parts = VariancePart::all(&found);
    /// assert_eq!((parts[0].share, parts[1].error_share), (0.75, 0.25));
    /// ```
    pub fn all(found: &[(VarianceSource, f64, f64)]) -> Vec<VariancePart> {
        let (variance, error) = found
            .iter()
            .fold((0.0, 0.0), |(sum, errors), (_, variance, error)| {
                (sum + variance, errors + error)
            });
        if !(variance > 0.0 && error > 0.0) {
            return Vec::new();
        }
        let part = |&(source, own, own_error): &(VarianceSource, f64, f64)| VariancePart {
            source,
            variance: own,
            share: own / variance,
            error_share: own_error / error,
        };
        found.iter().map(part).collect()
    }
}
