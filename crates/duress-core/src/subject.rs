//! Subjects: what is under test. They are fitted, then asked; what they are never handed is the
//! truth of the test.

use std::fmt;
use std::num::NonZero;

use serde::{Deserialize, Serialize};

use crate::answer::{Answers, ItemAnswer, ItemForm};
use crate::batch::Batch;
use crate::cost::{Cost, CostEstimate};
use crate::data::{InputKind, Inputs, Items, Split, TableUse};
use crate::explanation::{AskedExplanation, Explanation};
use crate::fitting::{FitKeeper, FitTerms, LearningCurve};
use crate::name::Name;
use crate::place::Under;
use crate::question::Question;
use crate::seed::Seed;
use crate::truth::{Labels, Truth};

/// What a subject is like, so that a plan can tell what fits together before anyone is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Abilities {
    /// The inputs it can take.
    pub accepts: InputKind,
    /// The questions it answers.
    pub answers: Vec<Question>,
    /// What it must be taught before it can answer.
    pub learns: Learns,
    /// Whether it can say how its loss changes with its input.
    pub gradients: bool,
    /// Whether the same seed gives the same answers.
    pub reproducible: bool,
    /// How far the answer about an item may depend on what else is in the batch.
    pub batch_tolerance: f64,
    /// How many questions it takes at once.
    pub at_once: AtOnce,
}

impl Abilities {
    /// Those of a subject that comes ready, answers one question the same way every time, and takes
    /// as many at once as there are.
    pub fn comes_ready(accepts: InputKind, answers: Question) -> Abilities {
        Abilities {
            accepts,
            answers: vec![answers],
            learns: Learns::Nothing,
            gradients: false,
            reproducible: true,
            batch_tolerance: 0.0,
            at_once: AtOnce::Any,
        }
    }
}

/// How many questions a subject takes at once. More than that wait for their turn where waiting
/// costs them no time: the clock of a question starts with its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtOnce {
    /// As many as there are threads.
    Any,
    /// At most so many of each fitted subject, as one process answers one question at a time.
    AtMost(NonZero<usize>),
    /// So many of all that is fitted together, whatever the number of threads: it waits for others
    /// and not for a core of this machine.
    Elsewhere(NonZero<usize>),
}

impl AtOnce {
    /// One question at a time of each fitted subject.
    pub const ONE: AtOnce = AtOnce::AtMost(NonZero::<usize>::MIN);
}

crate::words! {
    /// What a subject is taught.
    pub enum Learns {
        /// Nothing: it comes ready.
        Nothing = "nothing",
        /// The items, without truth.
        Items = "items",
        /// The items and their labels.
        Labels = "labels",
    }
}

/// A subject that can be fitted and asked here.
pub trait Subject: Send + Sync {
    /// What it is like.
    fn abilities(&self) -> Abilities;

    /// The files whose content decides what it answers under one of the study's seeds; that content
    /// is part of a cell's identity, so an edited script or other weights are never taken for the
    /// ones that were asked before.
    fn sources(&self, _replicate: u64) -> Result<Vec<std::path::PathBuf>, crate::problem::Problem> {
        Ok(Vec::new())
    }

    /// Says why it cannot be asked about such items under one of the study's seeds, where that can
    /// be known before anyone is asked: a file that cannot be read, images of another shape, other
    /// classes or another order of them.
    fn suits(
        &self,
        _replicate: u64,
        _items: &Items,
        _classes: Option<&[String]>,
    ) -> Result<(), crate::problem::Problem> {
        Ok(())
    }

    /// What a reader should know, before anyone is asked, about how it was read under one of the
    /// study's seeds to be asked about such items.
    fn remarks(&self, _replicate: u64, _items: &Items) -> Vec<String> {
        Vec::new()
    }

    /// What decides its answers, where that is less than all of its keys: how patiently or how
    /// many at a time it is asked changes none of them. Cells are known by this then.
    fn identity(&self) -> Option<String> {
        None
    }

    /// The model that it asks, where it asks one, as the server calls it.
    fn model(&self) -> Option<&str> {
        None
    }

