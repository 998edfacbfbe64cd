//! A meter alone: one gauge on one set of answers, without a plan around it.

use std::sync::Arc;

use duress_core::gauge::{Ends, Meter, Undefined, Unit};

use super::clusters::Clusters;
use super::sample::{Sampling, reading};
use super::series::Series;
use duress_findings::{AbsenceReason, IntervalMethod, Quantity, Resampled};

/// How it is resampled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resampling {
    pub(crate) level: f64,
    pub(crate) resamples: usize,
}

/// What a meter reads, with an interval over its items, or their clusters, if that is wanted.
pub(crate) fn quantity(
    meter: Result<Arc<dyn Meter>, Undefined>,
    (unit, ends): (Unit, Ends),
    clusters: Option<&Arc<Clusters>>,
    resampling: Option<Resampling>,
) -> Quantity {
    match resampling {
        Some(Resampling { level, resamples }) => {
            let series = Series {
                meters: vec![meter.map_err(AbsenceReason::from)],
                unit,
                crossed: true,
                clusters: clusters.filter(|_| unit == Unit::Items).cloned(),
                ends,
            };
            Sampling::alone(resamples, level)
                .sample(&series)
                .quantity(level)
        }
        None => once(meter.and_then(|meter| Ok((meter.plain()?, meter.taking_part())))),
    }
}

/// A plain reading and how many items took part in it, without an interval.
pub(crate) fn once(read: Result<(f64, usize), Undefined>) -> Quantity {
    let items = read.as_ref().map_or(0, |(_, items)| *items);
    let value = read.map(|(value, _)| value).map_err(AbsenceReason::from);
    Quantity::new(reading(&value), Err(AbsenceReason::NotAskedFor))
        .of(items, 1)
        .by(Resampled::Items { items }, IntervalMethod::None)
}
