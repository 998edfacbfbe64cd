//! A plan as it is stored and printed: its axes, not its cells.

use std::collections::{HashMap, HashSet};

use duress_core::rater::AnyRater;
use duress_findings::FileRead;
use serde::{Deserialize, Serialize};

use super::part_identity::earlier_subject_id;
use super::{
    DatasetOf, Id, Loaded, Plan, PlannedRater, PlannedSubject, Preparation, RaterPreparation,
    RecordedAt,
};
use crate::axis::{Axis, DatasetAt, LoadedAt, Position, RaterAt, ReplicateAt, SubjectAt};
use crate::study::Study;

/// What is written today: in a run's folder it comes with a checksum, which version 1 had not.
const VERSION: u32 = 2;

/// The axes of a plan.
#[derive(Serialize, Deserialize)]
pub struct Axes {
    version: u32,
    study: String,
    study_hash: String,
    seeds: Vec<u64>,
    datasets: Vec<DatasetAxis>,
    subjects: Vec<SubjectAxis>,
    stresses: Vec<StressAxis>,
    #[serde(default)]
    raters: Vec<String>,
    /// The identity of each rater; not told before there was this key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rater_ids: Vec<Id>,
    gauges: Vec<String>,
    /// What recorded answers are made of: one line per file that was read.
    recordings: Vec<(RecordedAt, Id)>,
    /// What raters are made of that come with files: one line per rater and seed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rater_files: Vec<(RaterPreparation, Id)>,
    /// The files that were read, as they were then; not told before there was this key.
    #[serde(default)]
    pub(super) files: Vec<FileRead>,
    /// How much there is to do.
    pub count: Count,
}

/// How much there is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Cells.
    pub cells: usize,
    /// Preparations.
    pub preparations: usize,
}

#[derive(Serialize, Deserialize)]
struct DatasetAxis {
    name: String,
    fingerprints: Vec<Id>,
    /// Which of the fingerprints each replicate has.
    of_replicate: Vec<usize>,
    fit_items: usize,
    test_items: usize,
    remarks: Vec<Vec<String>>,
    /// The column by which items belong together, where the dataset knows one itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cluster: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct SubjectAxis {
    name: String,
    part: String,
    id: Id,
    /// Version 1 named one question, under another key, and it is not read back.
    #[serde(default)]
    questions: Vec<String>,
    fitted_on: String,
    tested_on: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct StressAxis {
    name: String,
    acts_on: String,
    stressors: Vec<String>,
    rungs: Vec<String>,
    presses: Vec<String>,
    /// The datasets it presses them on; none where it is all that they are tested on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    datasets: Vec<String>,
}

impl Plan {
    /// How much there is to do.
    pub fn count(&self) -> Count {
        let seeds = self.study.seeds.len();
        let mut cells = 0;
        let mut preparations = self.rater_preparation_ids();
        let asked = self.subjects.at_each();
        for (at, subject) in asked.filter(|(_, subject)| !subject.asked.is_empty()) {
            let tests = subject.test_on.iter();
            let raters = self.raters_of(at).count();
            let asked = |&test: &DatasetAt| {
                let under = std::iter::once(None).chain(self.rungs_of(at, test).map(Some));
                let each = under.map(|stress| self.asked_at(at, test, stress).count() + raters);
                each.sum::<usize>()
            };
            cells += tests.map(asked).sum::<usize>() * seeds;
            if subject.abilities.is_some() {
                preparations.extend(self.preparations_of(at).map(|one| self.preparation_id(one)));
            }
        }
        Count {
            cells,
            preparations: preparations.len(),
        }
    }

    /// What must be done before subjects that rate can be asked.
    fn rater_preparation_ids(&self) -> HashSet<Id> {
        let rates = |rater: &RaterAt| {
            let mut subjects = self.subjects.positions();
            let used = subjects.any(|at| self.raters_of(at).any(|one| one == *rater));
            used && matches!(*self.raters[*rater].rater, AnyRater::Subject(_))
        };
        let raters = self.raters.positions().filter(rates);
        raters
            .flat_map(|rater| {
                let of = move |replicate| RaterPreparation { rater, replicate };
                self.study.seeds.positions().map(of)
            })
            .map(|one| self.rater_preparation_id(one))
            .collect()
    }

