//! A run opened for comparison with another: its meters, seeds and items.

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
}

impl Meter for Subset {
    fn units(&self) -> usize {
        self.some.len()
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let mut all = vec![0; self.meter.units()];
        self.some.iter().zip(weights).for_each(|(&i, &weight)| all[i] = weight);
        self.meter.read(&all)
    }

    fn per_item(&self) -> Option<&[Option<f64>]> {
        self.per_item.as_deref()
    }

    fn is_share(&self) -> bool {
        self.meter.is_share()
    }
}
