//! Stage 2 of 6: a study becomes a plan.
//!
//! A plan is the axes of a study with everything loaded and checked, so that every cell can be
//! named before any subject is asked. Cells are not stored: they are enumerated from the axes, and
//! each has an identity made of what can change its answer.

mod axes;
pub(crate) mod clusters;
mod estimate;
mod floor_cost;
mod identity;
mod make;
mod own_errors;
mod pairing;
mod part_identity;
mod part_taking;
mod rater_pairing;
mod recorded;
mod trial;
mod unread;

use std::collections::HashMap;
use std::sync::Arc;

use duress_core::data::{Dataset, Split};
use duress_core::gauge::{Gauge, Scale};
use duress_core::name::Name;
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::rater::AnyRater;
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Promise, Stressor};
use duress_core::subject::{Abilities, Circumstances, Failure, SubjectPart};

use crate::axis::{
    Axis, DatasetAt, GaugeAt, LoadedAt, RaterAt, ReplicateAt, RungAt, StressAt, SubjectAt,
};
use crate::study::{ActsOn, Study};
use duress_findings::{FailedCell, FileRead, Place, Under};
use serde::{Deserialize, Serialize};

pub use axes::{Axes, Count};
pub use identity::Id;
pub(crate) use make::make_partly;
pub use make::{make, reopen};
pub(crate) use own_errors::own_errors;
pub use part_identity::SubjectIdentity;
pub(crate) use recorded::look_up;
pub(crate) use unread::remarks as unread_remarks;

/// Everything that will be asked, without asking it.
pub struct Plan {
    /// What the user asked for.
    pub study: Arc<Study>,
    /// The datasets as loaded; one that varies is here once per seed.
    pub loaded: Axis<LoadedAt, Loaded>,
    /// Which of `loaded` a dataset of the study is, for each replicate.
    pub dataset_of: DatasetOf,
    /// The subjects, as in the study.
    pub subjects: Axis<SubjectAt, PlannedSubject>,
    /// The ladders and then the conditions, as in the study.
    pub stresses: Axis<StressAt, Stress>,
    /// The raters, as in the study.
    pub raters: Axis<RaterAt, PlannedRater>,
    /// The gauges, as in the study.
    pub gauges: Axis<GaugeAt, PlannedGauge>,
    /// The content of the files that answers come from, by subject, replicate and rung; a live
    /// subject's are at the clean rung.
    recordings: HashMap<RecordedAt, Id>,
    /// The content of the files that ratings come from, by rater and replicate.
    rater_files: HashMap<RaterPreparation, Id>,
    /// The files that were read, by path, as they were then.
    pub files: Vec<FileRead>,
}

/// Where recorded answers stand: subject, replicate, stress and rung.
type RecordedAt = (SubjectAt, ReplicateAt, Option<RungAt>);

/// Which of the loaded datasets a dataset of the study is, for each replicate.
pub type DatasetOf = Axis<DatasetAt, Axis<ReplicateAt, LoadedAt>>;

/// A dataset with its fingerprint.
pub struct Loaded {
    /// Its fingerprint.
    pub fingerprint: Id,
    /// Items fitted on.
    pub fit_items: usize,
    /// Items tested on.
    pub test_items: usize,
    /// What a reader of the report should know.
    pub remarks: Vec<String>,
    /// The column by which its items belong together, where it knows one itself.
    pub cluster: Option<String>,
    /// The dataset; absent in a plan that was reopened to read what is kept.
    dataset: Option<Arc<Dataset>>,
}

impl Loaded {
    fn new(dataset: Dataset) -> Loaded {
        Loaded {
            fingerprint: Id::of_dataset(&dataset),
            fit_items: dataset.fit().map_or(0, |split| split.items().len()),
            test_items: dataset.test().items().len(),
            remarks: dataset.remarks(),
            cluster: dataset.cluster().map(String::from),
            dataset: Some(Arc::new(dataset)),
        }
    }

    /// The dataset.
    ///
    /// # Panics
    /// In a plan that was reopened: it is there to be read, not to be run.
    pub fn dataset(&self) -> &Arc<Dataset> {
        self.dataset
            .as_ref()
            .unwrap_or_else(|| panic!("a plan that was reopened has no data"))
    }
}