    /// Keys that change how it is asked and none of its answers. Cells are known by the others, with
    /// these as if they were not set.
    fn keys_without_effect(&self) -> &'static [&'static str] {
        &[]
    }

    /// What asking it a question about such items would cost, where somebody counts; known before
    /// anyone is asked.
    fn estimate(&self, _items: &Items) -> Option<CostEstimate> {
        None
    }

    /// Whether it holds some of its lesson out, and must not tear apart what belongs together: then
    /// the lesson says what does, and how the study has it decides what is learnt.
    fn keeps_clusters_together(&self) -> bool {
        false
    }

    /// Learns, and is then ready to answer.
    fn fit(&self, lesson: &Lesson<'_>, seed: Seed) -> Result<Box<dyn Fitted>, Failure>;

    /// How fitting it went, where its checkpoint tells.
    fn learning_curve(&self, _checkpoint: &[u8]) -> Option<LearningCurve> {
        None
    }

    /// Whether it can tell where its answers come from in this way; no by default.
    fn explains(&self, _asked: &Explanation) -> bool {
        false
    }

    /// What it learnt, from its checkpoint, as a file that other programs read.
    fn exported(&self, _checkpoint: &[u8]) -> Option<ExportedWeights> {
        None
    }

    /// Takes up where a checkpoint was written.
    fn restore(&self, checkpoint: &[u8]) -> Result<Box<dyn Fitted>, Failure>;
}

/// A subject that has learnt what it will learn.
pub trait Fitted: Send + Sync {
    /// Answers one question about some items.
    fn answer(&self, question: Question, items: &Items) -> Result<Answers, Failure>;

    /// The same item by item, for a subject whose answers come one at a time and cost enough to be
    /// kept one at a time.
    fn item_by_item(&self) -> Option<&dyn ItemByItem> {
        None
    }

    /// Everything [`Subject::restore`] needs.
    fn checkpoint(&self) -> Vec<u8>;

    /// How its loss changes with its input, if it can say so.
    fn differentiable(&self) -> Option<&dyn Differentiable> {
        None
    }

    /// Where its answers come from, if it can say so.
    fn explainer(&self) -> Option<&dyn Explainer> {
        None
    }

    /// What a reader of its answers should know about how it was read; kept with them.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A classifier that can tell where its answers come from.
pub trait Explainer: Send + Sync {
    /// Answers about some items, each about one class, given by its position among the subject's
    /// own: a subject is told no more of what an item looked like before stress. What is drawn by
    /// chance follows from what is asked and from the item's id.
    fn explain(
        &self,
        asked: AskedExplanation,
        items: &Items,
        towards: &[u32],
    ) -> Result<Answers, Failure>;
}

/// What a subject learnt, as a file that other programs read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedWeights {
    /// How the name of such a file ends, without the point: `safetensors`.
    pub ending: &'static str,
    /// The file.
    pub bytes: Vec<u8>,
}

/// A subject that answers item by item: what it has said is kept at once, whatever happens to it
/// before it is done.
pub trait ItemByItem: Send + Sync {
    /// Whether it bounds the time of everything it waits for itself, so that nobody need bound the
    /// time of the whole: a thousand answers take as long as they take.
    fn bounds_its_waiting(&self) -> bool {
        false
    }

    /// What answers to a question are made of.
    fn form(&self, question: Question) -> ItemForm;

    /// Answers a question about some items, in any order, each handed to `intake` as it comes. A
    /// failure loses only what was not handed over; asked again, it is asked about the rest.
    fn answer_items(
        &self,
        question: Question,
        items: &Items,
        intake: &dyn Intake,
    ) -> Result<(), Failure>;
}

/// Takes answers in as they come.
pub trait Intake: Sync {
    /// Keeps the answer about the item at a position, and what it cost.
    fn keep(&self, item: usize, answer: ItemAnswer, cost: Cost) -> Result<(), Failure>;

    /// Keeps answers that came together, and what each of them cost.
    fn keep_together(
        &self,
        answers: Vec<(usize, ItemAnswer)>,
        cost_each: Cost,
    ) -> Result<(), Failure> {
        let mut answers = answers.into_iter();
        answers.try_for_each(|(item, answer)| self.keep(item, answer, cost_each))
    }

    /// Keeps what was said about the item at a position one of the several times it is asked.
    fn keep_repeat(
        &self,
        _item: usize,
        _repeat: u32,
        _answer: &ItemAnswer,
        _cost: Cost,
    ) -> Result<(), Failure> {
        Ok(())
    }

    /// What was said that time, where an earlier run kept it.
    fn known_repeat(&self, _item: usize, _repeat: u32) -> Option<ItemAnswer> {
        None
    }

    /// Whether the run is being stopped: hand out no more, and hand over what is still coming.
    fn stopping(&self) -> bool;

    /// The folder in which replies are kept by content, to be found by other studies, where the
    /// user names one.
    fn cache(&self) -> Option<&std::path::Path> {
        None
    }

