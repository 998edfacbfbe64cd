//! Scores of items at every rung of a ladder, as a table has them.

use std::sync::Arc;

use duress_core::answer::Answers;
use duress_core::gauge::{CellGauge, Columns, Gauge, Meter, Rung, Undefined, open_cell};
use duress_core::name::Name;
use duress_core::severity::Severity;
use duress_core::truth::{Sealed, Truth};

use crate::analysis::clusters::Clusters;

/// Scores of items at every rung; the first is the clean one.
#[derive(Clone)]
pub(super) struct ScoredLadder {
    pub(super) rungs: Vec<ScoredRung>,
    pub(super) columns: Columns,
    pub(super) truth: Sealed<Truth>,
    /// Which items belong together, where some do.
    pub(super) clusters: Option<Arc<Clusters>>,
}

#[derive(Clone)]
pub(super) struct ScoredRung {
    pub(super) severity: Severity,
    pub(super) variant: usize,
    pub(super) answers: Answers,
}

impl ScoredLadder {
    pub(super) fn new(rungs: Vec<ScoredRung>, columns: Columns) -> ScoredLadder {
        ScoredLadder {
            rungs,
            columns,
            truth: Sealed::new(Truth::Nothing),
            clusters: None,
        }
    }

    /// A cell gauge at the clean rung.
    pub(super) fn clean(&self, gauge: &dyn CellGauge) -> Result<Arc<dyn Meter>, Undefined> {
        open_cell(gauge, &self.truth, &self.rungs[0].answers)
    }

    /// A gauge of a ladder or of all.
    pub(super) fn open(
        &self,
        gauge: &Gauge,
        through: &dyn CellGauge,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let open = |rung: &ScoredRung| {
            let meter = open_cell(through, &self.truth, &rung.answers)?;
            Ok(Rung {
                severity: rung.severity.clone(),
                variant: rung.variant,
                meter,
            })
        };
        let rungs = self
            .rungs
            .iter()
            .map(open)
            .collect::<Result<Vec<Rung>, Undefined>>()?;
        match gauge {
            Gauge::Ladder(gauge) => gauge.open(&rungs, &self.columns),
            Gauge::Subject(gauge) => {
                let name = Name::new("table").map_err(|not| Undefined::new(not.to_string()))?;
                gauge.open(&[(name, rungs)], &self.columns)
            }
            Gauge::Cell(_) | Gauge::Pair(_) => Err(Undefined::new("it does not read ladders")),
        }
    }
}