/// A subject, built.
pub struct PlannedSubject {
    /// The subject.
    pub subject: Arc<SubjectPart>,
    /// What it is like; `None` when its answers were recorded elsewhere.
    pub abilities: Option<Abilities>,
    /// The identity of part and keys.
    pub identity: SubjectIdentity,
    /// The questions it can answer.
    pub offers: Vec<Question>,
    /// The questions it is asked: those that gauges and raters read, each once; none when nobody
    /// reads what it says.
    pub asked: Vec<Question>,
    /// The position in `dataset_of` of what it is fitted on.
    pub on: DatasetAt,
    /// The positions in `dataset_of` of what it is tested on.
    pub test_on: Vec<DatasetAt>,
}

/// A ladder, or a condition with a name of its own.
pub struct Stress {
    /// Its name.
    pub name: Name,
    /// Whether it is a ladder.
    pub is_ladder: bool,
    /// Where it acts.
    pub acts_on: ActsOn,
    /// Whether the subject is asked while it presses: then the ladder is one unit of work.
    pub aware: bool,
    /// Whether every image it makes is kept.
    pub keeps_images: bool,
    /// The stressors, in order.
    pub stressors: Vec<PlannedStressor>,
    /// What it presses, rung by rung; the clean rung is not among them.
    pub rungs: Vec<Rung>,
    /// The subjects it presses.
    pub applies_to: Axis<SubjectAt, bool>,
    /// The datasets it presses them on.
    pub pressed_on: Axis<DatasetAt, bool>,
}

/// A stressor, built.
pub struct PlannedStressor {
    /// The stressor.
    pub stressor: Arc<Stressor>,
    /// The part's name.
    pub part: &'static str,
    /// The identity of part and keys.
    pub id: Id,
    /// The other subject whose slopes it climbs, where it does.
    pub source: Option<SubjectAt>,
}

/// One rung: how hard each stressor presses.
#[derive(Clone, Debug)]
pub struct Rung {
    /// How hard; for a condition, 1.
    pub severity: Severity,
    /// Which of the ways to press that hard.
    pub variant: usize,
    /// The severity of each stressor.
    pub severities: Vec<Severity>,
}

/// A rater, built.
pub struct PlannedRater {
    /// The rater.
    pub rater: Arc<AnyRater>,
    /// The identity of part and keys.
    pub identity: SubjectIdentity,
    /// The position in `dataset_of` of what it is fitted on, where it learns.
    pub on: Option<DatasetAt>,
    /// The subjects it rates.
    pub applies_to: Axis<SubjectAt, bool>,
}

/// A gauge, built.
pub struct PlannedGauge {
    /// The gauge.
    pub gauge: Arc<Gauge>,
    /// The cell gauge it reads through, built.
    pub through: Option<Arc<Gauge>>,
    /// What fits the temperature that answers are read at, where they are.
    pub temperature: Option<FittedTemperature>,
    /// Where it chooses what it chooses of itself.
    pub chosen_on: Option<DatasetAt>,
    /// Its scale.
    pub scale: Scale,
}

impl PlannedGauge {
    /// What it reads: answers to its question and, where a score beside them comes from another, to
    /// that one too.
    pub fn questions(&self) -> Vec<Question> {
        let beside = self.score_question();
        std::iter::once(self.scale.reads).chain(beside).collect()
    }

    /// The question whose answers give the score that it needs beside the others.
    pub fn score_question(&self) -> Option<Question> {
        let gauge = self.through.as_ref().unwrap_or(&self.gauge);
        gauge.score_from()
    }
}

/// A temperature that is fitted on answers to other items.
pub struct FittedTemperature {
    /// Where those answers are.
    pub on: DatasetAt,
    /// The gauge that finds it.
    pub gauge: Arc<Gauge>,
}

/// Subject × replicate × test dataset × condition × question. What it is fitted on follows from the
/// subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    /// The position of the subject.
    pub subject: SubjectAt,
    /// The position of the seed.
    pub replicate: ReplicateAt,
    /// The position of the dataset tested on.
    pub test: DatasetAt,
    /// The positions of stress and rung; none when clean.
    pub stress: Option<RungAt>,
    /// What is asked; of a rater, its ratings.
    pub question: Question,
    /// The position of the rater whose ratings of the subject's answers it holds; none for those
    /// answers themselves.
    pub rater: Option<RaterAt>,
}

