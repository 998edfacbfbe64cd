//! Series: one gauge at one place, a meter for each seed; and all of them, sampled.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use duress_core::answer::AbsenceKind;
use duress_core::gauge::{
    self, Columns, Detail, Ends, Gauge, Mean, Meter, Rung, SealedRung, Undefined, Unit,
};
use duress_core::name::Name;
use duress_core::question::Question;
use duress_core::severity::Severity;
use duress_stats::parallel::map_list;

use super::answers::Answered;
use super::clusters::Clusters;
use super::sample::{Sample, Sampling};
use super::templates;
use crate::axis::{DatasetAt, GaugeAt, RaterAt, ReplicateAt, RungAt, SubjectAt};
use crate::ledger::Kept;
use crate::plan::{Cell, Plan, PlannedGauge};
use duress_findings::{AbsenceReason, Place, Under, VariancePart};

/// A gauge at a place, with its meters: one per seed, or why there is none.
#[derive(Clone)]
pub(crate) struct Series {
    pub(crate) meters: Vec<Result<Arc<dyn Meter>, AbsenceReason>>,
    pub(crate) unit: Unit,
    /// Whether every seed saw the same items.
    pub(crate) crossed: bool,
    /// Which items belong together, where some do.
    pub(crate) clusters: Option<Arc<Clusters>>,
    /// The smallest and the largest value a reading can have.
    pub(crate) ends: Ends,
}

impl Series {
    /// Whether what is drawn in place of items, or of their clusters, is the same for every seed.
    pub(super) fn has_crossed_units(&self) -> bool {
        let clusters = self.clusters.as_ref();
        self.crossed || clusters.is_some_and(|clusters| clusters.cross_replicates())
    }
}

/// A series with where it stands and what was drawn from it.
pub(super) struct GaugeAtPlace {
    pub(super) place: Place,
    /// The position of the gauge.
    pub(super) gauge: GaugeAt,
    /// The cells of the first seed, one per variant; empty for ladder and subject gauges.
    pub(super) cells: Vec<Cell>,
    /// The clean cell of the first seed: where the items stand, whatever the scope.
    pub(super) clean: Cell,
    /// What the number of a ladder or subject gauge is made of, by replicate.
    pub(super) details: Vec<(ReplicateAt, Detail)>,
    pub(super) series: Series,
    /// Where its variance comes from, where it was asked with several templates; else nothing.
    pub(super) by_template: Vec<VariancePart>,
    /// For every seed, the items it has no reading of.
    pub(super) unread: Vec<BTreeSet<usize>>,
    pub(super) sample: Sample,
}

/// Every gauge at every place it can be read.
pub(super) struct SampledGauges {
    list: Vec<GaugeAtPlace>,
    at: BTreeMap<(Place, GaugeAt), usize>,
}

impl SampledGauges {
    pub(super) fn new(plan: &Plan, answered: &Answered) -> SampledGauges {
        let wanted: Vec<PlannedReading> = wanted(plan);
        let sampling = Sampling::of(&plan.study);
        let mut list = map_list(&wanted, |one| {
            let series = one.open(plan, answered);
            let sample = sampling.sample(&series);
            let seeds = plan.study.seeds.positions();
            GaugeAtPlace {
                place: one.place.clone(),
                gauge: one.gauge,
                cells: one.cells(plan),
                clean: one.cell(ReplicateAt::FIRST, None),
                by_template: templates::variance(one, plan, answered).unwrap_or_default(),
                details: seeds
                    .clone()
                    .filter_map(|at| Some((at, one.detail(plan, answered, at)?)))
                    .collect(),
                unread: seeds
                    .map(|replicate| one.unread(plan, answered, replicate))
                    .collect(),
                series,
                sample,
            }
        });
        drop_foreign_ratings(plan, &mut list);
        let at = list
            .iter()
            .enumerate()
            .map(|(i, one)| ((one.place.clone(), one.gauge), i))
            .collect();
        SampledGauges { list, at }
    }

