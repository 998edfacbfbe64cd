//! From a study to a plan: everything is built, loaded and paired; all problems in one go.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use duress_core::data::{Dataset, InputKind, Source};
use duress_core::gauge::Gauge;
use duress_core::name::Name;
use duress_core::part::{Build, Params, PartKind};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::rater::AnyRater;
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{self, Stressor};
use duress_core::subject::{Learns, SubjectPart};
use duress_findings::FileRead;
use duress_parts::registry::Registry;

use super::clusters;
use super::pairing;
use super::part_identity::{SubjectIdentity, stressor_id};
use super::part_taking;
use super::rater_pairing;
use super::recorded::same_classes;
use super::unread::{self, UnreadPieces};
use super::{
    Axes, Cell, DatasetOf, FittedTemperature, Id, Loaded, Plan, PlannedGauge, PlannedRater,
    PlannedStressor, PlannedSubject, RaterPreparation, Rung, Stress,
};
use crate::axis::{Axis, DatasetAt, GaugeAt, LoadedAt, RaterAt, ReplicateAt, StressAt, SubjectAt};
use crate::study::{
    ActsOn, Chosen, DatasetDecl, GaugeDecl, LadderKeeps, Origin, Press, RaterDecl, Rejected,
    Spanned, Study, SubjectDecl,
};

/// The gauge that fits a temperature.
const TEMPERATURE: &str = "temperature";

/// What a dataset of the study is like, before it is loaded.
pub(super) struct Described {
    pub(super) kind: InputKind,
    pub(super) offers: Question,
    varies: bool,
}

/// What each dataset is read from; none for one that is derived from another.
type Sources = Axis<DatasetAt, Option<Box<dyn Source>>>;

/// Makes the plan of a study, or says everything that is wrong with it.
pub fn make(study: Study, registry: &Registry) -> Result<Plan, Rejected> {
    build_plan(study, registry, None)
}

/// The plan of a study that was run, from the axes that were kept: no data is read.
pub fn reopen(study: Study, registry: &Registry, axes: &Axes) -> Result<Plan, Rejected> {
    build_plan(study, registry, Some(axes))
}

fn build_plan(study: Study, registry: &Registry, kept: Option<&Axes>) -> Result<Plan, Rejected> {
    let path = study.path.clone();
    let text = study.text.clone();
    match make_partly(study, registry, kept) {
        (Some(plan), problems) if problems.is_empty() => Ok(plan),
        (_, problems) => Err(Rejected::new(&path, &text, problems)),
    }
}

/// What is wrong with a study, and its plan as far as one can be made all the same: to look on, not
/// to run.
pub(crate) fn make_partly(
    study: Study,
    registry: &Registry,
    kept: Option<&Axes>,
) -> (Option<Plan>, Vec<Problem>) {
    duress_tensors::bound::allow(study.expansion);
    let mut builder = PlanBuilder {
        registry,
        problems: Vec::new(),
    };
    let plan = builder.plan(study, kept);
    (plan, builder.problems)
}

struct PlanBuilder<'a> {
    registry: &'a Registry,
    problems: Vec<Problem>,
}

