//! The answers of a run, in memory and in the order of the plan.

use std::collections::HashMap;
use std::sync::Arc;

use duress_core::gauge::{self, Detail, Gauge, SealedCell, Views};
use duress_core::subject::Failure;

use super::series::GaugeAtPlace;
use crate::axis::LoadedAt;
use crate::ledger::{Entry, Kept, KeptDataset, Ledger, Unreadable};
use crate::plan::{Cell, Plan};
use duress_findings::{CellCount, FailedCell, Under};

/// The answers of a cell, with what gauges have worked out from them.
struct ReadCell {
    kept: Arc<Kept>,
    views: Views,
}

impl ReadCell {
    fn new(kept: Kept) -> ReadCell {
        ReadCell {
            kept: Arc::new(kept),
            views: Views::default(),
        }
    }
}

/// What is known of each cell, and of each dataset it was tested on.
pub(super) struct Answered {
    cells: HashMap<Cell, Result<ReadCell, Failure>>,
    missing: usize,
    datasets: HashMap<LoadedAt, Arc<KeptDataset>>,
}

impl Answered {
    pub(super) fn read(plan: &Plan, ledger: &Ledger) -> Result<Answered, Unreadable> {
        let mut answered = Answered {
            cells: HashMap::new(),
            missing: 0,
            datasets: HashMap::new(),
        };
        for cell in plan.cells() {
            match ledger.entry(plan.id(cell))? {
                Some(Entry::Answered(kept)) => {
                    answered.cells.insert(cell, Ok(ReadCell::new(*kept)))
                }
                Some(Entry::Failed(failure)) => answered.cells.insert(cell, Err(failure)),
                None => {
                    answered.missing += 1;
                    continue;
                }
            };
            let at = plan.dataset_of[cell.test][cell.replicate];
            if let std::collections::hash_map::Entry::Vacant(empty) = answered.datasets.entry(at) {
                empty.insert(Arc::new(ledger.dataset(plan.loaded[at].fingerprint)?));
            }
        }
        Ok(answered)
    }

    /// The answers of a cell, or why there are none.
    pub(super) fn kept(&self, cell: Cell) -> Result<&Arc<Kept>, String> {
        self.read_cell(cell).map(|read| &read.kept)
    }

    fn read_cell(&self, cell: Cell) -> Result<&ReadCell, String> {
        match self.cells.get(&cell) {
            Some(Ok(read)) => Ok(read),
            Some(Err(failure)) => Err(failure.to_string()),
            None => Err("the cell was not run".into()),
        }
    }

    /// A cell as gauges are opened on it, or why it cannot be read.
    pub(super) fn sealed(&self, plan: &Plan, cell: Cell) -> Result<SealedCell<'_>, String> {
        let read = self.read_cell(cell)?;
        let dataset = self.dataset(plan, cell).ok_or("the truth was not kept")?;
        Ok(SealedCell::new(
            &dataset.truth,
            &read.kept.answers,
            &read.views,
        ))
    }

    /// What a cell was tested on, as far as it is kept.
    pub(super) fn dataset(&self, plan: &Plan, cell: Cell) -> Option<&Arc<KeptDataset>> {
        self.datasets
            .get(&plan.dataset_of[cell.test][cell.replicate])
    }

    pub(super) fn count(&self) -> CellCount {
        let answered = self.cells.values().filter(|kept| kept.is_ok()).count();
        CellCount {
            planned: self.cells.len() + self.missing,
            answered,
            failed: self.cells.len() - answered,
        }
    }

    /// The cells that failed, in the order of the plan.
    pub(super) fn failures(&self, plan: &Plan) -> Vec<FailedCell> {
        let failed = plan
            .cells()
            .filter_map(|cell| Some((cell, self.cells.get(&cell)?.as_ref().err()?)));
        failed
            .map(|(cell, failure)| FailedCell {
                place: plan.place(cell),
                seed: plan.study.seeds[cell.replicate],
                why: failure.to_string(),
            })
            .collect()
    }

    /// What a reading is made of: for the first seed, clean or at one rung.
    pub(super) fn details(&self, plan: &Plan, at: &GaugeAtPlace) -> Vec<(u64, Detail)> {
        let Gauge::Cell(gauge) = &*plan.gauges[at.gauge].gauge else {
            return Vec::new();
        };
        if matches!(at.place.under, Under::Ladder(_) | Under::Everything) {
            return Vec::new();
        }
        let Some(first) = at.cells.first() else {
            return Vec::new();
        };
        let of_seed = |cell: Cell| {
            let detail = gauge::detail(gauge.as_ref(), self.sealed(plan, cell).ok()?)?;
            Some((plan.study.seeds[cell.replicate], detail))
        };
        plan.for_each_seed(*first).filter_map(of_seed).collect()
    }
}
