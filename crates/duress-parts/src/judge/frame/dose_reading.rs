//! A number about how scores follow the dose: by how it is worked out is the only thing its gauges
//! differ in.

use std::sync::Arc;

use duress_core::gauge::{
    Columns, Direction, Ends, Gauge, LadderGauge, Mean, Meter, Rung, Scale, Undefined,
};
use duress_core::part::Params;

use crate::judge::frame::dose_response::{Doses, slope, slope_ends};

/// A number from doses and as many scores.
pub(crate) type DoseStatistic = fn(&[f64], &[f64]) -> Result<f64, Undefined>;

/// What the statistic is taken of.
#[derive(Clone, Copy)]
pub(crate) enum DoseRead {
    /// Each item's scores; the mean over items is read.
    EachItem(DoseStatistic),
    /// The slope of each item's scores, likewise.
    Slope,
    /// The same where each item counts 0 or 1; what is undefined for an item leaves it out.
    ShareOfItems(DoseStatistic),
    /// The means over items.
    Means(DoseStatistic),
    /// The scores of all items, item by item.
    AllItems(fn(&Doses, &[u32]) -> Result<f64, Undefined>),
}

/// A gauge of a ladder that reads such a number.
#[derive(Clone, Copy)]
pub(crate) struct DoseReading {
    /// What is read, before the name of the gauge it is read through.
    pub(crate) convention: &'static str,
    pub(crate) direction: Direction,
    pub(crate) best: Option<f64>,
    pub(crate) ends: Ends,
    pub(crate) read: DoseRead,
}

impl DoseReading {
    /// The gauge that these keys ask for.
    pub(crate) fn gauge(self, params: &Params) -> Gauge {
        Gauge::Ladder(Box::new(ReadThrough {
            of: params.text("of").into(),
            reading: self,
        }))
    }
}

struct ReadThrough {
    of: String,
    reading: DoseReading,
}

impl LadderGauge for ReadThrough {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        Scale {
            convention: format!(
                "{} of {}: {}",
                self.reading.convention, self.of, of.convention
            ),
            direction: self.reading.direction,
            best: self.reading.best,
            ends: self.reading.ends,
            ..of.clone()
        }
    }

    fn ends_over(&self, of: &Scale, severities: &[f64]) -> Ends {
        match self.reading.read {
            DoseRead::Slope => slope_ends(of.ends, severities),
            _ => self.reading.ends,
        }
    }

    fn open(&self, rungs: &[Rung], _columns: &Columns) -> Result<Arc<dyn Meter>, Undefined> {
        let doses = Doses::of(rungs)?;
        match self.reading.read {
            DoseRead::EachItem(statistic) => Ok(Arc::new(Mean::over(own(&doses, statistic)?))),
            DoseRead::Slope => Ok(Arc::new(Mean::contrast(own(&doses, slope)?))),
            DoseRead::ShareOfItems(statistic) => Ok(Arc::new(Mean::share(own(&doses, statistic)?))),
            DoseRead::Means(statistic) => Ok(Arc::new(OfDoses(doses, Of::Means(statistic)))),
            DoseRead::AllItems(statistic) => Ok(Arc::new(OfDoses(doses, Of::Items(statistic)))),
        }
    }
}

/// Each item's number; that all items lack one is said with the reason of the first.
fn own(doses: &Doses, statistic: DoseStatistic) -> Result<Vec<Option<f64>>, Undefined> {
    let own = doses.per_item(statistic);
    match own.iter().any(Option::is_some) {
        true => Ok(own),
        false => Err(Undefined::new(
            "every item has the same score at every dose: there is nothing to read",
        )),
    }
}

enum Of {
    Means(DoseStatistic),
    Items(fn(&Doses, &[u32]) -> Result<f64, Undefined>),
}

struct OfDoses(Doses, Of);

impl Meter for OfDoses {
    fn units(&self) -> usize {
        self.0.units()
    }

    fn is_rough(&self) -> bool {
        true
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        match self.1 {
            Of::Means(statistic) => statistic(&self.0.dose, &self.0.means(weights)?),
            Of::Items(statistic) => statistic(&self.0, weights),
        }
    }

    fn takes_part(&self, unit: usize) -> bool {
        self.0.has(unit)
    }
}