impl PlanBuilder<'_> {
    /// Goes on after problems as far as later steps can tell of others: what does not go together
    /// is told with what is wrong in files, but nothing is told twice.
    fn plan(&mut self, study: Study, kept: Option<&Axes>) -> Option<Plan> {
        let study = Arc::new(study);
        if kept.is_some_and(|axes| axes.study_hash() != study.hash) {
            let wrong = Problem::new("the plan that was kept is of another version of this study");
            self.problems
                .push(wrong.hint("run the study again: kept answers are taken up"));
            return None;
        }
        if let Some(Err(why)) = kept.map(|axes| axes.check(&study)) {
            self.edited(&why);
            return None;
        }
        let sources = self.sources(&study)?;
        let described = describe(&study, &sources);
        let plan = self.without_data(study, &described)?;
        match kept {
            Some(axes) => self.with_kept_axes(plan, axes),
            None => self.with_data(plan, &sources, &described),
        }
    }

    /// What the study names, and whether it goes together; no data yet.
    fn without_data(
        &mut self,
        study: Arc<Study>,
        described: &Axis<DatasetAt, Described>,
    ) -> Option<Plan> {
        let gauges = self.gauges(&study);
        let mut subjects = self.subjects(&study)?;
        let mut stresses = self.stresses(&study)?;
        let mut raters = self.raters(&study)?;
        let gauges = gauges?;
        self.problems
            .extend(pairing::subjects(&study, &subjects, described));
        self.problems.extend(pairing::stresses(
            &study,
            &subjects,
            described,
            &mut stresses,
        ));
        self.problems
            .extend(rater_pairing::subjects(&study, &subjects, &mut raters));
        self.problems
            .extend(rater_pairing::lesson_kinds(&study, &raters, described));
        self.problems
            .extend(pairing::gauges(&study, &mut subjects, &gauges, &raters));
        self.problems
            .extend(pairing::bounds(&study, &stresses, &gauges));
        self.problems
            .extend(pairing::temperatures(&study, &subjects, &gauges));
        self.problems
            .extend(pairing::choices(&study, &subjects, &gauges));
        self.problems.extend(pairing::limits(&study, &gauges));
        self.problems
            .extend(pairing::claims(&study, &stresses, &gauges));
        Some(Plan {
            study,
            loaded: Axis::default(),
            dataset_of: DatasetOf::default(),
            subjects,
            stresses,
            raters,
            gauges,
            recordings: HashMap::new(),
            rater_files: HashMap::new(),
            files: Vec::new(),
        })
    }

    /// The plan with what was kept of its data instead of the data.
    fn with_kept_axes(&mut self, mut plan: Plan, axes: &Axes) -> Option<Plan> {
        self.clean()?;
        (plan.loaded, plan.dataset_of) = axes.loaded(&plan.study.seeds);
        plan.recordings = axes.recordings();
        plan.rater_files = axes.rater_files();
        plan.files = axes.files.clone();
        axes.set_identities(&mut plan);
        if plan.cells().any(|cell| plan.lacks_recording(cell)) {
            self.edited("it does not say which recorded answers were read");
        }
        Some(plan)
    }

    /// The plan with its data, and whether these suit it.
    fn with_data(
        &mut self,
        mut plan: Plan,
        sources: &Sources,
        described: &Axis<DatasetAt, Described>,
    ) -> Option<Plan> {
        let study = Arc::clone(&plan.study);
        let (loaded, dataset_of) = self.load(&study, sources, described)?;
        self.problems.extend(pairing::lessons(
            &study,
            &plan.subjects,
            &loaded,
            &dataset_of,
        ));
        self.problems.extend(rater_pairing::lessons(
            &study,
            &plan.raters,
            &loaded,
            &dataset_of,
        ));
        self.problems.extend(pairing::slices(&study, &loaded));
        self.problems
            .extend(clusters::problems(&study, &loaded, &dataset_of));
        (plan.loaded, plan.dataset_of) = (loaded, dataset_of);
        let unread = unread::unread(&plan, sources);
        self.record(&mut plan, &unread);
        let told: Vec<_> = self
            .problems
            .iter()
            .filter_map(|one| one.span.clone())
            .collect();
        let mut later = pairing::suits(&plan);
        later.extend(pairing::same_items(&plan));
        later.extend(rater_pairing::suits(&plan));
        later.extend(part_taking::nobody(&plan));
        // Of a subject or a ladder that is wrong already, the rest may follow from that.
        let new = |problem: &Problem| {
            problem
                .span
                .as_ref()
                .is_none_or(|span| !told.contains(span))
        };
        self.problems.extend(later.into_iter().filter(new));
        Some(plan)
    }

    fn edited(&mut self, why: &str) {
        let wrong = Problem::new(format!("the plan that was kept was edited: {why}"));
        self.problems
            .push(wrong.hint("run the study again: kept answers are taken up"));
    }

    fn clean(&self) -> Option<()> {
        self.problems.is_empty().then_some(())
    }

    fn sources(&mut self, study: &Study) -> Option<Sources> {
        let mut sources = Axis::default();
        for decl in &study.datasets {
            sources.push(match &decl.from {
                Origin::Derived { .. } => None,
                Origin::Part(chosen) => {
                    let Build::Dataset(build) = chosen.part.build else {
                        unreachable_kind(chosen, PartKind::Dataset)
                    };
                    let params = clusters::with_columns(study, decl, chosen);
                    self.keep(build(&params), decl.span.clone())
                }
            });
        }
        self.clean().map(|()| sources)
    }

    fn subjects(&mut self, study: &Study) -> Option<Axis<SubjectAt, PlannedSubject>> {
        let built: Vec<_> = study
            .subjects
            .iter()
            .map(|decl| self.subject(study, decl))
            .collect();
        built.into_iter().collect()
    }

    fn subject(&mut self, study: &Study, decl: &SubjectDecl) -> Option<PlannedSubject> {
        let Build::Subject(build) = decl.chosen.part.build else {
            unreachable_kind(&decl.chosen, PartKind::Subject)
        };
        let subject = self.keep(build(&decl.chosen.params), decl.span.clone())?;
        let abilities = match &subject {
            SubjectPart::Live(live) => Some(live.abilities()),
            SubjectPart::Recorded(_) => None,
        };
        let offers = match &subject {
            SubjectPart::Live(live) => live.abilities().answers,
            SubjectPart::Recorded(recording) => recording.answers(),
        };
        let position = |name: &Name| study.datasets.position(|dataset| dataset.name == *name);
        let identity = match &subject {
            SubjectPart::Live(live) => SubjectIdentity::of_subject(&decl.chosen, live.as_ref()),
            SubjectPart::Recorded(_) => SubjectIdentity::of_all_keys(&decl.chosen),
        };
        Some(PlannedSubject {
            subject: Arc::new(subject),
            abilities,
            identity,
            offers,
            asked: Vec::new(),
            on: position(&decl.on)?,
            test_on: decl.test_on.iter().filter_map(position).collect(),
        })
    }

    fn stresses(&mut self, study: &Study) -> Option<Axis<StressAt, Stress>> {
        let applies_to: Axis<SubjectAt, bool> = study.subjects.iter().map(|_| false).collect();
        let pressed_on = |named: Option<&Spanned<Vec<Name>>>| -> Axis<DatasetAt, bool> {
            let is_named =
                |one: &DatasetDecl| named.is_none_or(|all| all.value.contains(&one.name));
            study.datasets.iter().map(is_named).collect()
        };
        let mut stresses = Axis::default();
        for ladder in &study.ladders {
            let Some(stressor) = self.stressor(study, &ladder.chosen, ladder.span.clone()) else {
                continue;
            };
            let rungs = rungs(&stressor.stressor, &ladder.severities);
            let elsewhere = matches!(*stressor.stressor, Stressor::Elsewhere { .. });
            let aware = matches!(*stressor.stressor, Stressor::Aware(_));
            let keeps_images = ladder.keeps == LadderKeeps::Adversarial;
            if keeps_images && !aware {
                let problem = Problem::new(format!(
                    "`keep = \"adversarial\"`, and `{}` is no attack",
                    stressor.part
                ))
                .expected("an attack")
                .hint("what a corruption does can be done again: it depends on the seed alone");
                self.problems.push(problem.at(ladder.span.clone()));
            }
            stresses.push(Stress {
                name: ladder.name.clone(),
                is_ladder: true,
                acts_on: if elsewhere {
                    ActsOn::Elsewhere
                } else {
                    ladder.acts_on
                },
                aware,
                keeps_images,
                stressors: vec![stressor],
                rungs,
                applies_to: applies_to.clone(),
                pressed_on: pressed_on(ladder.datasets.as_ref()),
            });
        }
        for condition in &study.conditions {
            let stressors: Vec<_> = condition
                .press
                .iter()
                .map(|press| self.stressor(study, &press.chosen, press.span.clone()))
                .collect();
            let Some(stressors) = stressors.into_iter().collect() else {
                continue;
            };
            let severities = condition
                .press
                .iter()
                .map(|press| press.severity.clone())
                .collect();
            stresses.push(Stress {
                name: condition.name.clone(),
                is_ladder: false,
                acts_on: condition.acts_on,
                aware: false,
                keeps_images: false,
                stressors,
                rungs: vec![Rung {
                    severity: Severity::whole(),
                    variant: 0,
                    severities,
                }],
                applies_to: applies_to.clone(),
                pressed_on: pressed_on(condition.datasets.as_ref()),
            });
        }
        self.clean().map(|()| stresses)
    }

    fn stressor(
        &mut self,
        study: &Study,
        chosen: &Chosen,
        span: std::ops::Range<usize>,
    ) -> Option<PlannedStressor> {
        let Build::Stressor(build) = chosen.part.build else {
            unreachable_kind(chosen, PartKind::Stressor)
        };
        let stressor = self.keep(build(&chosen.params), span.clone())?;
        let source = self.keep(climbed_subject(study, &stressor), span)?;
        Some(PlannedStressor {
            id: stressor_id(chosen, &stressor),
            stressor: Arc::new(stressor),
            part: chosen.part.name,
            source,
        })
    }

    fn raters(&mut self, study: &Study) -> Option<Axis<RaterAt, PlannedRater>> {
        let mut raters = Vec::new();
        for decl in &study.raters {
            let Chosen { part, params } = &decl.chosen;
            let built = match part.build {
                Build::Rater(build) => build(params).map(AnyRater::Ready),
                Build::Subject(build) => {
                    build(params).and_then(|subject| AnyRater::subject(part.name, subject))
                }
                _ => unreachable_kind(&decl.chosen, PartKind::Rater),
            };
            let built = built.and_then(|rater| {
                let on = fitted_on(study, decl, &rater)?;
                Ok((rater, on))
            });
            let built = self.keep(built, decl.span.clone());
            raters.extend(built.map(|(rater, on)| PlannedRater {
                identity: match &rater {
                    AnyRater::Subject(subject) => {
                        SubjectIdentity::of_subject(&decl.chosen, subject.as_ref())
                    }
                    AnyRater::Ready(_) => SubjectIdentity::of_all_keys(&decl.chosen),
                },
                rater: Arc::new(rater),
                on,
                applies_to: study.subjects.iter().map(|_| false).collect(),
            }));
        }
        self.clean().map(|()| raters.into())
    }

    fn gauges(&mut self, study: &Study) -> Option<Axis<GaugeAt, PlannedGauge>> {
        let named = |dataset: &Name| study.datasets.position(|one| one.name == *dataset);
        let mut gauges = Vec::new();
        for decl in &study.gauges {
            let Some(gauge) = self.gauge(&decl.chosen, decl.span.clone()) else {
                continue;
            };
            let through = match gauge.of() {
                None => None,
                Some(of) => match self.read_through(study, of) {
                    Ok(through) => Some(through),
                    Err(problem) => {
                        self.problems.push(problem.at(decl.span.clone()));
                        continue;
                    }
                },
            };
            if let Some(problem) = unknown_reference(study, &gauge) {
                self.problems.push(problem.at(decl.span.clone()));
                continue;
            }
            let temperature = match self.temperature(study, decl) {
                Ok(temperature) => temperature,
                Err(problem) => {
                    self.problems.push(problem.at(decl.span.clone()));
                    continue;
                }
            };
            let of_scale = through.as_ref().and_then(|through| through.scale(None));
            gauges.extend(gauge.scale(of_scale.as_ref()).map(|scale| PlannedGauge {
                gauge: Arc::new(gauge),
                through,
                temperature,
                chosen_on: decl.chosen_on.as_ref().and_then(named),
                scale,
            }));
        }
        self.clean().map(|()| gauges.into())
    }

    /// What fits the temperature that a gauge reads answers at, where it does.
    fn temperature(
        &self,
        study: &Study,
        decl: &GaugeDecl,
    ) -> Result<Option<FittedTemperature>, Problem> {
        let on = decl.temperature_on.as_ref();
        let on = on.and_then(|on| study.datasets.position(|one| one.name == *on));
        let Some(on) = on else {
            return Ok(None);
        };
        let gauge = self.read_through(study, TEMPERATURE)?;
        Ok(Some(FittedTemperature { on, gauge }))
    }

    fn gauge(&mut self, chosen: &Chosen, span: std::ops::Range<usize>) -> Option<Gauge> {
        let Build::Gauge(build) = chosen.part.build else {
            unreachable_kind(chosen, PartKind::Gauge)
        };
        self.keep(build(&chosen.params), span)
    }

    /// The cell gauge called `of`: one of the study's, or a part with every key at its default.
    fn read_through(&self, study: &Study, of: &str) -> Result<Arc<Gauge>, Problem> {
        let chosen = match study.gauges.iter().find(|gauge| gauge.name == of) {
            Some(decl) => decl.chosen.clone(),
            None => {
                let part = self.registry.find(PartKind::Gauge, of)?;
                let params = Params::check(part.fields, &[], std::path::Path::new(""));
                Chosen {
                    part,
                    params: params.map_err(|mut missing| missing.swap_remove(0))?,
                }
            }
        };
        let Build::Gauge(build) = chosen.part.build else {
            unreachable_kind(&chosen, PartKind::Gauge)
        };
        match build(&chosen.params)? {
            cell @ Gauge::Cell(_) => Ok(Arc::new(cell)),
            other => Err(Problem::new(format!("`{of}` is a {} gauge", other.scope()))
                .expected("a cell gauge")),
        }
    }

    fn load(
        &mut self,
        study: &Study,
        sources: &Sources,
        described: &Axis<DatasetAt, Described>,
    ) -> Option<(Axis<LoadedAt, Loaded>, DatasetOf)> {
        let mut loaded: Axis<LoadedAt, Loaded> = Axis::default();
        let mut dataset_of = DatasetOf::default();
        for (at, decl) in study.datasets.at_each() {
            let mut by_replicate: Axis<ReplicateAt, LoadedAt> = Axis::default();
            for replicate in study.seeds.positions() {
                if let Some(first) = by_replicate.first().copied()
                    && !described[at].varies
                {
                    by_replicate.push(first);
                    continue;
                }
                let dataset = match &sources[at] {
                    Some(source) => source.load(data_seed(study, replicate)),
                    None => derive(study, decl, replicate, |base| {
                        loaded[dataset_of[base][replicate]].dataset()
                    }),
                };
                let dataset = self.keep(dataset, decl.span.clone())?;
                by_replicate.push(loaded.push(Loaded::new(dataset)));
            }
            dataset_of.push(by_replicate);
        }
        Some((loaded, dataset_of))
    }

    /// Finds and hashes the files that answers come from: recorded ones, and what a live subject is
    /// made of.
    fn record(&mut self, plan: &mut Plan, unread: &UnreadPieces) {
        let mut hashes: HashMap<std::path::PathBuf, Id> = HashMap::new();
        self.record_raters(plan, &mut hashes);
        let from_files: Vec<Cell> = plan
            .cells()
            .filter(|cell| cell.rater.is_none())
            .filter(|cell| plan.subjects[cell.subject].abilities.is_none() || cell.stress.is_none())
            .collect();
        let mut told = std::collections::HashSet::new();
        hash_data(&plan.study, &mut hashes);
        unread.files().for_each(|file| hash_file(file, &mut hashes));
        for cell in from_files {
            let files = match &*plan.subjects[cell.subject].subject {
                SubjectPart::Recorded(recording) => {
                    let (at, data) = (
                        plan.circumstances(cell),
                        plan.dataset(cell.test, cell.replicate),
                    );
                    let files = recording.sources(&at);
                    files.and_then(|files| {
                        same_classes(recording.as_ref(), &at, data.dataset()).map(|()| Some(files))
                    })
                }
                SubjectPart::Live(live) => {
                    let files = live.sources(plan.replicate_number(cell.replicate));
                    files.map(|files| (!files.is_empty()).then_some(files))
                }
            };
            let said =
                files.and_then(|files| files.map(|files| hash(&files, &mut hashes)).transpose());
            match said {
                Ok(None) => {}
                Ok(Some(id)) => {
                    plan.recordings
                        .insert((cell.subject, cell.replicate, cell.stress), id);
                }
                Err(problem) => {
                    if told.insert(problem.to_string()) {
                        self.problems
                            .push(problem.at(plan.study.subjects[cell.subject].span.clone()));
                    }
                }
            }
        }
        plan.files = files_read(&plan.study, &hashes, unread);
    }

    /// Finds and hashes the files that ratings come from.
    fn record_raters(&mut self, plan: &mut Plan, hashes: &mut HashMap<std::path::PathBuf, Id>) {
        for (rater, decl) in plan.study.raters.at_each() {
            for replicate in plan.study.seeds.positions() {
                let files = plan.raters[rater]
                    .rater
                    .sources(plan.replicate_number(replicate));
                let content = files.and_then(|files| match files.is_empty() {
                    true => Ok(None),
                    false => hash(&files, hashes).map(Some),
                });
                match content {
                    Ok(content) => {
                        let content = content.map(|id| (RaterPreparation { rater, replicate }, id));
                        plan.rater_files.extend(content);
                    }
                    Err(problem) => {
                        // What is wrong under one seed is mostly wrong under all.
                        self.problems.push(problem.at(decl.span.clone()));
                        break;
                    }
                }
            }
        }
    }

    fn keep<T>(&mut self, result: Result<T, Problem>, span: std::ops::Range<usize>) -> Option<T> {
        result
            .map_err(|problem| self.problems.push(problem.at(span)))
            .ok()
    }
}