/// Subject × replicate × stress on what is fitted: what must be done before cells can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Preparation {
    /// The position of the subject.
    pub subject: SubjectAt,
    /// The position of the seed.
    pub replicate: ReplicateAt,
    /// The positions of stress and rung, where the stress acts on what is fitted.
    pub stress: Option<RungAt>,
}

impl Preparation {
    /// That of a subject on what it is fitted on as it is.
    pub fn clean(subject: SubjectAt, replicate: ReplicateAt) -> Preparation {
        Preparation {
            subject,
            replicate,
            stress: None,
        }
    }
}

/// Rater × replicate: what must be done before a subject that rates can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(RaterAt, ReplicateAt)", into = "(RaterAt, ReplicateAt)")]
pub struct RaterPreparation {
    /// The position of the rater.
    pub rater: RaterAt,
    /// The position of the seed.
    pub replicate: ReplicateAt,
}

impl From<(RaterAt, ReplicateAt)> for RaterPreparation {
    fn from((rater, replicate): (RaterAt, ReplicateAt)) -> RaterPreparation {
        RaterPreparation { rater, replicate }
    }
}

impl From<RaterPreparation> for (RaterAt, ReplicateAt) {
    fn from(preparation: RaterPreparation) -> (RaterAt, ReplicateAt) {
        (preparation.rater, preparation.replicate)
    }
}

