//! Scores per arrangement: one file or one sheet per arrangement, or one row per item and
//! arrangement.

mod files;
mod gathered;
mod score_table;
mod unit_order;

use std::sync::Arc;

use duress_core::answer::Answers;
use duress_core::gauge::{CellGauge, Columns, Detail, Gauge, Meter, Rung, Undefined, open_cell};
use duress_core::name::Name;
use duress_core::problem::Problem;
use duress_core::severity::Severity;
use duress_core::truth::{Sealed, Truth};

use super::cluster_words::{cluster_words, clusters_by};
use crate::analysis::clusters::Clusters;

pub(super) use files::{ModelScores, read};

/// The dimension that scores of explanations are ratings in.
const DIMENSION: &str = "s-acc";

/// Scores of items under every arrangement.
#[derive(Clone)]
pub(super) struct ArrangementScores {
    rungs: Vec<ScoredRung>,
    columns: Columns,
    truth: Sealed<Truth>,
    pub(super) items: usize,
    pub(super) found: Vec<String>,
    /// Which items belong together, where some do.
    pub(super) clusters: Option<Arc<Clusters>>,
}

impl ArrangementScores {
    /// The same with the clusters of a column, if one is named.
    fn clustered_by(mut self, column: Option<&str>) -> Result<ArrangementScores, Problem> {
        if let Some(column) = column.filter(|column| !self.columns.contains_key(*column)) {
            let wrong = format!("no column `{column}` has one value for every item");
            return Err(
                Problem::new(wrong).nearest(column, self.columns.keys().map(String::as_str))
            );
        }
        self.clusters = clusters_by(column, &self.columns);
        self.found.extend(cluster_words(column, &self.columns));
        Ok(self)
    }
}

#[derive(Clone)]
struct ScoredRung {
    severity: Severity,
    variant: usize,
    /// What the arrangement is called.
    name: String,
    answers: Answers,
}

impl ArrangementScores {
    /// A cell gauge in the original order.
    pub(super) fn clean(&self, gauge: &dyn CellGauge) -> Result<Arc<dyn Meter>, Undefined> {
        let clean = self.rungs.iter().find(|rung| rung.severity.is_clean());
        let clean = clean.ok_or_else(|| {
            Undefined::new("there are no scores in the original order: S_orig is not known")
        })?;
        open_cell(gauge, &self.truth, &clean.answers)
    }

    /// Whether a cell gauge reads such scores at all, in whatever order.
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
                name: Some(rung.name.clone()),
                meter,
            })
        };
        self.rungs.iter().map(open).collect()
    }
}

/// What the ladder of a table is called.
fn ladder() -> Result<Name, Undefined> {
    Name::new("arrangements").map_err(|not| Undefined::new(not.to_string()))
}