/// What is wrong with the subject that a gauge divides by.
/// The other subject whose slopes an attack climbs, where it names one.
fn climbed_subject(study: &Study, stressor: &Stressor) -> Result<Option<SubjectAt>, Problem> {
    let Stressor::Aware(attack) = stressor else {
        return Ok(None);
    };
    let Some(name) = attack.source() else {
        return Ok(None);
    };
    let found = study.subjects.position(|decl| decl.name.as_str() == name);
    let known = study.subjects.iter().map(|decl| decl.name.as_str());
    found.map(Some).ok_or_else(|| {
        Problem::new(format!("there is no subject `{name}` to climb"))
            .expected("a subject of this study")
            .nearest(name, known)
    })
}

fn unknown_reference(study: &Study, gauge: &Gauge) -> Option<Problem> {
    let Gauge::Subject(subject_gauge) = gauge else {
        return None;
    };
    let name = subject_gauge.reference()?;
    let known = study.subjects.iter().map(|decl| decl.name.as_str());
    if !study.is_whole || known.clone().any(|known| known == name) {
        return None;
    }
    let problem = Problem::new(format!("there is no subject `{name}` to divide by"));
    Some(
        problem
            .expected("a subject of this study")
            .nearest(name, known),
    )
}

/// Hashes the files that datasets name. Folders are left out, and so is what cannot be read: whoever
/// needed it has said so, and what was read has a fingerprint.
fn hash_data(study: &Study, known: &mut HashMap<std::path::PathBuf, Id>) {
    for decl in &study.datasets {
        let Origin::Part(chosen) = &decl.from else {
            continue;
        };
        let fields = chosen.part.fields.iter();
        for file in fields.filter_map(|field| chosen.params.file_if(field.name)) {
            hash_file(&file, known);
        }
    }
}

