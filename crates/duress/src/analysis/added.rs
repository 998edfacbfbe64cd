//! What each item adds to a reading: exact where the reading is a mean, else from leaving it out.

use std::sync::Arc;

use duress_core::gauge::Meter;

/// Items are left out one by one up to this many, then in as many groups: enough for the error to be
/// known within a few percent.
const GROUPS: usize = 400;

/// What the units of one reading add to it: items, or the groups they were left out in.
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
    /// What units add to the plain reading of a meter. `None` where it does not exist without some
    /// of them.
    pub(super) fn of(meter: &Arc<dyn Meter>, value: f64) -> Option<Added> {
        match meter.per_item() {
            Some(values) => Some(Added::OfMean {
                meter: Arc::clone(meter),
                mean: value,
                taking_part: values.iter().flatten().count() as f64,
            }),
            None => left_out(meter, value).map(Added::LeftOut),
        }
    }

    /// How many units there are.
    pub(super) fn units(&self) -> usize {
        match self {
            Added::OfMean { meter, .. } => meter.units(),
            Added::LeftOut(groups) => groups.len(),
        }
    }

    /// What one unit adds.
    pub(super) fn by(&self, unit: usize) -> Option<f64> {
        match self {
            Added::OfMean {
                meter,
                mean,
                taking_part,
            } => {
                let values = meter.per_item()?;
                values[unit].map(|value| (value - mean) / taking_part)
            }
            Added::LeftOut(groups) => groups[unit],
        }
    }
}

fn left_out(meter: &Arc<dyn Meter>, value: f64) -> Option<Vec<Option<f64>>> {
    let items = meter.units();
    let groups = items.min(GROUPS);
    let mut weights = vec![1; items];
    let mut without = Vec::with_capacity(groups);
    for group in 0..groups {
        let members = || (group..items).step_by(groups);
        if !members().any(|item| meter.takes_part(item)) {
            without.push(None);
            continue;
        }
        members().for_each(|item| weights[item] = 0);
        without.push(Some(meter.read(&weights).ok()?));
        members().for_each(|item| weights[item] = 1);
    }
    let taking_part = without.iter().flatten().count() as f64;
    let mean = without.iter().flatten().sum::<f64>() / taking_part;
    let share = (taking_part - 1.0) / taking_part;
    // A reading that leaving out does not move is the mean of what is left already.
    debug_assert!(value.is_finite() && mean.is_finite());
    let added = |without: Option<f64>| without.map(|without| share * (mean - without));
    Some(without.into_iter().map(added).collect())
}
