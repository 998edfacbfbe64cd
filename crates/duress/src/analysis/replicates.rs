//! Meters of replicates that met the same items, read as a study reads them.

use std::sync::Arc;

use duress_core::gauge::{Ends, Meter, Unit};
use duress_findings::Quantity;

use super::clusters::Clusters;
use super::sample::{Sample, Sampling};
use super::series::Series;

/// One meter per replicate, all on the same items.
///
/// ```
/// use std::sync::Arc;
/// use duress::analysis::Replicates;
/// use duress_core::gauge::{Mean, Meter, SHARE};
///
/// let said = |right: [f64; 6]| Arc::new(Mean::share(right.map(Some).to_vec())) as Arc<dyn Meter>;
/// let meters = vec![
///     said([1.0, 1.0, 0.0, 1.0, 1.0, 0.0]),
///     said([1.0, 0.0, 0.0, 1.0, 1.0, 1.0]),
///     said([1.0, 1.0, 0.0, 0.0, 1.0, 1.0]),
/// ];
/// let found = Replicates::new(meters, SHARE).quantity(0.95);
/// assert_eq!(found.unit.to_string(), "6 items crossed with 3 seeds");
/// ```
pub struct Replicates {
    series: Series,
}

impl Replicates {
    /// Meters of a gauge whose values have these ends.
    pub fn new(meters: Vec<Arc<dyn Meter>>, ends: Ends) -> Replicates {
        Replicates {
            series: Series {
                meters: meters.into_iter().map(Ok).collect(),
                unit: Unit::Items,
                crossed: true,
                clusters: None,
                ends,
            },
        }
    }

    /// The same, where items with the same value in a column belong together.
    #[must_use]
    pub fn clustered_by(mut self, column: &str, values: &[String]) -> Replicates {
        let of_each = vec![Some(values); self.series.meters.len()];
        self.series.clusters = Clusters::of(column, &of_each, true).map(Arc::new);
        self
    }

    /// The mean over replicates, for new items and new replicates.
    pub fn quantity(&self, level: f64) -> Quantity {
        self.sample(level).quantity(level)
    }

    /// What this has more than another, item by item and replicate by replicate.
    pub fn difference(&self, against: &Replicates, level: f64) -> Quantity {
        let difference = self.sample(level).minus(&against.sample(level));
        difference.quantity(level)
    }

    fn sample(&self, level: f64) -> Sample {
        Sampling::of_replicates(level).sample(&self.series)
    }
}
