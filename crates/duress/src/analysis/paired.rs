//! A run opened for comparison with another: its meters, seeds and items.

use std::collections::BTreeSet;
use std::sync::Arc;

use duress_core::gauge::{Direction, Meter, Undefined, Unit};

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

    /// The ids of the items without an answer in any cell that an opened gauge reads for one seed.
    pub(crate) fn unanswered(&self, opened: &Opened<'_>, replicate: usize) -> Result<Vec<&str>, String> {
        let ids = self.ids(opened, replicate)?;
        let absent = opened.wanted.unanswered(self.plan, &self.answered, replicate);
        Ok(absent.into_iter().filter_map(|i| ids.get(i)).map(String::as_str).collect())
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

/// A meter that some items do not count in, whatever their weight: draws of items stay the same for all seeds and sides.
pub(crate) struct Masked {
    meter: Arc<dyn Meter>,
    out: BTreeSet<usize>,
    per_item: Option<Vec<Option<f64>>>,
}

impl Masked {
    /// The meter without these items.
    pub(crate) fn of(meter: &Arc<dyn Meter>, out: &BTreeSet<usize>) -> Arc<dyn Meter> {
        let value = |(i, value): (usize, &Option<f64>)| value.filter(|_| !out.contains(&i));
        let per_item = meter.per_item().map(|all| all.iter().enumerate().map(value).collect());
        Arc::new(Masked { meter: Arc::clone(meter), out: out.clone(), per_item })
    }

    fn without(&self, weights: &[u32]) -> Vec<u32> {
        let mut kept = weights.to_vec();
        self.out.iter().for_each(|&i| kept[i] = 0);
        kept
    }
}

impl Meter for Masked {
    fn units(&self) -> usize {
        self.meter.units()
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        self.meter.read(&self.without(weights))
    }

    fn plain(&self) -> Result<f64, Undefined> {
        match self.out.len() == self.units() {
            true => Err(Undefined::new("no item was answered by both")),
            false => self.read(&vec![1; self.units()]),
        }
    }

    fn in_population(&self, weights: &[u32]) -> Option<Result<f64, Undefined>> {
        self.meter.in_population(&self.without(weights))
    }

    fn takes_part(&self, unit: usize) -> bool {
        self.meter.takes_part(unit) && !self.out.contains(&unit)
    }

    fn per_item(&self) -> Option<&[Option<f64>]> {
        self.per_item.as_deref()
    }

    fn is_share(&self) -> bool {
        self.meter.is_share()
    }
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
