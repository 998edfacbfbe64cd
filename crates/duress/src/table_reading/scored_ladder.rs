//! Scores of items at every rung of a ladder, as a table has them.

use std::sync::Arc;

use duress_core::answer::Answers;
use duress_core::gauge::{CellGauge, Columns, Detail, Gauge, Meter, Rung, Undefined, open_cell};
use duress_core::name::Name;
use duress_core::severity::Severity;
use duress_core::truth::{Sealed, Truth};

use crate::analysis::clusters::Clusters;

/// Scores of items at every rung; the first is the clean one, where there is one.
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
    /// What the way to press is called, where it has a name.
    pub(super) name: Option<String>,
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
        let clean = self.rungs.iter().find(|rung| rung.severity.is_clean());
        let clean = clean.ok_or_else(|| {
            Undefined::new("there are no scores in the original order: S_orig is not known")
        })?;
        open_cell(gauge, &self.truth, &clean.answers)
    }

    /// Whether a cell gauge reads such scores at all, at whatever rung.
    pub(super) fn is_read_by(&self, gauge: &dyn CellGauge) -> Result<(), Undefined> {
        open_cell(gauge, &self.truth, &self.rungs[0].answers).map(drop)
    }

    /// A gauge of a ladder or of all.
    pub(super) fn open(
        &self,
        gauge: &Gauge,
        through: &dyn CellGauge,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let rungs = self.opened(through)?;
        match gauge {
            Gauge::Ladder(gauge) => gauge.open(&rungs, &self.columns),
            Gauge::Subject(gauge) => gauge.open(&[(ladder()?, rungs)], &self.columns),
            Gauge::Cell(_) | Gauge::Pair(_) => Err(Undefined::new("it does not read ladders")),
        }
    }

    /// What the number of such a gauge is made of.
    pub(super) fn detail(&self, gauge: &Gauge, through: &dyn CellGauge) -> Option<Detail> {
        let rungs = self.opened(through).ok()?;
        match gauge {
            Gauge::Ladder(gauge) => gauge.detail(&rungs, &self.columns),
            Gauge::Subject(gauge) => gauge.detail(&[(ladder().ok()?, rungs)], &self.columns),
            Gauge::Cell(_) | Gauge::Pair(_) => None,
        }
    }

    fn opened(&self, through: &dyn CellGauge) -> Result<Vec<Rung>, Undefined> {
        let open = |rung: &ScoredRung| {
            let meter = open_cell(through, &self.truth, &rung.answers)?;
            Ok(Rung {
                severity: rung.severity.clone(),
                variant: rung.variant,
                name: rung.name.clone(),
                meter,
            })
        };
        self.rungs.iter().map(open).collect()
    }
}

/// What the ladder of a table is called.
fn ladder() -> Result<Name, Undefined> {
    Name::new("table").map_err(|not| Undefined::new(not.to_string()))
}