    pub(super) fn all(&self) -> &[GaugeAtPlace] {
        &self.list
    }

    pub(super) fn get(&self, place: &Place, gauge: GaugeAt) -> Option<&GaugeAtPlace> {
        self.at.get(&(place.clone(), gauge)).map(|&i| &self.list[i])
    }
}

/// Ratings have dimensions that a plan does not know: a gauge of one that a subject's ratings never
/// have, while another's do, is not about that subject.
fn drop_foreign_ratings(plan: &Plan, list: &mut Vec<GaugeAtPlace>) {
    let is_rating = |gauge: GaugeAt| plan.gauges[gauge].scale.reads == Question::Ratings;
    let read: BTreeSet<(Name, GaugeAt)> = list
        .iter()
        .filter(|one| is_rating(one.gauge) && one.sample.value().is_ok())
        .map(|one| (one.place.subject.clone(), one.gauge))
        .collect();
    let read_somewhere: BTreeSet<GaugeAt> = read.iter().map(|(_, gauge)| *gauge).collect();
    list.retain(|one| {
        let about = (one.place.subject.clone(), one.gauge);
        !is_rating(one.gauge) || read.contains(&about) || !read_somewhere.contains(&one.gauge)
    });
}

/// A gauge at a place, before it is opened.
#[derive(Clone)]
pub(super) struct PlannedReading {
    pub(super) place: Place,
    pub(super) gauge: GaugeAt,
    subject: SubjectAt,
    pub(super) test: DatasetAt,
    /// What it reads.
    question: Question,
    /// The rater whose ratings it reads; none when it reads the subject's own answers.
    rater: Option<RaterAt>,
    /// The stress and the rungs at this place: one per variant; empty when clean.
    pub(super) rungs: Vec<RungAt>,
}

pub(super) fn wanted(plan: &Plan) -> Vec<PlannedReading> {
    let mut all = Vec::new();
    let asked = plan.subjects.at_each();
    for (subject, planned) in asked.filter(|(_, planned)| !planned.asked.is_empty()) {
        for &test in &planned.test_on {
            for at in plan.gauges.positions() {
                if plan.reads(at, subject) {
                    all.extend(places(plan, subject, test, at));
                }
            }
        }
    }
    all
}

/// The places a gauge of some scope is read at, for one subject on one dataset.
fn places(plan: &Plan, subject: SubjectAt, test: DatasetAt, gauge: GaugeAt) -> Vec<PlannedReading> {
    let want = |under: Under, rungs: Vec<RungAt>| PlannedReading {
        place: Place {
            subject: plan.study.subjects[subject].name.clone(),
            dataset: plan.study.datasets[test].name.clone(),
            under,
        },
        gauge,
        subject,
        test,
        question: plan.gauges[gauge].scale.reads,
        rater: plan.rater_for(gauge, subject),
        rungs,
    };
    let pressing = || plan.pressing_on(subject, test);
    let rungs = || {
        let mut places: Vec<PlannedReading> = Vec::new();
        for (at, stress) in pressing() {
            for rung in stress.rungs_at(at) {
                let under = stress.under(rung.rung);
                match places.last_mut() {
                    // Variants press equally hard: they are one place.
                    Some(last) if last.place.under == under => last.rungs.push(rung),
                    _ => places.push(want(under, vec![rung])),
                }
            }
        }
        places
    };
    let decl = &plan.study.gauges[gauge];
    if !decl.is_read_on(&plan.study.datasets[test].name) {
        return Vec::new();
    }
    let is_read = |one: &PlannedReading| decl.is_read_under(&one.place.under);
    match &*plan.gauges[gauge].gauge {
        Gauge::Cell(_) => std::iter::once(want(Under::Clean, Vec::new()))
            .chain(rungs())
            .filter(is_read)
            .collect(),
        Gauge::Pair(_) => rungs().into_iter().filter(is_read).collect(),
        Gauge::Ladder(_) => {
            let ladders = pressing().filter(|(_, stress)| stress.is_ladder);
            ladders
                .map(|(at, stress)| {
                    want(
                        Under::Ladder(stress.name.clone()),
                        stress.rungs_at(at).collect(),
                    )
                })
                .collect()
        }
        Gauge::Subject(_) => {
            // Where all ladders name other datasets there is nothing for it to read.
            let only_elsewhere =
                pressing().next().is_none() && plan.pressing(subject).next().is_some();
            match only_elsewhere {
                true => Vec::new(),
                false => vec![want(Under::Everything, Vec::new())],
            }
        }
    }
}

