//! What each item adds to a reading: exact where the reading is a mean, else from leaving it out.

use std::sync::Arc;

use duress_core::gauge::Meter;

/// Units are left out one by one up to this many, then in as many groups: enough for the error to be
/// known within a few percent.
pub(super) const GROUPS: usize = 400;

/// What the units of one reading add to it: items, or the groups of items, or of clusters, that they
/// were left out in.
pub(super) enum Added {
    /// A mean: `(value − mean) / n` for each item that takes part.
    OfMean {
        meter: Arc<dyn Meter>,
        mean: f64,
        taking_part: f64,
    },
    /// Another reading: what it has more with the group than without, centred; `None` where nobody
    /// of the group takes part.
    LeftOut(Vec<Option<f64>>),
}

impl Added {
    /// What units add to the plain reading of a meter, whose items are of these clusters out of so
    /// many. `None` where the reading does not exist without some of them.
    pub(super) fn of(
        meter: &Arc<dyn Meter>,
        value: f64,
        clusters: Option<(&[usize], usize)>,
    ) -> Option<Added> {
        match meter.per_item() {
            Some(values) => Some(Added::OfMean {
                meter: Arc::clone(meter),
                mean: value,
                taking_part: values.iter().flatten().count() as f64,
            }),
            None => left_out(meter, &groups(meter.units(), clusters)).map(Added::LeftOut),
        }
    }

    /// Whether what clusters add is still to be summed over their items.
    fn is_of_items(&self) -> bool {
        matches!(self, Added::OfMean { .. })
    }

    fn values(&self) -> AddedValues<'_> {
        match self {
            Added::OfMean {
                meter,
                mean,
                taking_part,
            } => AddedValues {
                values: meter.per_item().unwrap_or_default(),
                centre: *mean,
                divisor: *taking_part,
            },
            Added::LeftOut(groups) => AddedValues {
                values: groups,
                centre: 0.0,
                divisor: 1.0,
            },
        }
    }
}

/// What each unit adds to a reading, as numbers that lie in a row: `(value − centre) / divisor`.
#[derive(Clone, Copy)]
struct AddedValues<'a> {
    values: &'a [Option<f64>],
    centre: f64,
    divisor: f64,
}

/// What units add to every reading that a sample is made of.
pub(super) struct AddedTable<'a> {
    /// By seed and part of the sample, with the weight of the part.
    readings: Vec<Vec<(f64, AddedValues<'a>)>>,
    /// By seed, the cluster of each unit, where units are items of clusters.
    labels: Option<Vec<&'a [usize]>>,
    units: usize,
}

impl<'a> AddedTable<'a> {
    /// From parts with their weights, each with what units add for every seed, and the clusters of
    /// items by seed. `None` where parts are not about as many units.
    pub(super) fn new(
        parts: &[(f64, Vec<&'a Added>)],
        clusters: Option<Vec<&'a [usize]>>,
    ) -> Option<AddedTable<'a>> {
        let mut all = parts.iter().flat_map(|(_, added)| added);
        let of_items = all.all(|added| added.is_of_items());
        let seeds = parts.first()?.1.len();
        let reading = |seed: usize| {
            let of_part = |(weight, added): &(f64, Vec<&'a Added>)| (*weight, added[seed].values());
            parts.iter().map(of_part).collect()
        };
        let table = AddedTable {
            units: parts.first()?.1.first()?.values().values.len(),
            readings: (0..seeds).map(reading).collect(),
            labels: clusters.filter(|_| of_items),
        };
        table.is_of_one_shape().then_some(table)
    }

    /// Seeds may have items of their own where these are of clusters.
    fn is_of_one_shape(&self) -> bool {
        let labels = self.labels.as_ref();
        let units = |seed: usize| labels.map_or(self.units, |labels| labels[seed].len());
        let mut seeds = self.readings.iter().enumerate();
        seeds.all(|(seed, parts)| {
            let mut lengths = parts.iter().map(|(_, added)| added.values.len());
            lengths.all(|length| length == units(seed))
        })
    }

    /// How many units there are; of clusters, items of the first seed.
    pub(super) fn units(&self) -> usize {
        self.units
    }

    /// By seed, the cluster of each unit, where units are items of clusters.
    pub(super) fn labels(&self) -> Option<&[&'a [usize]]> {
        self.labels.as_deref()
    }

    /// What one unit adds to the reading of one seed.
    pub(super) fn added(&self, seed: usize, unit: usize) -> Option<f64> {
        let each = self.readings[seed].iter().filter_map(|(weight, added)| {
            let value = added.values[unit]?;
            Some(weight * ((value - added.centre) / added.divisor))
        });
        each.reduce(|a, b| a + b)
    }
}

/// The items of each group: of a single one, or of every 400th where there are more than that many;
/// of clusters likewise.
fn groups(items: usize, clusters: Option<(&[usize], usize)>) -> Vec<Vec<usize>> {
    let units = clusters.map_or(items, |(_, count)| count);
    let mut groups = vec![Vec::new(); units.min(GROUPS)];
    for item in 0..items {
        let unit = clusters.map_or(item, |(labels, _)| labels[item]);
        groups[unit % GROUPS].push(item);
    }
    groups
}

fn left_out(meter: &Arc<dyn Meter>, groups: &[Vec<usize>]) -> Option<Vec<Option<f64>>> {
    let mut weights = vec![1; meter.units()];
    let mut without = Vec::with_capacity(groups.len());
    for members in groups {
        if !members.iter().any(|&item| meter.takes_part(item)) {
            without.push(None);
            continue;
        }
        members.iter().for_each(|&item| weights[item] = 0);
        without.push(Some(meter.read(&weights).ok()?));
        members.iter().for_each(|&item| weights[item] = 1);
    }
    let taking_part = without.iter().flatten().count() as f64;
    let mean = without.iter().flatten().sum::<f64>() / taking_part;
    let share = (taking_part - 1.0) / taking_part;
    // A reading that leaving out does not move is the mean of what is left already.
    debug_assert!(mean.is_finite());
    let added = |without: Option<f64>| without.map(|without| share * (mean - without));
    Some(without.into_iter().map(added).collect())
}
