//! A rank correlation of dose and score: by which one is the only thing its gauges differ in.

use std::sync::Arc;

use duress_core::gauge::{
    Columns, Direction, Gauge, LadderGauge, Mean, Meter, Rung, SIGNED, Scale, Undefined,
};
use duress_core::part::{Field, Params};

use crate::judge::frame::dose_response::{DosePairs, Doses};

/// A rank correlation of two lists of equal length.
pub(crate) type RankCorrelation = fn(&[f64], &[f64]) -> Result<f64, Undefined>;

/// The keys of a gauge that correlates.
pub(crate) const FIELDS: &[Field] = &[Doses::OF, Doses::OVER];

/// Correlates the dose with the means over items, or with each item's scores.
pub(crate) struct DoseCorrelation {
    of: String,
    over: DosePairs,
    /// What the correlation is called.
    name: &'static str,
    correlate: RankCorrelation,
}

impl DoseCorrelation {
    /// The gauge that these keys ask for.
    pub(crate) fn gauge(params: &Params, name: &'static str, correlate: RankCorrelation) -> Gauge {
        Gauge::Ladder(Box::new(DoseCorrelation {
            of: params.text("of").into(),
            over: params.choice("over"),
            name,
            correlate,
        }))
    }
}

impl LadderGauge for DoseCorrelation {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let over = match self.over {
            DosePairs::Items => "each item's scores, averaged",
            DosePairs::Means => "the means over items",
        };
        let convention = format!(
            "{} of the dose with {over} of {}: {}",
            self.name, self.of, of.convention
        );
        Scale {
            convention,
            direction: Direction::Lower,
            best: Some(-1.0),
            ends: SIGNED,
            ..of.clone()
        }
    }

    fn open(&self, rungs: &[Rung], _columns: &Columns) -> Result<Arc<dyn Meter>, Undefined> {
        let doses = Doses::of(rungs)?;
        if self.over == DosePairs::Means {
            let correlate = self.correlate;
            return Ok(Arc::new(OfMeans { doses, correlate }));
        }
        let own = doses.per_item(self.correlate);
        match own.iter().all(Option::is_none) {
            true => Err(Undefined::new(
                "every item has the same score at every dose: its rank correlation is undefined",
            )),
            false => Ok(Arc::new(Mean::over(own))),
        }
    }
}

struct OfMeans {
    doses: Doses,
    correlate: RankCorrelation,
}

impl Meter for OfMeans {
    fn units(&self) -> usize {
        self.doses.units()
    }

    fn is_rough(&self) -> bool {
        true
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        (self.correlate)(&self.doses.dose, &self.doses.means(weights)?)
    }

    fn takes_part(&self, unit: usize) -> bool {
        self.doses.has(unit)
    }
}