impl Plan {
    /// All cells, in the order of the study.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let read = self.subjects.at_each();
        let read = read.filter(|(_, planned)| !planned.asked.is_empty());
        read.flat_map(move |(subject, _)| {
            let replicates = self.study.seeds.positions();
            replicates.flat_map(move |replicate| self.cells_of(subject, replicate))
        })
    }

    fn cells_of(
        &self,
        subject: SubjectAt,
        replicate: ReplicateAt,
    ) -> impl Iterator<Item = Cell> + '_ {
        self.subjects[subject]
            .test_on
            .iter()
            .flat_map(move |&test| {
                let under = std::iter::once(None).chain(self.rungs_of(subject, test).map(Some));
                under.flat_map(move |stress| {
                    let asked = self.asked_at(subject, test, stress);
                    let asked = asked.map(|question| (question, None));
                    let rated = self
                        .raters_of(subject)
                        .map(|rater| (Question::Ratings, Some(rater)));
                    asked.chain(rated).map(move |(question, rater)| Cell {
                        subject,
                        replicate,
                        test,
                        stress,
                        question,
                        rater,
                    })
                })
            })
    }

    /// The questions that a subject is asked at a place: all of its own, but no explanation that no
    /// gauge reads there.
    pub fn asked_at(
        &self,
        subject: SubjectAt,
        test: DatasetAt,
        stress: Option<RungAt>,
    ) -> impl Iterator<Item = Question> + '_ {
        let asked = self.subjects[subject].asked.iter().copied();
        asked.filter(move |question| match question {
            Question::Explanation(_) => self.is_read_at(*question, test, stress),
            _ => true,
        })
    }

    /// Whether some gauge needs the answers to a question at a place.
    fn is_read_at(&self, question: Question, test: DatasetAt, stress: Option<RungAt>) -> bool {
        let dataset = &self.study.datasets[test].name;
        self.gauges.at_each().any(|(at, planned)| {
            let decl = &self.study.gauges[at];
            let is_read = || match &*planned.gauge {
                // What is compared with the clean twin needs that too.
                Gauge::Pair(_) if stress.is_none() => true,
                Gauge::Cell(_) | Gauge::Pair(_) => decl.is_read_under(&self.under(stress)),
                Gauge::Ladder(_) | Gauge::Subject(_) => true,
            };
            let is_chosen_on = planned.chosen_on == Some(test) && stress.is_none();
            planned.questions().contains(&question)
                && ((decl.is_read_on(dataset) && is_read()) || is_chosen_on)
        })
    }

    /// The cell whose answers a rater's cell rates.
    pub fn rated(&self, cell: Cell) -> Option<Cell> {
        let rater = cell.rater?;
        Some(Cell {
            question: self.raters[rater].rater.rates(),
            rater: None,
            ..cell
        })
    }

    /// The raters that rate a subject, in the order of the study.
    pub fn raters_of(&self, subject: SubjectAt) -> impl Iterator<Item = RaterAt> + '_ {
        let asked = &self.subjects[subject].asked;
        self.raters.positions().filter(move |&rater| {
            let planned = &self.raters[rater];
            planned.applies_to[subject] && asked.contains(&planned.rater.rates())
        })
    }

    /// The rater a gauge reads a subject through; none when it reads the subject's own answers.
    pub fn rater_for(&self, gauge: GaugeAt, subject: SubjectAt) -> Option<RaterAt> {
        if self.answers(gauge, subject) {
            return None;
        }
        let wanted = self.study.gauges[gauge].rater.as_ref();
        self.raters_of(subject)
            .find(|&rater| wanted.is_none_or(|name| self.study.raters[rater].name == *name))
    }

    /// Whether a subject itself is asked what a gauge reads.
    fn answers(&self, gauge: GaugeAt, subject: SubjectAt) -> bool {
        let reads = &self.gauges[gauge].scale.reads;
        self.subjects[subject].asked.contains(reads)
    }

    /// Whether a gauge can be read from a subject's answers, or from ratings of them.
    pub fn reads(&self, gauge: GaugeAt, subject: SubjectAt) -> bool {
        self.answers(gauge, subject)
            || (self.gauges[gauge].scale.reads == Question::Ratings
                && self.rater_for(gauge, subject).is_some())
    }

    /// The ladders and conditions that press a subject, on whatever dataset.
    pub fn pressing(&self, subject: SubjectAt) -> impl Iterator<Item = (StressAt, &Stress)> {
        let stresses = self.stresses.at_each();
        stresses.filter(move |(_, stress)| stress.applies_to[subject])
    }

    /// The ladders and conditions that press a subject on a dataset.
    pub fn pressing_on(
        &self,
        subject: SubjectAt,
        test: DatasetAt,
    ) -> impl Iterator<Item = (StressAt, &Stress)> {
        let pressing = self.pressing(subject);
        pressing.filter(move |(_, stress)| stress.pressed_on[test])
    }

    /// The rungs that press a subject on a dataset.
    pub fn rungs_of(
        &self,
        subject: SubjectAt,
        test: DatasetAt,
    ) -> impl Iterator<Item = RungAt> + '_ {
        self.pressing_on(subject, test)
            .flat_map(|(at, stress)| stress.rungs_at(at))
    }

    /// The same cell for every seed.
    pub fn for_each_seed(&self, cell: Cell) -> impl Iterator<Item = Cell> + use<> {
        let replicates = self.study.seeds.positions();
        replicates.map(move |replicate| Cell { replicate, ..cell })
    }

    /// The same cell without stress.
    pub fn clean_twin(&self, cell: Cell) -> Cell {
        Cell {
            stress: None,
            ..cell
        }
    }

    /// What a cell needs before it can be asked; nothing when its answers were recorded.
    pub fn preparation(&self, cell: Cell) -> Option<Preparation> {
        self.subjects[cell.subject].abilities.as_ref()?;
        let on_fit = |at: &RungAt| self.stresses[at.stress].presses_fit();
        Some(Preparation {
            subject: cell.subject,
            replicate: cell.replicate,
            stress: cell.stress.filter(on_fit),
        })
    }

    /// What a cell's identity is made of goes into it, and nothing else.
    pub fn id(&self, cell: Cell) -> Id {
        if let (Some(rater), Some(rated)) = (cell.rater, self.rated(cell)) {
            return self.rating_id(self.id(rated), rater, cell.replicate);
        }
        let test = self.dataset(cell.test, cell.replicate);
        let question = cell.question.to_string();
        match self.preparation(cell) {
            Some(preparation) => {
                let fitted = self.preparation_id(preparation);
                let on_test = cell
                    .stress
                    .filter(|at| self.stresses[at.stress].presses_test());
                let stress = self.stress_id(on_test, cell.replicate);
                let pieces: [&[u8]; 4] = [
                    fitted.bytes(),
                    test.fingerprint.bytes(),
                    stress.bytes(),
                    question.as_bytes(),
                ];
                Id::joined("cell 1", &pieces)
            }
            None => {
                let said = self.recordings[&(cell.subject, cell.replicate, cell.stress)];
                let subject = self.subjects[cell.subject].identity.id;
                let pieces: [&[u8]; 4] = [
                    subject.bytes(),
                    said.bytes(),
                    test.fingerprint.bytes(),
                    question.as_bytes(),
                ];
                let recorded = Id::joined("recorded cell 1", &pieces);
                // One file may hold the ratings of all rungs: it does not tell them apart.
                match cell.stress.filter(|_| cell.question == Question::Ratings) {
                    Some(at) => {
                        let under = Id::of("under 1", &self.under(Some(at)));
                        Id::joined("recorded rung 1", &[recorded.bytes(), under.bytes()])
                    }
                    None => recorded,
                }
            }
        }
    }

    /// Whether answers were recorded for a cell and it is not known which.
    fn lacks_recording(&self, cell: Cell) -> bool {
        let cell = self.rated(cell).unwrap_or(cell);
        let read = (cell.subject, cell.replicate, cell.stress);
        self.preparation(cell).is_none() && !self.recordings.contains_key(&read)
    }

    /// The identity of a preparation.
    pub fn preparation_id(&self, preparation: Preparation) -> Id {
        let subject = &self.subjects[preparation.subject];
        let fit = self.dataset(subject.on, preparation.replicate);
        let seed = self
            .number(self.study.vary.subject, preparation.replicate)
            .to_le_bytes();
        let stress = self.stress_id(preparation.stress, preparation.replicate);
        let pieces: [&[u8]; 4] = [
            subject.identity.id.bytes(),
            fit.fingerprint.bytes(),
            &seed,
            stress.bytes(),
        ];
        let prepared = match self.fitted_by_cluster(preparation.subject) {
            None => Id::joined("preparation 1", &pieces),
            Some(column) => {
                let column = [b"by cluster".as_slice(), column.as_bytes()];
                Id::joined("preparation 1", &[&pieces[..], &column[..]].concat())
            }
        };
        match self
            .recordings
            .get(&(preparation.subject, preparation.replicate, None))
        {
            Some(files) => Id::joined(
                "preparation from files 1",
                &[prepared.bytes(), files.bytes()],
            ),
            None => prepared,
        }
    }

    /// The identity of ratings: of what is rated, and of what rates.
    fn rating_id(&self, rated: Id, rater: RaterAt, replicate: ReplicateAt) -> Id {
        let preparation = RaterPreparation { rater, replicate };
        if let AnyRater::Subject(_) = &*self.raters[rater].rater {
            let ready = self.rater_preparation_id(preparation);
            return Id::joined("rating by a subject 1", &[rated.bytes(), ready.bytes()]);
        }
        let own = self.raters[rater].identity.id;
        let rating = Id::joined("rating 1", &[rated.bytes(), own.bytes()]);
        match self.rater_files.get(&preparation) {
            Some(files) => Id::joined("rating from files 1", &[rating.bytes(), files.bytes()]),
            None => rating,
        }
    }

    /// What the rater of a cell needs before it can rate; nothing when it comes ready.
    pub fn rater_preparation(&self, cell: Cell) -> Option<RaterPreparation> {
        let rater = cell.rater?;
        let replicate = cell.replicate;
        match &*self.raters[rater].rater {
            AnyRater::Ready(_) => None,
            AnyRater::Subject(_) => Some(RaterPreparation { rater, replicate }),
        }
    }

    /// The identity of a rater's preparation.
    pub fn rater_preparation_id(&self, preparation: RaterPreparation) -> Id {
        let RaterPreparation { rater, replicate } = preparation;
        let planned = &self.raters[rater];
        let seed = self
            .number(self.study.vary.subject, replicate)
            .to_le_bytes();
        let mut pieces: Vec<&[u8]> = vec![planned.identity.id.bytes(), &seed];
        if let Some(files) = self.rater_files.get(&preparation) {
            pieces.extend([b"files".as_slice(), files.bytes()]);
        }
        if let Some(on) = planned.on {
            let fit = self.dataset(on, replicate).fingerprint.bytes();
            pieces.extend([b"fitted on".as_slice(), fit]);
        }
        Id::joined("rater preparation 1", &pieces)
    }

    /// What a rater that learns is fitted on.
    pub fn rater_fit_split(&self, preparation: RaterPreparation) -> Option<&Split> {
        let on = self.raters[preparation.rater].on?;
        let dataset = self.dataset(on, preparation.replicate).dataset();
        Some(dataset.fit().unwrap_or(dataset.test()))
    }

    fn stress_id(&self, stress: Option<RungAt>, replicate: ReplicateAt) -> Id {
        let Some(at) = stress else {
            return Id::joined("no stress", &[]);
        };
        let (stress, rung) = self.rung(at);
        let mut bytes = self
            .number(self.study.vary.stress, replicate)
            .to_le_bytes()
            .to_vec();
        bytes.extend((rung.variant as u64).to_le_bytes());
        for (stressor, severity) in stress.stressors.iter().zip(&rung.severities) {
            bytes.extend(stressor.id.bytes());
            bytes.extend(severity.value().to_le_bytes());
        }
        if stress.stressors.len() > 1 {
            bytes.extend(b"draws by part");
        }
        if stress.aware {
            // A break at a smaller severity carries upward, so an attack's answers depend on the
            // whole ladder.
            bytes.extend(
                stress
                    .rungs
                    .iter()
                    .flat_map(|rung| rung.severity.value().to_le_bytes()),
            );
        }
        for source in stress.stressors.iter().filter_map(|one| one.source) {
            let climbed = self.preparation_id(Preparation::clean(source, replicate));
            bytes.extend(climbed.bytes());
        }
        Id::joined("stress 1", &[&bytes])
    }

    /// A rung, and the ladder or condition it is of.
    pub fn rung(&self, at: RungAt) -> (&Stress, &Rung) {
        let stress = &self.stresses[at.stress];
        (stress, &stress.rungs[at.rung])
    }

    /// The dataset at a position, for a replicate.
    pub fn dataset(&self, position: DatasetAt, replicate: ReplicateAt) -> &Loaded {
        &self.loaded[self.dataset_of[position][replicate]]
    }

    /// A dataset as it was loaded, each form of it once.
    pub fn distinct(&self, position: DatasetAt) -> Vec<LoadedAt> {
        let mut all = self.dataset_of[position].as_slice().to_vec();
        all.dedup();
        all
    }

    /// What a subject is fitted on.
    pub fn fit_split(&self, preparation: Preparation) -> &Split {
        let dataset = self
            .dataset(self.subjects[preparation.subject].on, preparation.replicate)
            .dataset();
        dataset.fit().unwrap_or(dataset.test())
    }

    /// The study's seed a subject is prepared for: the first where subjects do not vary.
    pub fn replicate_number(&self, replicate: ReplicateAt) -> u64 {
        self.study.seeds[if self.study.vary.subject {
            replicate
        } else {
            ReplicateAt::FIRST
        }]
    }

    /// What a reader should know about how subjects that are asked here were read: of the first
    /// seed, and the first dataset each is tested on.
    pub fn subject_remarks(&self) -> Vec<(Name, String)> {
        let both = self.study.subjects.iter().zip(&self.subjects);
        let remarks = both.flat_map(|(decl, planned)| {
            let said = match (&*planned.subject, planned.test_on.first()) {
                (SubjectPart::Live(live), Some(&test)) => {
                    let items = self
                        .dataset(test, ReplicateAt::FIRST)
                        .dataset()
                        .test()
                        .items();
                    live.remarks(self.replicate_number(ReplicateAt::FIRST), items)
                }
                _ => Vec::new(),
            };
            said.into_iter().map(|remark| (decl.name.clone(), remark))
        });
        remarks.collect()
    }

    /// What a reader should know before a run: who does not take part, which claims no answer can
    /// decide, and which items belong together though nobody says so.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = part_taking::remarks(self);
        let strangers = part_taking::rejected_strangers(self).into_iter();
        remarks.extend(strangers.map(|problem| problem.to_string()));
        let unread = unread::remarks(self).into_iter();
        remarks.extend(unread.map(|doubt| doubt.to_string().trim_end_matches('.').to_owned()));
        let own = own_errors(self).into_iter();
        remarks.extend(own.map(|doubt| doubt.to_string().trim_end_matches('.').to_owned()));
        remarks.extend(trial::untestable(self));
        remarks.extend(clusters::remarks(self));
        remarks.extend(estimate::remarks(self));
        remarks.extend(floor_cost::remarks(self));
        remarks
    }

    /// Ladders of errors that a model writes, and has not written yet, and reviews of errors that are
    /// not there: a plan can be made without them, and a run cannot.
    pub(crate) fn unready_errors(&self) -> Vec<Problem> {
        let mut problems = part_taking::unmade(self);
        problems.extend(part_taking::rejected_strangers(self));
        problems
    }

    /// The seed subjects draw from.
    pub fn subject_seed(&self, replicate: ReplicateAt) -> Seed {
        Seed::new(self.number(self.study.vary.subject, replicate)).child("subject")
    }

    /// The seed the `nth` stressor of its part in a condition draws from: the same for every
    /// subject and severity.
    pub fn stress_seed(&self, replicate: ReplicateAt, part: &str, nth: usize) -> Seed {
        let seed = Seed::new(self.number(self.study.vary.stress, replicate));
        seed.child("stress").child(part).child(nth.to_string())
    }

    /// The seed of a replicate, or the one shared by all where draws do not vary.
    fn number(&self, varies: bool, replicate: ReplicateAt) -> u64 {
        if varies {
            self.study.seeds[replicate]
        } else {
            0
        }
    }

    /// When and how recorded answers were given.
    pub fn circumstances(&self, cell: Cell) -> Circumstances {
        Circumstances {
            subject: self.study.subjects[cell.subject].name.clone(),
            seed: self.study.seeds[cell.replicate],
            under: self.under(cell.stress),
            variant: self.variant_name(cell),
        }
    }

    /// What the way to press is called, where a cell is one of several that press equally hard.
    pub fn variant_name(&self, cell: Cell) -> Option<String> {
        let at = cell.stress?;
        self.stresses[at.stress].variant_name(at.rung)
    }

    /// A cell that failed, in the words of the report.
    pub(crate) fn failed_cell(&self, cell: Cell, failure: &Failure) -> FailedCell {
        FailedCell {
            place: self.place(cell),
            seed: self.study.seeds[cell.replicate],
            variant: self.variant_name(cell),
            failure: failure.clone(),
        }
    }

    /// Where a cell stands, in the words of the report.
    pub fn place(&self, cell: Cell) -> Place {
        Place {
            subject: self.study.subjects[cell.subject].name.clone(),
            dataset: self.study.datasets[cell.test].name.clone(),
            under: self.under(cell.stress),
        }
    }

    fn under(&self, stress: Option<RungAt>) -> Under {
        stress.map_or(Under::Clean, |at| self.stresses[at.stress].under(at.rung))
    }
}

