//! The answers of a run, in memory and in the order of the plan.

use std::collections::HashMap;
use std::sync::Arc;

use duress_core::answer::{Answers, RatingAnswers};
use duress_core::gauge::{self, Detail, Gauge, SealedCell, Views};
use duress_core::question::Question;
use duress_core::subject::Failure;

use super::clusters::Clusters;
use super::series::GaugeAtPlace;
use crate::axis::{DatasetAt, GaugeAt, LoadedAt, RaterAt};
use crate::ledger::{Kept, KeptDataset, Ledger, LedgerEntry, Unreadable};
use crate::plan::{Cell, FittedTemperature, Plan, PlannedGauge};
use duress_findings::{AbsenceReason, CellCount, FailedCell, Under};

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
    /// What all raters say of an answer together, under the cell of the first, where there are
    /// several and a gauge reads them so.
    merged: HashMap<Cell, (Answers, Views)>,
    /// Answers at the temperature that fits those to another dataset.
    scaled: HashMap<(Cell, DatasetAt), Result<(Answers, Views), AbsenceReason>>,
    /// Answers with a score beside them that comes from answers to another question.
    scored: HashMap<(Cell, Question), Result<(Answers, Views), AbsenceReason>>,
    /// Of every dataset that was tested on.
    clusters: HashMap<DatasetAt, Result<Option<Arc<Clusters>>, AbsenceReason>>,
}