    /// The files through which others are asked, where the user wants that: then nobody is asked in
    /// any other way.
    fn batch(&self) -> Option<&dyn Batch> {
        None
    }
}

/// A classifier that can say how its loss changes with its input.
pub trait Differentiable: Send + Sync {
    /// The names of the classes, in its own order.
    fn classes(&self) -> &[String];

    /// For each image in `images`: the loss at its label, whether the label is the answer, and,
    /// added to `gradient` if there is one, the derivative of the loss by each pixel.
    fn loss(
        &self,
        images: &[f32],
        labels: &[u32],
        gradient: Option<&mut [f32]>,
    ) -> Result<Vec<Loss>, Failure>;

    /// Its logits with any slope back to the pixels, where it can give them; without, only the loss
    /// above can be climbed.
    fn logit_slopes(&self) -> Option<&dyn LogitSlopes> {
        None
    }
}

/// Given the place of an image in the batch and its logits, writes how an objective changes with
/// each logit.
pub type LogitSlope<'a> = dyn Fn(usize, &[f32], &mut [f32]) + Sync + 'a;

/// A classifier that tells its logits and how any objective of them changes with its input.
pub trait LogitSlopes: Send + Sync {
    /// The logits of each image, image after image.
    fn logits(&self, images: &[f32]) -> Result<Vec<f32>, Failure>;

    /// The same and, added to `gradient`, how an objective changes with each pixel, given how it
    /// changes with the logits of each image.
    fn backward(
        &self,
        images: &[f32],
        slope: &LogitSlope<'_>,
        gradient: &mut [f32],
    ) -> Result<Vec<f32>, Failure>;
}

/// What an attack learns about an item at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// The loss.
    pub loss: f64,
    /// Whether the subject is still right.
    pub right: bool,
}

/// Answers that were given elsewhere and are looked up here.
pub trait Recording: Send + Sync {
    /// The questions they answer.
    fn answers(&self) -> Vec<Question>;

    /// Whether they tell in this way where answers come from; no by default.
    fn explains(&self, _asked: &Explanation) -> bool {
        false
    }

    /// The files that hold the answers given in these circumstances; their content is part of a
    /// cell's identity.
    fn sources(
        &self,
        at: &Circumstances,
    ) -> Result<Vec<std::path::PathBuf>, crate::problem::Problem>;

    /// The file that holds the answers to one question; by default the first of all.
    fn source_of(
        &self,
        at: &Circumstances,
        _question: Question,
    ) -> Result<std::path::PathBuf, crate::problem::Problem> {
        let first = self.sources(at)?.into_iter().next();
        first.ok_or_else(|| crate::problem::Problem::new("there is no file with answers"))
    }

    /// The answers to a question about `items`, in their order.
    fn look_up(
        &self,
        at: &Circumstances,
        question: Question,
        items: &Items,
    ) -> Result<Answers, crate::problem::Problem>;

    /// The classes the answers are about, in their order, as far as that is known before they are
    /// read.
    fn classes(&self, _at: &Circumstances) -> Result<Option<Vec<String>>, crate::problem::Problem> {
        Ok(None)
    }

    /// Whether the study itself says how the classes are ordered, so that an order other than the
    /// dataset's is no accident.
    fn orders_classes(&self) -> bool {
        false
    }

    /// The scores that are kept beside the answers, by name.
    fn scores(&self) -> &[String] {
        &[]
    }

    /// What is read of the tables that hold the answers given in these circumstances.
    fn tables(&self, _at: &Circumstances) -> Result<Vec<TableUse>, crate::problem::Problem> {
        Ok(Vec::new())
    }

    /// Compares what the files themselves say is true of the items with what is, where they say
    /// it; returns what a reader should know where that cannot be done.
    fn compare_labels(
        &self,
        _at: &Circumstances,
        _split: &Split,
    ) -> Result<Option<String>, crate::problem::Problem> {
        Ok(None)
    }

    /// What a reader should know about how answers were read.
    fn remarks(&self, _at: &Circumstances, _answers: &Answers) -> Vec<String> {
        Vec::new()
    }
}

/// When and how recorded answers were given. Only a [`Recording`] is told; a subject under test
/// must not know how hard it is being pressed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Circumstances {
    /// The subject, as the study calls it.
    pub subject: Name,
    /// The study's seed.
    pub seed: u64,
    /// Under which stress.
    pub under: Under,
    /// Which of several ways to press that hard, such as the arrangement `BADC`; none where there
    /// is only one.
    pub variant: Option<String>,
}