impl PlannedReading {
    fn cells(&self, plan: &Plan) -> Vec<Cell> {
        match &*plan.gauges[self.gauge].gauge {
            Gauge::Cell(_) if self.rungs.is_empty() => vec![self.cell(ReplicateAt::FIRST, None)],
            Gauge::Cell(_) | Gauge::Pair(_) => self
                .rungs
                .iter()
                .map(|&rung| self.cell(ReplicateAt::FIRST, Some(rung)))
                .collect(),
            Gauge::Ladder(_) | Gauge::Subject(_) => Vec::new(),
        }
    }

    /// The items that are not read for one seed: those without an answer in a cell that is read,
    /// and those that take part in none of the ways to press equally hard. One that takes part in
    /// some of the ways has a reading over these; of a whole ladder, its gauge knows who takes part.
    pub(super) fn unread(
        &self,
        plan: &Plan,
        answered: &Answered,
        replicate: ReplicateAt,
    ) -> BTreeSet<usize> {
        let planned = &plan.gauges[self.gauge];
        if planned.scale.unit != Unit::Items {
            return BTreeSet::new();
        }
        let (clean, rungs): (bool, Vec<RungAt>) = match &*planned.gauge {
            Gauge::Cell(_) => (self.rungs.is_empty(), self.rungs.clone()),
            Gauge::Pair(_) | Gauge::Ladder(_) => (true, self.rungs.clone()),
            Gauge::Subject(_) => (true, plan.rungs_of(self.subject, self.test).collect()),
        };
        let one_rung = matches!(&*planned.gauge, Gauge::Cell(_) | Gauge::Pair(_));
        let kept = |stress| answered.kept(self.cell(replicate, stress)).ok();
        let pressed: Vec<&Arc<Kept>> = rungs.into_iter().filter_map(|at| kept(Some(at))).collect();
        let clean = clean.then(|| kept(None)).flatten();
        let mut unread: BTreeSet<usize> = BTreeSet::new();
        let mut leaves: BTreeMap<usize, usize> = BTreeMap::new();
        for one in clean.into_iter().chain(pressed.iter().copied()) {
            for item in one.answers.absent() {
                if one.answers.absence(item) == Some(AbsenceKind::NotTakingPart) {
                    *leaves.entry(item).or_default() += 1;
                } else {
                    unread.insert(item);
                }
            }
        }
        let left = leaves
            .into_iter()
            .filter(|(_, ways)| one_rung && *ways == pressed.len());
        unread.extend(left.map(|(item, _)| item));
        unread
    }

    pub(super) fn cell(&self, replicate: ReplicateAt, stress: Option<RungAt>) -> Cell {
        Cell {
            subject: self.subject,
            replicate,
            test: self.test,
            stress,
            question: self.question,
            rater: self.rater,
        }
    }

    pub(super) fn open(&self, plan: &Plan, answered: &Answered) -> Series {
        let planned = &plan.gauges[self.gauge];
        let clusters = match planned.scale.unit {
            Unit::Items => answered.clusters(self.test),
            Unit::Replicates => Ok(None),
        };
        let meter = |replicate| match &clusters {
            Ok(_) => self.meter(plan, answered, planned, replicate),
            Err(why) => Err(why.clone()),
        };
        Series {
            meters: plan.study.seeds.positions().map(meter).collect(),
            unit: planned.scale.unit,
            crossed: plan.distinct(self.test).len() == 1,
            clusters: clusters.unwrap_or(None),
            ends: self.ends(plan, planned),
        }
    }