fn hash_file(file: &Path, known: &mut HashMap<std::path::PathBuf, Id>) {
    if file.is_file()
        && !known.contains_key(file)
        && let Ok(id) = Id::of_file(file)
    {
        known.insert(file.into(), id);
    }
}

/// The files that were read, in the order of their paths, which start at the study's folder.
fn files_read(
    study: &Study,
    hashes: &HashMap<std::path::PathBuf, Id>,
    unread: &UnreadPieces,
) -> Vec<FileRead> {
    let folder = study.path.parent();
    let from_study = |path: &std::path::Path| {
        let inside = folder.and_then(|folder| path.strip_prefix(folder).ok());
        let inside = inside.unwrap_or(path);
        let inside = inside.strip_prefix(".").unwrap_or(inside);
        inside.to_string_lossy().into_owned()
    };
    let mut seen = std::collections::HashSet::new();
    let mut paths: Vec<_> = hashes.iter().collect();
    paths.sort();
    // The same file may be named in two ways.
    paths.retain(|(path, _)| seen.insert(unread::whole(path)));
    let mut files: Vec<FileRead> = paths
        .into_iter()
        .map(|(path, id)| FileRead {
            path: from_study(path),
            hash: id.to_string(),
            unread: unread.of(path).to_vec(),
        })
        .collect();
    files.sort();
    files
}

