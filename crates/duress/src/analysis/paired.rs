//! A run opened for comparison with another: its meters, seeds and items.

use std::sync::Arc;

use duress_core::gauge::{Direction, Gauge, Meter, Undefined, Unit};

use super::answers::Answered;
use super::findings::Place;
use super::series::{self, Wanted};
use crate::ledger::{Ledger, Unreadable};
use crate::plan::{Cell, Plan};

pub(crate) use super::sample::Sampling;
pub(crate) use super::series::Series;

/// The answers of a run.
pub(crate) struct Run<'a> {
    plan: &'a Plan,
    answered: Answered,
}

/// A gauge at a place, opened.
pub(crate) struct Opened<'a> {
    plan: &'a Plan,
    wanted: Wanted,
    series: Series,
}

impl<'a> Run<'a> {
    /// Reads the ledger of a plan.
    pub(crate) fn read(plan: &'a Plan, ledger: &Ledger) -> Result<Run<'a>, Unreadable> {
        Ok(Run { plan, answered: Answered::read(plan, ledger)? })
    }

    /// Every gauge at every place, opened.
    pub(crate) fn opened(&self) -> Vec<Opened<'a>> {
        let wanted = series::wanted(self.plan).into_iter();
        wanted
            .map(|wanted| Opened { plan: self.plan, series: wanted.open(self.plan, &self.answered), wanted })
            .collect()
    }

    /// The seeds, in order.
    pub(crate) fn seeds(&self) -> &[u64] {
        &self.plan.study.seeds
    }

    /// The ids of the items an opened gauge reads for one seed.
    pub(crate) fn ids(&self, opened: &Opened<'_>, replicate: usize) -> Result<&[String], String> {
        let cell: Cell = opened.wanted.cell(replicate, None);
        self.answered
            .dataset(self.plan, cell)
            .map(|kept| kept.ids.as_slice())
            .ok_or("its items were not kept".into())
    }
}

impl Opened<'_> {
    /// Where.
    pub(crate) fn place(&self) -> &Place {
        &self.wanted.place
    }

    /// The gauge.
    pub(crate) fn gauge(&self) -> &str {
        &self.plan.study.gauges[self.wanted.gauge].name
    }

    /// What makes it the same thing in another run.
    pub(crate) fn name(&self) -> (&Place, &str) {
        (self.place(), self.gauge())
    }

    /// Whether an item is left out only because it has no answer, as for gauges of single cells.
    pub(crate) fn counts_answers(&self) -> bool {
        matches!(&*self.plan.gauges[self.wanted.gauge].gauge, Gauge::Cell(_))
    }

    /// Which way is better.
    pub(crate) fn direction(&self) -> Direction {
        self.plan.gauges[self.wanted.gauge].scale.direction
    }

    /// What can be resampled.
    pub(crate) fn unit(&self) -> Unit {
        self.series.unit
    }

    /// Whether every seed saw the same items.
    pub(crate) fn crossed(&self) -> bool {
        self.series.crossed
    }

    /// The meter of one seed.
    pub(crate) fn meter(&self, replicate: usize) -> Result<Arc<dyn Meter>, String> {
        self.series.meters[replicate].clone().map_err(|undefined| undefined.why)
    }
}

/// A meter on some of the items, in a given order.
pub(crate) struct Subset {
    meter: Arc<dyn Meter>,
    some: Vec<usize>,
    per_item: Option<Vec<Option<f64>>>,
}

impl Subset {
    /// The meter on the items at these positions.
    pub(crate) fn of(meter: &Arc<dyn Meter>, some: Vec<usize>) -> Arc<dyn Meter> {
        let per_item = meter.per_item().map(|all| some.iter().map(|&i| all[i]).collect());
        Arc::new(Subset { meter: Arc::clone(meter), some, per_item })
    }

    /// The weights of all items, where the others count nothing.
    fn among_all(&self, weights: &[u32]) -> Vec<u32> {
        let mut all = vec![0; self.meter.units()];
        self.some.iter().zip(weights).for_each(|(&i, &weight)| all[i] = weight);
        all
    }
}

impl Meter for Subset {
    fn units(&self) -> usize {
        self.some.len()
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        self.meter.read(&self.among_all(weights))
    }

    fn takes_part(&self, unit: usize) -> bool {
        self.meter.takes_part(self.some[unit])
    }

    fn in_population(&self, weights: &[u32]) -> Option<Result<f64, Undefined>> {
        self.meter.in_population(&self.among_all(weights))
    }

    fn per_item(&self) -> Option<&[Option<f64>]> {
        self.per_item.as_deref()
    }

    fn is_share(&self) -> bool {
        self.meter.is_share()
    }
}

/// Two meters on the same items.
type Both = (Arc<dyn Meter>, Arc<dyn Meter>);

/// Both meters on the items that take part in both: what only one of them answered says nothing about their difference.
pub(crate) fn answered_by_both(of: &Arc<dyn Meter>, against: &Arc<dyn Meter>) -> Result<Both, String> {
    let differ = |i: &usize| of.takes_part(*i) != against.takes_part(*i);
    if of.units() != against.units() || !(0..of.units()).any(|i| differ(&i)) {
        return Ok((Arc::clone(of), Arc::clone(against)));
    }
    let some: Vec<usize> = (0..of.units()).filter(|&i| of.takes_part(i) && against.takes_part(i)).collect();
    if some.is_empty() {
        return Err("no item was answered by both".into());
    }
    Ok((Subset::of(of, some.clone()), Subset::of(against, some)))
}

/// `of − against`, on the same weights.
pub(crate) fn difference(of: &Arc<dyn Meter>, against: &Arc<dyn Meter>) -> Arc<dyn Meter> {
    Arc::new(Difference { of: Arc::clone(of), against: Arc::clone(against) })
}

struct Difference {
    of: Arc<dyn Meter>,
    against: Arc<dyn Meter>,
}

impl Meter for Difference {
    fn units(&self) -> usize {
        self.of.units()
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        Ok(self.of.read(weights)? - self.against.read(weights)?)
    }

    fn takes_part(&self, unit: usize) -> bool {
        self.of.takes_part(unit) && self.against.takes_part(unit)
    }

    fn in_population(&self, weights: &[u32]) -> Option<Result<f64, Undefined>> {
        let (of, against) = (self.of.in_population(weights)?, self.against.in_population(weights)?);
        Some(of.and_then(|of| Ok(of - against?)))
    }
}

/// Two series on the items that both answered, seed by seed; `None` where they answered the same.
pub(crate) fn unequally_answered(of: &Series, against: &Series) -> Option<(Series, Series)> {
    let mut differ = false;
    let both = of.meters.iter().zip(&against.meters).map(|(left, right)| {
        let (left, right) = (left.as_ref().map_err(Clone::clone)?, right.as_ref().map_err(Clone::clone)?);
        let both = answered_by_both(left, right).map_err(Undefined::new);
        differ |= both.as_ref().map_or(true, |(of, _)| of.units() != left.units());
        both
    });
    let both: Vec<Result<Both, Undefined>> = both.collect();
    // Each seed then has items of its own.
    let series = |side: fn(&Both) -> &Arc<dyn Meter>| Series {
        meters: both.iter().map(|both| Ok(Arc::clone(side(both.as_ref().map_err(Clone::clone)?)))).collect(),
        unit: of.unit,
        crossed: false,
    };
    differ.then(|| (series(|both| &both.0), series(|both| &both.1)))
}