impl Answered {
    pub(super) fn read(plan: &Plan, ledger: &Ledger) -> Result<Answered, Unreadable> {
        let mut answered = Answered {
            cells: HashMap::new(),
            missing: 0,
            datasets: HashMap::new(),
            merged: HashMap::new(),
            scaled: HashMap::new(),
            scored: HashMap::new(),
            clusters: HashMap::new(),
        };
        for cell in plan.cells() {
            match ledger.entry(plan.id(cell))? {
                Some(LedgerEntry::Answered(kept)) => {
                    answered.cells.insert(cell, Ok(ReadCell::new(*kept)))
                }
                Some(LedgerEntry::Failed(failure)) => answered.cells.insert(cell, Err(failure)),
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
        answered.merged = answered.merge_ratings(plan);
        answered.scaled = answered.at_fitted_temperatures(plan);
        answered.scored = answered.with_scores(plan);
        for subject in &plan.subjects {
            for &test in &subject.test_on {
                let found = answered.find_clusters(plan, test);
                answered.clusters.insert(test, found);
            }
        }
        Ok(answered)
    }

    /// The ratings of several raters of one answer, put together, where a gauge reads them so.
    fn merge_ratings(&self, plan: &Plan) -> HashMap<Cell, (Answers, Views)> {
        let dimensions = |gauge: &PlannedGauge| {
            let through = gauge.through.as_ref().map(|one| one.joint_dimensions());
            let own = gauge.gauge.joint_dimensions().iter();
            own.chain(through.unwrap_or_default())
                .copied()
                .collect::<Vec<_>>()
        };
        let wanted: Vec<&'static str> = plan.gauges.iter().flat_map(dimensions).collect();
        let mut merged = HashMap::new();
        for cell in plan
            .cells()
            .filter(|cell| cell.rater.is_some() && !wanted.is_empty())
        {
            let raters: Vec<RaterAt> = plan.raters_of(cell.subject).collect();
            if raters.len() < 2 || cell.rater != raters.first().copied() {
                continue;
            }
            let of = |rater: &RaterAt| {
                let rater = Some(*rater);
                match self
                    .kept(Cell { rater, ..cell })
                    .ok()
                    .map(|kept| &kept.answers)
                {
                    Some(Answers::Ratings(ratings)) => Some(ratings),
                    _ => None,
                }
            };
            // Without one of them a component may be lacking here and there: then nothing is read.
            let all: Option<Vec<&RatingAnswers>> = raters.iter().map(of).collect();
            if let Some(all) = all {
                let together = Answers::Ratings(RatingAnswers::together(&all, &wanted));
                merged.insert(cell, (together, Views::default()));
            }
        }
        merged
    }

    /// The answers of all cells that a gauge reads at a temperature.
    fn at_fitted_temperatures(
        &self,
        plan: &Plan,
    ) -> HashMap<(Cell, DatasetAt), Result<(Answers, Views), AbsenceReason>> {
        let mut scaled = HashMap::new();
        for fitted in plan
            .gauges
            .iter()
            .filter_map(|one| one.temperature.as_ref())
        {
            for cell in plan
                .cells()
                .filter(|cell| cell.question == Question::Classes)
            {
                let answers = || self.at_temperature(plan, fitted, cell);
                scaled.entry((cell, fitted.on)).or_insert_with(answers);
            }
        }
        scaled
    }

    fn at_temperature(
        &self,
        plan: &Plan,
        fitted: &FittedTemperature,
        cell: Cell,
    ) -> Result<(Answers, Views), AbsenceReason> {
        if cell.test == fitted.on {
            return Err(AbsenceReason::gauge(
                "its temperature is fitted on these items",
            ));
        }
        let fitted_on = Cell {
            test: fitted.on,
            stress: None,
            ..cell
        };
        let sealed = self.sealed(plan, fitted_on)?;
        let Gauge::Cell(gauge) = &*fitted.gauge else {
            unreachable!("a gauge that is read through reads cells")
        };
        let temperature = gauge::open_viewed(gauge.as_ref(), sealed)?.plain()?;
        let Answers::Classes(answers) = &self.kept(cell)?.answers else {
            return Err(AbsenceReason::gauge("a temperature needs classes"));
        };
        let scaled = answers.at_temperature(temperature);
        let scaled = scaled.ok_or_else(|| AbsenceReason::gauge("a temperature needs logits"))?;
        Ok((Answers::Classes(scaled), Views::default()))
    }

    /// The answers of all cells that a gauge reads with a score from answers to another question.
    fn with_scores(
        &self,
        plan: &Plan,
    ) -> HashMap<(Cell, Question), Result<(Answers, Views), AbsenceReason>> {
        let mut scored = HashMap::new();
        for planned in &plan.gauges {
            let Some(from) = planned.score_question() else {
                continue;
            };
            let gauge = planned.through.as_ref().unwrap_or(&planned.gauge);
            let name = gauge.needs().unwrap_or_default();
            for cell in plan
                .cells()
                .filter(|cell| cell.question == planned.scale.reads)
            {
                let answers = || self.with_score(cell, from, name);
                scored.entry((cell, from)).or_insert_with(answers);
            }
        }
        scored
    }

    /// Class answers with the first number that was answered to another question about the same
    /// items; an item without that number does not take part.
    fn with_score(
        &self,
        cell: Cell,
        from: Question,
        name: &str,
    ) -> Result<(Answers, Views), AbsenceReason> {
        let Answers::Classes(said) = &self.kept(cell)?.answers else {
            return Err(AbsenceReason::gauge("a score stands beside classes"));
        };
        let beside = Cell {
            question: from,
            ..cell
        };
        let Answers::Curves(numbers) = &self.kept(beside)?.answers else {
            return Err(AbsenceReason::gauge("a score is one number for each item"));
        };
        let mut said = said.clone();
        let mut scores = Vec::with_capacity(said.len());
        for (item, row) in numbers.rows().iter().enumerate() {
            match row {
                Ok(row) => scores.push(row.first().copied().unwrap_or_default()),
                Err(why) => {
                    scores.push(0.0);
                    said = said.without(item, why.clone());
                }
            }
        }
        Ok((
            Answers::Classes(said.with_score(name, scores)),
            Views::default(),
        ))
    }

    /// A cell as a gauge is opened on it: as it was answered, at a temperature, or, where it reads
    /// ratings of several raters together and there are several, with all of them.
    pub(super) fn sealed_for(
        &self,
        plan: &Plan,
        (at, gauge): (GaugeAt, &Gauge),
        cell: Cell,
    ) -> Result<SealedCell<'_>, AbsenceReason> {
        if let Some(fitted) = &plan.gauges[at].temperature {
            let scaled = self.scaled.get(&(cell, fitted.on));
            let scaled = scaled.ok_or(AbsenceReason::CellNotRun)?.as_ref();
            let (answers, views) = scaled.map_err(AbsenceReason::clone)?;
            let dataset = self.dataset(plan, cell);
            let dataset = dataset.ok_or(AbsenceReason::TruthNotKept)?;
            return Ok(SealedCell::new(&dataset.truth, answers, views));
        }
        if let Some(from) = plan.gauges[at].score_question() {
            let scored = self.scored.get(&(cell, from));
            let scored = scored.ok_or(AbsenceReason::CellNotRun)?.as_ref();
            let (answers, views) = scored.map_err(AbsenceReason::clone)?;
            let dataset = self.dataset(plan, cell);
            let dataset = dataset.ok_or(AbsenceReason::TruthNotKept)?;
            return Ok(SealedCell::new(&dataset.truth, answers, views));
        }
        // Not where the study names one rater.
        let joint = plan.study.gauges[at].rater.is_none();
        let mut raters = plan.raters_of(cell.subject);
        let first = raters.next();
        let several = raters.next().is_some();
        let is_first = cell.rater.is_some() && cell.rater == first;
        if !joint || !several || !is_first || gauge.joint_dimensions().is_empty() {
            return self.sealed(plan, cell);
        }
        for rater in plan.raters_of(cell.subject) {
            let rater = Some(rater);
            self.kept(Cell { rater, ..cell })?;
        }
        let dataset = self.dataset(plan, cell);
        let dataset = dataset.ok_or(AbsenceReason::TruthNotKept)?;
        let (answers, views) = self.merged.get(&cell).ok_or(AbsenceReason::CellNotRun)?;
        Ok(SealedCell::new(&dataset.truth, answers, views))
    }

    fn find_clusters(
        &self,
        plan: &Plan,
        test: DatasetAt,
    ) -> Result<Option<Arc<Clusters>>, AbsenceReason> {
        let Some(column) = plan.cluster_of(test) else {
            return Ok(None);
        };
        let of_replicate = |at: &LoadedAt| match self.datasets.get(at) {
            None => Ok(None),
            Some(kept) => match kept.columns.get(column) {
                Some(values) => Ok(Some(values.as_slice())),
                None => Err(AbsenceReason::NoSuchColumn),
            },
        };
        let values = plan.dataset_of[test].iter().map(of_replicate);
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let same_items = plan.distinct(test).len() == 1;
        Ok(Clusters::of(column, &values, same_items).map(Arc::new))
    }

    /// What was kept of a dataset, of the first replicate that has any.
    pub(super) fn first_dataset(&self, plan: &Plan, test: DatasetAt) -> Option<&KeptDataset> {
        let all = plan.dataset_of[test].iter();
        let mut kept = all.filter_map(|at| self.datasets.get(at));
        kept.next().map(|kept| &**kept)
    }

    /// Which items of a dataset belong together, where some do.
    pub(super) fn clusters(&self, test: DatasetAt) -> Result<Option<Arc<Clusters>>, AbsenceReason> {
        self.clusters.get(&test).cloned().unwrap_or(Ok(None))
    }

    /// The answers of a cell, or why there are none.
    pub(super) fn kept(&self, cell: Cell) -> Result<&Arc<Kept>, AbsenceReason> {
        self.read_cell(cell).map(|read| &read.kept)
    }

    fn read_cell(&self, cell: Cell) -> Result<&ReadCell, AbsenceReason> {
        match self.cells.get(&cell) {
            Some(Ok(read)) => Ok(read),
            Some(Err(failure)) => Err(failure.clone().into()),
            None => Err(AbsenceReason::CellNotRun),
        }
    }

    /// A cell as gauges are opened on it, or why it cannot be read.
    pub(super) fn sealed(&self, plan: &Plan, cell: Cell) -> Result<SealedCell<'_>, AbsenceReason> {
        let read = self.read_cell(cell)?;
        let dataset = self
            .dataset(plan, cell)
            .ok_or(AbsenceReason::TruthNotKept)?;
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

    /// How many of the files that were read have no checksum.
    pub(super) fn unchecked(&self) -> usize {
        let cells = self.cells.values().flatten();
        let cells = cells.filter(|read| !read.kept.checked).count();
        cells + self.datasets.values().filter(|one| !one.checked).count()
    }

    /// How many cells there are; ratings of answers that failed are not counted beside these.
    pub(super) fn count(&self, plan: &Plan) -> CellCount {
        let own = self
            .cells
            .iter()
            .filter(|(cell, _)| !self.follows(plan, **cell));
        let mut answered = 0;
        let mut failed = 0;
        for (_, read) in own {
            match read {
                Ok(_) => answered += 1,
                Err(_) => failed += 1,
            }
        }
        CellCount {
            planned: answered + failed + self.missing,
            answered,
            failed,
        }
    }

    /// Whether a cell has no ratings only since what it rates failed: one failure, told there.
    pub(super) fn follows(&self, plan: &Plan, cell: Cell) -> bool {
        let rated = plan.rated(cell).and_then(|rated| self.cells.get(&rated));
        matches!(rated, Some(Err(_)))
    }

    /// The cells that failed, in the order of the plan.
    pub(super) fn failures(&self, plan: &Plan) -> Vec<FailedCell> {
        let failed = plan
            .cells()
            .filter(|cell| !self.follows(plan, *cell))
            .filter_map(|cell| Some((cell, self.cells.get(&cell)?.as_ref().err()?)));
        failed
            .map(|(cell, failure)| plan.failed_cell(cell, failure))
            .collect()
    }

    /// What a reading is made of: for the first seed, clean or at one rung.
    pub(super) fn details(&self, plan: &Plan, at: &GaugeAtPlace) -> Vec<(u64, Detail)> {
        let Gauge::Cell(gauge) = &*plan.gauges[at.gauge].gauge else {
            let of_seed = |(at, detail): &(_, Detail)| (plan.study.seeds[*at], detail.clone());
            return at.details.iter().map(of_seed).collect();
        };
        if matches!(at.place.under, Under::Ladder(_) | Under::Everything) {
            return Vec::new();
        }
        let Some(first) = at.cells.first() else {
            return Vec::new();
        };
        let of_seed = |cell: Cell| {
            let whole = &plan.gauges[at.gauge].gauge;
            let sealed = self.sealed_for(plan, (at.gauge, whole), cell).ok()?;
            let detail = gauge::detail(gauge.as_ref(), sealed)?;
            Some((plan.study.seeds[cell.replicate], detail))
        };
        plan.for_each_seed(*first).filter_map(of_seed).collect()
    }
}