fn hash(
    files: &[std::path::PathBuf],
    known: &mut HashMap<std::path::PathBuf, Id>,
) -> Result<Id, Problem> {
    let mut ids = Vec::new();
    for file in files {
        let id = match known.get(file) {
            Some(id) => *id,
            None => {
                let id = Id::of_file(file).map_err(|error| {
                    Problem::new(format!("cannot be read: {error}")).in_file(file)
                })?;
                known.insert(file.clone(), id);
                id
            }
        };
        ids.push(id);
    }
    let pieces: Vec<&[u8]> = ids.iter().map(|id| id.bytes().as_slice()).collect();
    Ok(Id::joined("files 1", &pieces))
}

fn describe(study: &Study, sources: &Sources) -> Axis<DatasetAt, Described> {
    let mut described: Axis<DatasetAt, Described> = Axis::default();
    for (decl, source) in study.datasets.iter().zip(sources) {
        described.push(match (&decl.from, source) {
            (Origin::Derived { base, press, .. }, _) => {
                let base = &described[base_of(study, base)];
                let stressed =
                    study.vary.stress && press.iter().any(|press| !press.severity.is_clean());
                Described {
                    kind: base.kind,
                    offers: base.offers,
                    varies: base.varies || stressed,
                }
            }
            (_, Some(source)) => Described {
                kind: source.kind(),
                offers: source.offers(),
                varies: source.varies() && study.vary.data,
            },
            (_, None) => unreachable!("every dataset that is not derived has a source"),
        });
    }
    described
}