impl Stress {
    /// Whether it changes what is fitted.
    pub fn presses_fit(&self) -> bool {
        matches!(self.acts_on, ActsOn::Train | ActsOn::Both)
    }

    /// Whether it changes what is tested.
    pub fn presses_test(&self) -> bool {
        matches!(self.acts_on, ActsOn::Test | ActsOn::Both)
    }

    /// Whether what it presses with promises this, as far as that is known: of what happened elsewhere
    /// it is not.
    pub fn is_bounded(&self, by: Promise) -> bool {
        let mut pressures = self.stressors.iter().map(|one| one.stressor.pressure());
        pressures.all(|pressure| pressure.is_none_or(|pressure| pressure.promise == by))
    }

    /// The positions of its rungs, where it stands at this one itself.
    pub fn rungs_at(&self, stress: StressAt) -> impl Iterator<Item = RungAt> + use<> {
        (0..self.rungs.len()).map(move |rung| RungAt { stress, rung })
    }

    /// What one of several ways to press equally hard is called.
    fn variant_name(&self, rung: usize) -> Option<String> {
        let rung = &self.rungs[rung];
        let stressor = &self.stressors.first()?.stressor;
        stressor.variant_name(&rung.severity, rung.variant)
    }

    /// Whether ways to press equally hard are templates of a question.
    pub(crate) fn varies_templates(&self) -> bool {
        let first = self.stressors.first();
        first.is_some_and(|planned| planned.stressor.varies_templates())
    }

    /// The place of a rung.
    pub fn under(&self, rung: usize) -> Under {
        if self.is_ladder {
            Under::Rung {
                ladder: self.name.clone(),
                severity: self.rungs[rung].severity.clone(),
            }
        } else {
            Under::Condition(self.name.clone())
        }
    }
}