    /// The ends of a reading; those of a ladder may depend on how hard its rungs press.
    fn ends(&self, plan: &Plan, planned: &PlannedGauge) -> Ends {
        let through = planned.through.as_ref().and_then(|gauge| gauge.scale(None));
        let (Gauge::Ladder(gauge), Some(through)) = (&*planned.gauge, through) else {
            return planned.scale.ends;
        };
        let pressed = self
            .rungs
            .iter()
            .map(|&rung| plan.rung(rung).1.severity.value());
        let severities: Vec<f64> = std::iter::once(0.0).chain(pressed).collect();
        gauge.ends_over(&through, &severities)
    }

    fn meter(
        &self,
        plan: &Plan,
        answered: &Answered,
        planned: &PlannedGauge,
        replicate: ReplicateAt,
    ) -> Result<Arc<dyn Meter>, AbsenceReason> {
        match &*planned.gauge {
            Gauge::Cell(_) if self.rungs.is_empty() => {
                let cell = self.cell(replicate, None);
                read(plan, answered, (self.gauge, &planned.gauge), cell)
            }
            Gauge::Cell(_) | Gauge::Pair(_) => self.variants(plan, answered, replicate),
            Gauge::Ladder(gauge) => {
                if let Some(on_answers) = gauge.on_answers() {
                    let rungs = self.sealed_rungs(plan, answered, replicate)?;
                    return Ok(gauge::open_rungs(on_answers, &rungs)?);
                }
                let rungs = self.ladder(plan, answered, planned, replicate, &self.rungs)?;
                Ok(gauge.open(&rungs, self.columns(plan, answered, replicate)?)?)
            }
            Gauge::Subject(gauge) => {
                let conditions = gauge.reads_conditions();
                let ladders = self.ladders(plan, answered, planned, replicate, conditions)?;
                let columns = self.columns(plan, answered, replicate)?;
                let Some(name) = gauge.reference() else {
                    return Ok(gauge.open(&ladders, columns)?);
                };
                let beside = self.beside(plan, name)?;
                let reference = beside.ladders(plan, answered, planned, replicate, conditions)?;
                Ok(gauge.open_beside(&ladders, &reference, columns)?)
            }
        }
    }

    /// What the number of a ladder or subject gauge is made of under one seed.
    fn detail(&self, plan: &Plan, answered: &Answered, replicate: ReplicateAt) -> Option<Detail> {
        let planned = &plan.gauges[self.gauge];
        let columns = || self.columns(plan, answered, replicate).ok();
        match &*planned.gauge {
            Gauge::Cell(_) | Gauge::Pair(_) => None,
            Gauge::Ladder(gauge) => {
                if let Some(on_answers) = gauge.on_answers() {
                    let rungs = self.sealed_rungs(plan, answered, replicate).ok()?;
                    return gauge::rungs_detail(on_answers, &rungs);
                }
                let rungs = self.ladder(plan, answered, planned, replicate, &self.rungs);
                gauge.detail(&rungs.ok()?, columns()?)
            }
            Gauge::Subject(gauge) => {
                let conditions = gauge.reads_conditions();
                let ladders = self.ladders(plan, answered, planned, replicate, conditions);
                gauge.detail(&ladders.ok()?, columns()?)
            }
        }
    }

    /// The same reading of the subject of this name.
    fn beside(&self, plan: &Plan, name: &str) -> Result<PlannedReading, AbsenceReason> {
        let mut subjects = plan.study.subjects.at_each();
        let found = subjects.find(|(_, decl)| decl.name.as_str() == name);
        let (subject, _) =
            found.ok_or_else(|| AbsenceReason::gauge(format!("there is no subject `{name}`")))?;
        Ok(PlannedReading {
            subject,
            rater: plan.rater_for(self.gauge, subject),
            ..self.clone()
        })
    }