/// The position of the dataset that another is derived from.
fn base_of(study: &Study, base: &Name) -> DatasetAt {
    let at = study.datasets.position(|dataset| dataset.name == *base);
    at.unwrap_or_else(|| unreachable!("a base comes before what is derived from it"))
}

fn data_seed(study: &Study, replicate: ReplicateAt) -> Seed {
    let number = if study.vary.data {
        study.seeds[replicate]
    } else {
        0
    };
    Seed::new(number).child("data")
}

/// A base with its stressors baked in, on both splits.
fn derive<'a>(
    study: &Study,
    decl: &DatasetDecl,
    replicate: ReplicateAt,
    loaded: impl Fn(DatasetAt) -> &'a Arc<Dataset>,
) -> Result<Dataset, Problem> {
    let Origin::Derived {
        base,
        press,
        hold_out,
    } = &decl.from
    else {
        unreachable!("only derived datasets come here")
    };
    let base = loaded(base_of(study, base));
    let number = if study.vary.stress {
        study.seeds[replicate]
    } else {
        0
    };
    let mut derived = (**base).clone();
    for (at, one) in press.iter().enumerate() {
        let nth = press[..at]
            .iter()
            .filter(|other| other.chosen.part.name == one.chosen.part.name)
            .count();
        let press = one;
        let seed = Seed::new(number)
            .child("derive")
            .child(press.chosen.part.name)
            .child(nth.to_string());
        derived = bake(&derived, press, seed)?;
    }
    match hold_out {
        Some(regime) => derived.hold_out(*regime),
        None => Ok(derived),
    }
}