    /// What must be done before a subject's cells can be asked.
    fn preparations_of(&self, subject: SubjectAt) -> impl Iterator<Item = Preparation> + '_ {
        let refits = move || {
            self.pressing(subject)
                .filter(|(_, stress)| stress.presses_fit())
                .flat_map(|(at, stress)| stress.rungs_at(at))
        };
        self.study.seeds.positions().flat_map(move |replicate| {
            let stresses = std::iter::once(None).chain(refits().map(Some));
            stresses.map(move |stress| Preparation {
                subject,
                replicate,
                stress,
            })
        })
    }

    /// The axes, to be stored or printed.
    pub fn axes(&self) -> Axes {
        let study = &self.study;
        let name = |at: DatasetAt| study.datasets[at].name.to_string();
        Axes {
            version: VERSION,
            study: study.name.to_string(),
            study_hash: study.hash.clone(),
            seeds: study.seeds.iter().copied().collect(),
            datasets: study
                .datasets
                .positions()
                .map(|at| self.dataset_axis(at))
                .collect(),
            subjects: study
                .subjects
                .iter()
                .zip(&self.subjects)
                .map(|(decl, subject)| SubjectAxis {
                    name: decl.name.to_string(),
                    part: decl.chosen.part.name.into(),
                    id: subject.identity.id,
                    questions: subject.asked.iter().map(ToString::to_string).collect(),
                    fitted_on: name(subject.on),
                    tested_on: subject.test_on.iter().map(|&at| name(at)).collect(),
                })
                .collect(),
            stresses: self.stress_axes(),
            raters: study
                .raters
                .iter()
                .map(|rater| rater.name.to_string())
                .collect(),
            rater_ids: self.raters.iter().map(|rater| rater.identity.id).collect(),
            gauges: study
                .gauges
                .iter()
                .map(|gauge| gauge.name.clone())
                .collect(),
            recordings: sorted(&self.recordings),
            rater_files: sorted(&self.rater_files),
            files: self.files.clone(),
            count: self.count(),
        }
    }

    fn dataset_axis(&self, at: DatasetAt) -> DatasetAxis {
        let positions = self.distinct(at);
        let loaded: Vec<&Loaded> = positions.iter().map(|&at| &self.loaded[at]).collect();
        let nth = |position: &LoadedAt| position.number() - positions[0].number();
        DatasetAxis {
            name: self.study.datasets[at].name.to_string(),
            fingerprints: loaded.iter().map(|one| one.fingerprint).collect(),
            of_replicate: self.dataset_of[at].iter().map(nth).collect(),
            fit_items: loaded[0].fit_items,
            test_items: loaded[0].test_items,
            remarks: loaded.iter().map(|one| one.remarks.clone()).collect(),
            cluster: loaded[0].cluster.clone(),
        }
    }

    fn stress_axes(&self) -> Vec<StressAxis> {
        let pressed = |applies: &Axis<SubjectAt, bool>| {
            let named = self
                .study
                .subjects
                .iter()
                .zip(applies)
                .filter(|(_, applies)| **applies);
            named.map(|(decl, _)| decl.name.to_string()).collect()
        };
        let axis = |stress: &super::Stress| StressAxis {
            name: stress.name.to_string(),
            acts_on: stress.acts_on.to_string(),
            stressors: stress.stressors.iter().map(|one| one.part.into()).collect(),
            rungs: stress
                .rungs
                .iter()
                .map(|rung| rung.severity.to_string())
                .collect(),
            presses: pressed(&stress.applies_to),
            datasets: self.datasets_named_by(stress),
        };
        self.stresses.iter().map(axis).collect()
    }

    fn datasets_named_by(&self, stress: &super::Stress) -> Vec<String> {
        if stress.pressed_on.iter().all(|pressed| *pressed) {
            return Vec::new();
        }
        let datasets = self.study.datasets.iter().zip(&stress.pressed_on);
        let named = datasets.filter(|(_, pressed)| **pressed);
        named.map(|(decl, _)| decl.name.to_string()).collect()
    }
}

impl Axes {
    /// Whether they must come with a checksum.
    pub(crate) fn have_checksum(&self) -> bool {
        self.version > 1
    }

