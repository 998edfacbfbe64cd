//! A meter made of another: on some of its items, or without some of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use duress_core::gauge::{Meter, Undefined};

/// A meter in which some items of another count.
pub(crate) struct Derived {
    meter: Arc<dyn Meter>,
    items: CountedItems,
    per_item: Option<Vec<Option<f64>>>,
}

/// Which items count.
enum CountedItems {
    /// These, which are all there are, in this order.
    Only(Vec<usize>),
    /// All but these, which count nothing whatever their weight: draws of items stay the same for
    /// all seeds and sides.
    AllBut(BTreeSet<usize>),
}

impl Derived {
    /// The meter on the items at these positions.
    pub(crate) fn only(meter: &Arc<dyn Meter>, some: Vec<usize>) -> Arc<dyn Meter> {
        Derived::on(meter, CountedItems::Only(some))
    }

    /// The meter without these items, which are still drawn.
    pub(crate) fn without(meter: &Arc<dyn Meter>, out: &BTreeSet<usize>) -> Arc<dyn Meter> {
        Derived::on(meter, CountedItems::AllBut(out.clone()))
    }

    fn on(meter: &Arc<dyn Meter>, items: CountedItems) -> Arc<dyn Meter> {
        let per_item = meter.per_item().map(|all| match &items {
            CountedItems::Only(some) => some.iter().map(|&i| all[i]).collect(),
            CountedItems::AllBut(out) => {
                let value = |(i, value): (usize, &Option<f64>)| value.filter(|_| !out.contains(&i));
                all.iter().enumerate().map(value).collect()
            }
        });
        Arc::new(Derived {
            meter: Arc::clone(meter),
            items,
            per_item,
        })
    }

    /// The weights of all items of the other meter, where those that do not count have none.
    fn among_all(&self, weights: &[u32]) -> Vec<u32> {
        match &self.items {
            CountedItems::Only(some) => {
                let mut all = vec![0; self.meter.units()];
                let counted = some.iter().zip(weights);
                counted.for_each(|(&i, &weight)| all[i] = weight);
                all
            }
            CountedItems::AllBut(out) => {
                let mut kept = weights.to_vec();
                out.iter().for_each(|&i| kept[i] = 0);
                kept
            }
        }
    }
}

impl Meter for Derived {
    fn units(&self) -> usize {
        match &self.items {
            CountedItems::Only(some) => some.len(),
            CountedItems::AllBut(_) => self.meter.units(),
        }
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        self.meter.read(&self.among_all(weights))
    }

    fn plain(&self) -> Result<f64, Undefined> {
        match &self.items {
            CountedItems::AllBut(out) if out.len() == self.units() => {
                Err(Undefined::new("no item was answered by both"))
            }
            _ => self.read(&vec![1; self.units()]),
        }
    }

    fn plug_in_value(&self, weights: &[u32]) -> Option<Result<f64, Undefined>> {
        self.meter.plug_in_value(&self.among_all(weights))
    }

    fn takes_part(&self, unit: usize) -> bool {
        match &self.items {
            CountedItems::Only(some) => self.meter.takes_part(some[unit]),
            CountedItems::AllBut(out) => self.meter.takes_part(unit) && !out.contains(&unit),
        }
    }

    fn per_item(&self) -> Option<&[Option<f64>]> {
        self.per_item.as_deref()
    }

    fn ranked(&self) -> Option<Vec<Option<(f64, bool)>>> {
        let mut all = self.meter.ranked()?;
        match &self.items {
            CountedItems::Only(some) => Some(some.iter().map(|&i| all[i]).collect()),
            CountedItems::AllBut(out) => {
                out.iter().for_each(|&i| all[i] = None);
                Some(all)
            }
        }
    }

    fn is_rough(&self) -> bool {
        self.meter.is_rough()
    }

    fn is_share(&self) -> bool {
        self.meter.is_share()
    }

    fn is_contrast(&self) -> bool {
        self.meter.is_contrast()
    }
}