    /// The gauge it reads through, opened on every ladder that presses the subject.
    fn ladders(
        &self,
        plan: &Plan,
        answered: &Answered,
        planned: &PlannedGauge,
        replicate: ReplicateAt,
        conditions: bool,
    ) -> Result<Vec<(Name, Vec<Rung>)>, AbsenceReason> {
        let mut ladders = Vec::new();
        for (at, stress) in plan.pressing_on(self.subject, self.test) {
            if stress.is_ladder || conditions {
                let rungs: Vec<RungAt> = stress.rungs_at(at).collect();
                let opened = self.ladder(plan, answered, planned, replicate, &rungs)?;
                ladders.push((stress.name.clone(), opened));
            }
        }
        Ok(ladders)
    }

    fn columns<'a>(
        &self,
        plan: &Plan,
        answered: &'a Answered,
        replicate: ReplicateAt,
    ) -> Result<&'a Columns, AbsenceReason> {
        let dataset = answered.dataset(plan, self.cell(replicate, None));
        dataset
            .map(|dataset| &dataset.columns)
            .ok_or(AbsenceReason::TruthNotKept)
    }

    /// The gauge opened on each variant of a rung.
    pub(super) fn each_variant(
        &self,
        plan: &Plan,
        answered: &Answered,
        replicate: ReplicateAt,
    ) -> Result<Vec<Arc<dyn Meter>>, AbsenceReason> {
        let gauge = &plan.gauges[self.gauge].gauge;
        let opened = self.rungs.iter().map(|&rung| {
            let cell = self.cell(replicate, Some(rung));
            read(plan, answered, (self.gauge, gauge), cell)
        });
        opened.collect()
    }

    /// The mean over the variants of a rung.
    fn variants(
        &self,
        plan: &Plan,
        answered: &Answered,
        replicate: ReplicateAt,
    ) -> Result<Arc<dyn Meter>, AbsenceReason> {
        let mut opened = self.each_variant(plan, answered, replicate)?;
        Ok(if opened.len() == 1 {
            opened.swap_remove(0)
        } else {
            average(opened)
        })
    }

    /// The answers at every rung, the clean one first.
    fn sealed_rungs<'a>(
        &self,
        plan: &Plan,
        answered: &'a Answered,
        replicate: ReplicateAt,
    ) -> Result<Vec<SealedRung<'a>>, AbsenceReason> {
        let clean = answered.sealed(plan, self.cell(replicate, None))?;
        let mut rungs = vec![(Severity::clean(), None, clean)];
        for &at in &self.rungs {
            let cell = self.cell(replicate, Some(at));
            let (_, planned) = plan.rung(at);
            let name = plan.variant_name(cell);
            rungs.push((planned.severity.clone(), name, answered.sealed(plan, cell)?));
        }
        Ok(rungs)
    }

    /// The cell gauge a ladder gauge reads through, opened on every rung, the clean one first.
    fn ladder(
        &self,
        plan: &Plan,
        answered: &Answered,
        planned: &PlannedGauge,
        replicate: ReplicateAt,
        rungs: &[RungAt],
    ) -> Result<Vec<Rung>, AbsenceReason> {
        let through = planned
            .through
            .as_ref()
            .ok_or_else(|| AbsenceReason::gauge("it reads through no gauge"))?;
        let gauge = (self.gauge, &**through);
        let clean = read(plan, answered, gauge, self.cell(replicate, None))?;
        let mut opened = vec![Rung {
            severity: Severity::clean(),
            variant: 0,
            name: None,
            meter: clean,
        }];
        for &rung in rungs {
            let (_, planned) = plan.rung(rung);
            let cell = self.cell(replicate, Some(rung));
            let meter = read(plan, answered, gauge, cell)?;
            opened.push(Rung {
                severity: planned.severity.clone(),
                variant: planned.variant,
                name: plan.variant_name(cell),
                meter,
            });
        }
        Ok(opened)
    }
}

