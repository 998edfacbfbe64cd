//! Meters made of meters: on some of the items, and without some of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use duress_core::gauge::{Meter, Undefined};

/// A meter on some of the items, in a given order.
pub(crate) struct Subset {
    meter: Arc<dyn Meter>,
    some: Vec<usize>,
    per_item: Option<Vec<Option<f64>>>,
}

impl Subset {
    /// The meter on the items at these positions.
    pub(crate) fn of(meter: &Arc<dyn Meter>, some: Vec<usize>) -> Arc<dyn Meter> {
        let per_item = meter
            .per_item()
            .map(|all| some.iter().map(|&i| all[i]).collect());
        Arc::new(Subset {
            meter: Arc::clone(meter),
            some,
            per_item,
        })
    }

    /// The weights of all items, where the others count nothing.
    fn among_all(&self, weights: &[u32]) -> Vec<u32> {
        let mut all = vec![0; self.meter.units()];
        self.some
            .iter()
            .zip(weights)
            .for_each(|(&i, &weight)| all[i] = weight);
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

    fn plug_in_value(&self, weights: &[u32]) -> Option<Result<f64, Undefined>> {
        self.meter.plug_in_value(&self.among_all(weights))
    }

    fn per_item(&self) -> Option<&[Option<f64>]> {
        self.per_item.as_deref()
    }

    fn is_rough(&self) -> bool {
        self.meter.is_rough()
    }

    fn is_share(&self) -> bool {
        self.meter.is_share()
    }
}

/// A meter that some items do not count in, whatever their weight: draws of items stay the same for
/// all seeds and sides.
pub(crate) struct Masked {
    meter: Arc<dyn Meter>,
    out: BTreeSet<usize>,
    per_item: Option<Vec<Option<f64>>>,
}

impl Masked {
    /// The meter without these items.
    pub(crate) fn of(meter: &Arc<dyn Meter>, out: &BTreeSet<usize>) -> Arc<dyn Meter> {
        let value = |(i, value): (usize, &Option<f64>)| value.filter(|_| !out.contains(&i));
        let per_item = meter
            .per_item()
            .map(|all| all.iter().enumerate().map(value).collect());
        Arc::new(Masked {
            meter: Arc::clone(meter),
            out: out.clone(),
            per_item,
        })
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

    fn plug_in_value(&self, weights: &[u32]) -> Option<Result<f64, Undefined>> {
        self.meter.plug_in_value(&self.without(weights))
    }

    fn takes_part(&self, unit: usize) -> bool {
        self.meter.takes_part(unit) && !self.out.contains(&unit)
    }

    fn per_item(&self) -> Option<&[Option<f64>]> {
        self.per_item.as_deref()
    }

    fn is_rough(&self) -> bool {
        self.meter.is_rough()
    }

    fn is_share(&self) -> bool {
        self.meter.is_share()
    }
}