    /// Whether these can be axes of a plan of that study: a file without a checksum may have been
    /// edited, and positions in it may point nowhere.
    pub(super) fn check(&self, study: &Study) -> Result<(), String> {
        let named = self.datasets.iter().map(|axis| axis.name.as_str());
        let declared = study.datasets.iter().map(|one| one.name.as_str());
        let subjects = self.subjects.iter().map(|axis| axis.name.as_str());
        if !subjects.eq(study.subjects.iter().map(|one| one.name.as_str())) {
            return Err("its subjects are not the study's".into());
        }
        if !named.eq(declared) || !self.seeds.iter().eq(study.seeds.iter()) {
            return Err("its datasets or seeds are not the study's".into());
        }
        for axis in &self.datasets {
            let known = axis.fingerprints.len();
            let numbered = axis.of_replicate.iter().all(|at| *at < known);
            let complete = axis.of_replicate.len() == study.seeds.len();
            if !numbered || !complete || axis.remarks.len() != known {
                return Err(format!(
                    "the seeds of `{}` do not each have one of its {known} fingerprints",
                    axis.name
                ));
            }
        }
        Ok(())
    }

    /// The fingerprints of the datasets that are tested on.
    pub(crate) fn tested_fingerprints(&self) -> impl Iterator<Item = Id> + '_ {
        let tested = |axis: &&DatasetAxis| {
            let mut subjects = self.subjects.iter();
            subjects.any(|subject| subject.tested_on.contains(&axis.name))
        };
        let axes = self.datasets.iter().filter(tested);
        axes.flat_map(|axis| axis.fingerprints.iter().copied())
    }

    /// The datasets of the plan, without their data.
    pub(super) fn loaded(
        &self,
        seeds: &Axis<ReplicateAt, u64>,
    ) -> (Axis<LoadedAt, Loaded>, DatasetOf) {
        let mut loaded = Vec::new();
        let mut dataset_of = DatasetOf::default();
        for axis in &self.datasets {
            let first = loaded.len();
            let position = |replicate: ReplicateAt| {
                let nth = axis.of_replicate.get(replicate.number()).copied();
                LoadedAt::new(first + nth.unwrap_or(0))
            };
            dataset_of.push(seeds.positions().map(position).collect());
            loaded.extend(axis.fingerprints.iter().zip(&axis.remarks).map(
                |(fingerprint, remarks)| Loaded {
                    fingerprint: *fingerprint,
                    fit_items: axis.fit_items,
                    test_items: axis.test_items,
                    remarks: remarks.clone(),
                    cluster: axis.cluster.clone(),
                    dataset: None,
                },
            ));
        }
        (loaded.into(), dataset_of)
    }

    /// Whether these know all identities of a plan.
    pub(crate) fn know_identities(&self, plan: &Plan) -> bool {
        let subjects: HashSet<Id> = self.subjects.iter().map(|axis| axis.id).collect();
        let raters: HashSet<&Id> = self.rater_ids.iter().collect();
        let known = |one: &PlannedSubject| subjects.contains(&one.identity.id);
        let rating = |one: &PlannedRater| raters.contains(&one.identity.id);
        plan.subjects.iter().all(known) && plan.raters.iter().all(rating)
    }

    /// Gives a plan the identities under which its answers were kept.
    pub(super) fn set_identities(&self, plan: &mut Plan) {
        for (planned, axis) in plan.subjects.iter_mut().zip(&self.subjects) {
            planned.identity.id = axis.id;
        }
        let named = plan.study.raters.iter().zip(plan.raters.iter_mut());
        for (at, (decl, planned)) in named.enumerate() {
            planned.identity.id = match (self.rater_ids.get(at), &*planned.rater) {
                (Some(id), _) => *id,
                (None, AnyRater::Subject(subject)) => {
                    earlier_subject_id(&decl.chosen, subject.as_ref())
                }
                (None, AnyRater::Ready(_)) => planned.identity.id,
            };
        }
    }

    pub(super) fn recordings(&self) -> HashMap<RecordedAt, Id> {
        self.recordings.iter().copied().collect()
    }

    pub(super) fn rater_files(&self) -> HashMap<RaterPreparation, Id> {
        self.rater_files.iter().copied().collect()
    }

    /// The hash of the study these are the axes of.
    pub fn study_hash(&self) -> &str {
        &self.study_hash
    }
}

fn sorted<At: Copy + Ord>(files: &HashMap<At, Id>) -> Vec<(At, Id)> {
    let mut list: Vec<(At, Id)> = files.iter().map(|(at, id)| (*at, *id)).collect();
    list.sort_unstable();
    list
}