/// A subject part: one that is asked here, or one that was asked elsewhere.
pub enum SubjectPart {
    /// It is fitted and asked here.
    Live(Box<dyn Subject>),
    /// It was asked elsewhere.
    Recorded(Box<dyn Recording>),
}

/// What a learner is handed: the items of the split it is fitted on and, where labels are what it
/// learns, their labels.
pub struct Lesson<'a> {
    items: &'a Items,
    labels: Option<&'a Labels>,
    terms: FitTerms<'a>,
}

impl<'a> Lesson<'a> {
    /// The study's seed, for a subject that comes as one file per seed; chance comes from the seed
    /// beside the lesson.
    pub fn study_seed(&self) -> u64 {
        self.terms.replicate
    }

    /// The cluster of each item, where items belong together and the subject declared that it
    /// [keeps](Subject::keeps_clusters_together) them so; an empty one is a cluster of its own.
    pub fn clusters(&self) -> Option<&'a [String]> {
        self.terms.clusters
    }

    /// Where it tells how far it is, and keeps what is half done.
    pub fn keeper(&self) -> &'a dyn FitKeeper {
        self.terms.keeper
    }

    /// The items to learn from.
    pub fn items(&self) -> &'a Items {
        self.items
    }

    /// The labels of those items, for a subject that declared [`Learns::Labels`].
    pub fn labels(&self) -> Result<&'a Labels, Failure> {
        self.labels
            .ok_or_else(|| Failure::unable("the items to learn from have no labels"))
    }
}

/// Fits a subject on a split, as the study's only replicate.
pub fn fit(subject: &dyn Subject, split: &Split, seed: Seed) -> Result<Box<dyn Fitted>, Failure> {
    fit_under(subject, split, FitTerms::of_replicate(0), seed)
}

/// Fits a subject on a split. This opens the labels of that split if they are what the subject
/// learns; a graph is never taught.
pub fn fit_under(
    subject: &dyn Subject,
    split: &Split,
    terms: FitTerms<'_>,
    seed: Seed,
) -> Result<Box<dyn Fitted>, Failure> {
    let labels = match (subject.abilities().learns, split.truth().open()) {
        (Learns::Labels, Truth::Labels(labels)) => Some(labels),
        _ => None,
    };
    subject.fit(
        &Lesson {
            items: split.items(),
            labels,
            terms,
        },
        seed,
    )
}

/// Readies a subject that learns nothing, and so needs no split.
pub(crate) fn fit_on_nothing(
    subject: &dyn Subject,
    terms: FitTerms<'_>,
    seed: Seed,
) -> Result<Box<dyn Fitted>, Failure> {
    let items = Items::new(Vec::new(), Inputs::Texts(Vec::new()))
        .map_err(|problem| Failure::unable(problem.to_string()))?;
    let lesson = Lesson {
        items: &items,
        labels: None,
        terms,
    };
    subject.fit(&lesson, seed)
}

/// Why a cell has no answers. It is data: the study goes on.
///
/// ```
/// use duress_core::subject::{Failure, FailureKind};
/// let failure = Failure::new(FailureKind::TimedOut, "no answer within 60 s");
/// assert_eq!(failure.to_string(), "timed out: no answer within 60 s");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// What happened, in words.
    pub why: String,
}

/// Kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The subject's code broke.
    Crashed,
    /// It took longer than it may.
    TimedOut,
    /// It answered, but not the question.
    Nonsense,
    /// The stressor broke its promise.
    OverBudget,
    /// It could not answer, and said so.
    Unable,
    /// It was not asked, or not about everything: what may be spent is spent, or its server is gone.
    /// Running again goes on where this ended.
    NotAsked,
}

impl Failure {
    /// A failure of some kind.
    pub fn new(kind: FailureKind, why: impl Into<String>) -> Failure {
        Failure {
            kind,
            why: why.into(),
        }
    }

    /// The subject could not answer, and says so.
    pub fn unable(why: impl Into<String>) -> Failure {
        Failure::new(FailureKind::Unable, why)
    }

    pub(crate) fn mismatch(wanted: InputKind, got: InputKind) -> Failure {
        Failure::unable(format!("wants {wanted}, was given {got}"))
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FailureKind::Crashed => "crashed",
            FailureKind::TimedOut => "timed out",
            FailureKind::Nonsense => "answered nonsense",
            FailureKind::OverBudget => "over budget",
            FailureKind::Unable => "unable",
            FailureKind::NotAsked => "not asked",
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.why)
    }
}

impl std::error::Error for Failure {}