/// Opens a gauge on a cell: that of the study, or what it reads through.
fn read(
    plan: &Plan,
    answered: &Answered,
    (at, gauge): (GaugeAt, &Gauge),
    cell: Cell,
) -> Result<Arc<dyn Meter>, AbsenceReason> {
    let whole = gauge;
    let sealed = answered.sealed_for(plan, (at, gauge), cell)?;
    match gauge {
        Gauge::Cell(gauge) => match plan.gauges[at].chosen_on {
            None => Ok(gauge::open_viewed(gauge.as_ref(), sealed)?),
            Some(on) if on == cell.test => Err(AbsenceReason::gauge(
                "what it chooses of itself is chosen on these items",
            )),
            Some(on) => {
                let other = Cell {
                    test: on,
                    stress: None,
                    ..cell
                };
                let others = answered.sealed_for(plan, (at, whole), other)?;
                Ok(gauge::open_chosen(gauge.as_ref(), sealed, others)?)
            }
        },
        Gauge::Pair(gauge) => {
            let clean = answered
                .sealed(plan, plan.clean_twin(cell))
                .map_err(|why| AbsenceReason::CleanTwin { why: Box::new(why) })?;
            match cell.stress {
                Some(at) => {
                    let (stress, rung) = plan.rung(at);
                    let severity = &rung.severity;
                    if let Some(bound) = gauge
                        .bounded_by()
                        .filter(|bound| !stress.is_bounded(*bound))
                    {
                        let why =
                            format!("it is about what is {bound}, and `{}` is not", stress.name);
                        return Err(AbsenceReason::gauge(&why));
                    }
                    Ok(gauge::open_pair_at(
                        gauge.as_ref(),
                        clean,
                        sealed,
                        severity,
                    )?)
                }
                None => Ok(gauge::open_pair(gauge.as_ref(), clean, sealed)?),
            }
        }
        Gauge::Ladder(_) | Gauge::Subject(_) => {
            Err(AbsenceReason::gauge("it does not read single cells"))
        }
    }
}

/// Several variants as one meter: where each is a mean over items, an item counts with its mean
/// over the variants it takes part in.
fn average(opened: Vec<Arc<dyn Meter>>) -> Arc<dyn Meter> {
    let per_item: Option<Vec<&[Option<f64>]>> =
        opened.iter().map(|meter| meter.per_item()).collect();
    let Some(per_item) = per_item else {
        return Arc::new(Average(opened));
    };
    let mean = |i: usize| {
        let values: Vec<f64> = per_item.iter().filter_map(|variant| variant[i]).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    Arc::new(Mean::over((0..opened[0].units()).map(mean).collect()))
}

/// The mean of several meters on the same units.
struct Average(Vec<Arc<dyn Meter>>);

impl Meter for Average {
    fn units(&self) -> usize {
        self.0[0].units()
    }

    fn is_rough(&self) -> bool {
        self.0.iter().any(|meter| meter.is_rough())
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let readings = self.0.iter().map(|meter| meter.read(weights));
        Ok(readings.sum::<Result<f64, _>>()? / self.0.len() as f64)
    }

    fn takes_part(&self, unit: usize) -> bool {
        self.0.iter().any(|meter| meter.takes_part(unit))
    }

    fn plug_in_value(&self, weights: &[u32]) -> Option<Result<f64, Undefined>> {
        let all = self
            .0
            .iter()
            .map(|meter| meter.plug_in_value(weights))
            .collect::<Option<Vec<_>>>()?;
        Some(
            all.into_iter()
                .sum::<Result<f64, _>>()
                .map(|sum| sum / self.0.len() as f64),
        )
    }
}