fn bake(dataset: &Dataset, press: &Press, seed: Seed) -> Result<Dataset, Problem> {
    let Build::Stressor(build) = press.chosen.part.build else {
        unreachable_kind(&press.chosen, PartKind::Stressor)
    };
    let Stressor::Blind(blind) = build(&press.chosen.params)? else {
        let wrong = Problem::new(format!(
            "`{}` asks a subject, so it cannot be baked in",
            press.chosen.part.name
        ));
        return Err(wrong.expected("a blind stressor").at(press.span.clone()));
    };
    let pressed = |split| {
        stressor::press(blind.as_ref(), split, &press.severity, 0, seed).map_err(|failure| {
            Problem::new(format!("`{}`: {failure}", press.chosen.part.name)).at(press.span.clone())
        })
    };
    let fit = dataset.fit().map(pressed).transpose()?;
    Ok(dataset.derive(fit, pressed(dataset.test())?))
}

fn rungs(stressor: &Stressor, severities: &[Severity]) -> Vec<Rung> {
    let rung = |severity: &Severity, variant| Rung {
        severity: severity.clone(),
        variant,
        severities: vec![severity.clone()],
    };
    severities
        .iter()
        .flat_map(|s| (0..stressor.variants(s)).map(move |variant| rung(s, variant)))
        .collect()
}

/// The position of the dataset a rater is fitted on; none where it learns nothing.
fn fitted_on(
    study: &Study,
    decl: &RaterDecl,
    rater: &AnyRater,
) -> Result<Option<DatasetAt>, Problem> {
    let name = &decl.name;
    let position = |on: &Name| study.datasets.position(|one| one.name == *on);
    match (&decl.on, rater.learns()) {
        (None, Learns::Nothing) => Ok(None),
        (Some(_), Learns::Nothing) => Err(Problem::new(format!(
            "rater `{name}` says what it is `on`, but learns nothing"
        ))
        .expected("`on` only where it learns")),
        (Some(on), _) => Ok(position(on)),
        (None, _) if study.datasets.len() == 1 => Ok(study.datasets.positions().next()),
        (None, _) => Err(Problem::new(format!(
            "rater `{name}` has to be taught, and does not say what it is `on`"
        ))
        .expected("`on = \"DATASET\"`")),
    }
}

/// The registry gave a part of the wrong kind: our bug.
fn unreachable_kind(chosen: &Chosen, kind: PartKind) -> ! {
    unreachable!("the registry gave `{}` as a {kind}", chosen.part.name)
}
