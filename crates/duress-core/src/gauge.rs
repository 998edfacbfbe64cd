//! Gauges: ways of reading answers, in four scopes.
//!
//! A gauge that is opened on answers becomes a [`Meter`]: a function of how often each item counts.
//! That one form serves the plain reading (every item once), every resample of a bootstrap, slices,
//! and paired contrasts, with the sorting done once.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::answer::{Answers, ClassAnswers};
use crate::floor::Floor;
use crate::name::Name;
use crate::question::Question;
use crate::severity::Severity;
use crate::stressor::Promise;
use crate::truth::{Labels, Sealed, Truth};

/// Why there is no value. Never NaN, never a placeholder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undefined {
    /// The reason, in words.
    pub why: String,
}

impl Undefined {
    /// No value, for this reason.
    pub fn new(why: impl Into<String>) -> Undefined {
        Undefined { why: why.into() }
    }
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "undefined: {}", self.why)
    }
}

impl std::error::Error for Undefined {}

crate::words! {
    /// Which way is better.
    pub enum Direction {
        /// The higher the better.
        Higher = "higher",
        /// The lower the better.
        Lower = "lower",
        /// Neither way is better in itself, as of a threshold: what changed can be said, not what
        /// got worse.
        Neither = "neither",
    }
}

impl Direction {
    /// Whether `a` is better than `b`.
    pub fn better(self, a: f64, b: f64) -> bool {
        match self {
            Direction::Higher => a > b,
            Direction::Lower => a < b,
            Direction::Neither => false,
        }
    }
}

crate::words! {
    /// What can be resampled under a gauge.
    pub enum Unit {
        /// The items, and the replicates.
        Items = "items",
        /// Only the replicates: the answer is about the dataset as a whole.
        Replicates = "replicates",
    }
}

crate::words! {
    /// How much of the answers a gauge reads at once.
    pub enum Scope {
        /// One cell.
        Cell = "cell",
        /// A cell beside its clean twin.
        Pair = "pair",
        /// The rungs of a ladder.
        Ladder = "ladder",
        /// All that a subject did.
        Subject = "subject",
    }
}

/// The smallest and the largest value something can have, where there are such.
pub type Ends = (Option<f64>, Option<f64>);

/// The ends of a difference of two values that each lie between these.
pub fn ends_of_difference(ends: Ends) -> Ends {
    match ends {
        (Some(low), Some(high)) => (Some(low - high), Some(high - low)),
        _ => (None, None),
    }
}

/// How a curve of [`Detail`] calls the share of items that are answered.
pub const COVERAGE: &str = "coverage";

/// How a curve of [`Detail`] calls the share of wrong ones among those answered.
pub const RISK: &str = "risk";

/// The ends of a share.
pub const SHARE: Ends = (Some(0.0), Some(1.0));

/// The ends of a correlation, and of a difference of shares.
pub const SIGNED: Ends = (Some(-1.0), Some(1.0));

/// The ends of a count or a distance.
pub const COUNT: Ends = (Some(0.0), None);

/// What a gauge is like; goes into every reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// The question whose answers it reads.
    pub reads: Question,
    /// Which way is better.
    pub direction: Direction,
    /// What perfect answers give, where there is such a value.
    pub best: Option<f64>,
    /// The smallest and the largest value it can have.
    #[serde(default)]
    pub ends: Ends,
    /// What can be resampled.
    pub unit: Unit,
    /// Which of the definitions in use it follows.
    pub convention: String,
    /// Whether it copies another tool's convention, down to its dependence on the order of items.
    pub compat: bool,
}

impl Scale {
    /// The same in all but the definition it follows.
    pub fn with_convention(&self, convention: String) -> Scale {
        Scale {
            convention,
            ..self.clone()
        }
    }
}

/// A gauge part, by scope.
pub enum Gauge {
    /// Reads one cell.
    Cell(Box<dyn CellGauge>),
    /// Reads a cell beside its clean twin.
    Pair(Box<dyn PairGauge>),
    /// Reads the rungs of a ladder, through a cell gauge.
    Ladder(Box<dyn LadderGauge>),
    /// Reads all that a subject did, through a cell gauge.
    Subject(Box<dyn SubjectGauge>),
}

impl Gauge {
    /// Whether it counts noise as what it measures.
    pub fn counts_noise(&self) -> bool {
        match self {
            Gauge::Cell(gauge) => gauge.counts_noise(),
            Gauge::Pair(_) => false,
            Gauge::Ladder(gauge) => gauge.counts_noise(),
            Gauge::Subject(gauge) => gauge.counts_noise(),
        }
    }

    /// The dimensions it puts together from all raters; only gauges of single cells may.
    pub fn joint_dimensions(&self) -> &[&'static str] {
        match self {
            Gauge::Cell(gauge) => gauge.joint_dimensions(),
            Gauge::Pair(_) | Gauge::Ladder(_) | Gauge::Subject(_) => &[],
        }
    }

    /// What a stressor has to promise for its severities to mean something to the gauge.
    pub fn bounded_by(&self) -> Option<Promise> {
        match self {
            Gauge::Pair(gauge) => gauge.bounded_by(),
            Gauge::Cell(_) | Gauge::Ladder(_) | Gauge::Subject(_) => None,
        }
    }

    /// How much it reads at once.
    pub fn scope(&self) -> Scope {
        match self {
            Gauge::Cell(_) => Scope::Cell,
            Gauge::Pair(_) => Scope::Pair,
            Gauge::Ladder(_) => Scope::Ladder,
            Gauge::Subject(_) => Scope::Subject,
        }
    }

    /// The cell gauge it reads through, for the two scopes that do.
    pub fn of(&self) -> Option<&str> {
        match self {
            Gauge::Cell(_) | Gauge::Pair(_) => None,
            Gauge::Ladder(gauge) => Some(gauge.of()),
            Gauge::Subject(gauge) => Some(gauge.of()),
        }
    }

    /// What guessing one of so many classes reads; only gauges of single cells may know.
    pub fn chance(&self, classes: usize) -> Option<f64> {
        match self {
            Gauge::Cell(gauge) => gauge.chance(classes),
            Gauge::Pair(_) | Gauge::Ladder(_) | Gauge::Subject(_) => None,
        }
    }

    /// Above what it doubts the explanations that it is about; only gauges of single cells may do
    /// so.
    pub fn doubts_above(&self) -> Option<f64> {
        match self {
            Gauge::Cell(gauge) => gauge.doubts_above(),
            Gauge::Pair(_) | Gauge::Ladder(_) | Gauge::Subject(_) => None,
        }
    }

    /// What is read beside it, so that its number can be told from one that is owed to nothing.
    pub fn floors(&self) -> &'static [Floor] {
        match self {
            Gauge::Cell(gauge) => gauge.floors(),
            Gauge::Pair(gauge) => gauge.floors(),
            Gauge::Ladder(_) | Gauge::Subject(_) => &[],
        }
    }

    /// Between what the values of single items are meant to lie; only gauges of single cells may
    /// know.
    pub fn meant_within(&self) -> Ends {
        match self {
            Gauge::Cell(gauge) => gauge.meant_within(),
            Gauge::Pair(_) | Gauge::Ladder(_) | Gauge::Subject(_) => (None, None),
        }
    }

    /// The score beside the answers that it cannot do without.
    pub fn needs(&self) -> Option<&str> {
        match self {
            Gauge::Cell(gauge) => gauge.needs(),
            Gauge::Pair(_) | Gauge::Ladder(_) | Gauge::Subject(_) => None,
        }
    }

    /// The question whose answers give that score, where it is not kept beside the others.
    pub fn score_from(&self) -> Option<Question> {
        match self {
            Gauge::Cell(gauge) => gauge.score_from(),
            Gauge::Pair(_) | Gauge::Ladder(_) | Gauge::Subject(_) => None,
        }
    }

    /// Its scale; `through` is that of the cell gauge it reads through, if it does.
    pub fn scale(&self, through: Option<&Scale>) -> Option<Scale> {
        match self {
            Gauge::Cell(gauge) => Some(gauge.scale()),
            Gauge::Pair(gauge) => Some(gauge.scale()),
            Gauge::Ladder(gauge) => through.map(|scale| gauge.scale(scale)),
            Gauge::Subject(gauge) => through.map(|scale| gauge.scale(scale)),
        }
    }
}

/// What a gauge reads of a cell: what is true, what was said, and what other gauges have worked out
/// from the two.
#[derive(Clone, Copy)]
pub struct CellRead<'a> {
    /// What is true of the items.
    pub truth: &'a Truth,
    /// What was said of them.
    pub answers: &'a Answers,
    views: &'a Views,
}

impl<'a> CellRead<'a> {
    /// A view that several gauges ask for, worked out by the first of them. It must follow from
    /// truth and answers and nothing else.
    pub fn view<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        self.views.get_or_make(make)
    }
}

/// Views of the answers of one cell, one of each type. Whoever opens several gauges on a cell keeps
/// one of these for it.
///
/// ```
/// let views = duress_core::gauge::Views::default();
/// assert_eq!(*views.get_or_make(|| 3_u8), 3);
/// assert_eq!(*views.get_or_make(|| 4_u8), 3);
/// ```
#[derive(Clone, Default)]
pub struct Views(Arc<Mutex<Vec<Arc<dyn Any + Send + Sync>>>>);

impl Views {
    /// The view of this type, made if it is not there yet.
    pub fn get_or_make<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        // The lock is held while it is made: whoever else asks wants the same.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all
            .iter()
            .find_map(|one| Arc::clone(one).downcast::<T>().ok());
        known.unwrap_or_else(|| {
            let made = Arc::new(make());
            all.push(Arc::clone(&made) as Arc<dyn Any + Send + Sync>);
            made
        })
    }
}

/// Reads the answers of one cell.
pub trait CellGauge: Send + Sync {
    /// What it is like.
    fn scale(&self) -> Scale;

    /// The meter on these answers.
    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined>;

    /// The plain reading, and how many items took part, for whoever will ask for no other: a gauge
    /// whose meter is dear to prepare may know a shorter way to the same number.
    fn once(&self, read: CellRead<'_>) -> Result<(f64, usize), Undefined> {
        let meter = self.open(read)?;
        Ok((meter.plain()?, meter.taking_part()))
    }

    /// Whether it counts noise as what it measures: it then reads worse than it is, the more so the
    /// fewer items there are, which is said beside its numbers. No by default.
    fn counts_noise(&self) -> bool {
        false
    }

    /// What guessing one of so many classes reads, whatever shares they have. Unknown by default.
    fn chance(&self, _classes: usize) -> Option<f64> {
        None
    }

    /// Between what the values of single items are meant to lie, where whoever gives them may give
    /// others: the number is read all the same, and that is said beside it. Anything by default.
    fn meant_within(&self) -> Ends {
        (None, None)
    }

    /// Above what its reading says that the map it is about explains nothing: whatever else reads
    /// maps made in the same way is then doubted. Never by default.
    fn doubts_above(&self) -> Option<f64> {
        None
    }

    /// What is read beside it, so that its number can be told from one that is owed to nothing. None
    /// by default.
    fn floors(&self) -> &'static [Floor] {
        &[]
    }

    /// The score beside the answers that it cannot do without. None by default.
    fn needs(&self) -> Option<&str> {
        None
    }

    /// The question whose answers, one number per item, give that score, where it is not kept
    /// beside the answers. None by default.
    fn score_from(&self) -> Option<Question> {
        None
    }

    /// Whether it chooses something of itself, such as a threshold, on answers about other items: the
    /// study then says on which (`chosen-on`). No by default.
    fn chooses(&self) -> bool {
        false
    }

    /// The meter on these answers, with what it chooses chosen on `others`.
    fn open_chosen(
        &self,
        read: CellRead<'_>,
        _others: CellRead<'_>,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        self.open(read)
    }

    /// The dimensions it puts together from all raters of the study, each from the first that has
    /// it; none by default: it reads one rater.
    fn joint_dimensions(&self) -> &[&'static str] {
        &[]
    }

    /// What the number is made of: per class, bins, a curve. Nothing by default.
    fn detail(&self, _read: CellRead<'_>) -> Option<Detail> {
        None
    }
}

/// Reads the answers of a cell beside those of its clean twin, on the same items.
pub trait PairGauge: Send + Sync {
    /// What it is like.
    fn scale(&self) -> Scale;

    /// The meter on these answers.
    fn open(&self, clean: CellRead<'_>, pressed: CellRead<'_>)
    -> Result<Arc<dyn Meter>, Undefined>;

    /// What is read beside it, so that what stress does can be told from what chance does. None by
    /// default.
    fn floors(&self) -> &'static [Floor] {
        &[]
    }

    /// What a stressor has to promise for the gauge to say something about its severities; where it
    /// promises something else, nothing is read. Any by default.
    fn bounded_by(&self) -> Option<Promise> {
        None
    }

    /// The same, for a gauge whose number depends on how hard was pressed.
    fn open_at(
        &self,
        clean: CellRead<'_>,
        pressed: CellRead<'_>,
        _severity: &Severity,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        self.open(clean, pressed)
    }
}

/// Reads a cell gauge along a ladder.
pub trait LadderGauge: Send + Sync {
    /// The cell gauge it reads through.
    fn of(&self) -> &str;

    /// What it is like, given what the cell gauge is like.
    fn scale(&self, of: &Scale) -> Scale;

    /// The smallest and the largest value it can have over rungs of these severities, the clean one
    /// among them.
    fn ends_over(&self, of: &Scale, _severities: &[f64]) -> Ends {
        self.scale(of).ends
    }

    /// The meter on these rungs; the first is the clean one.
    fn open(&self, rungs: &[Rung], columns: &Columns) -> Result<Arc<dyn Meter>, Undefined>;

    /// What the number is made of: a value per rung and group. Nothing by default.
    fn detail(&self, _rungs: &[Rung], _columns: &Columns) -> Option<Detail> {
        None
    }

    /// For a gauge that reads the answers of all rungs themselves, and what is true: the cell gauge
    /// then only says which answers these are. None by default.
    fn on_answers(&self) -> Option<&dyn RungAnswersGauge> {
        None
    }

    /// Whether it counts noise as what it measures, as [`CellGauge::counts_noise`] says. No by default.
    fn counts_noise(&self) -> bool {
        false
    }
}

/// Reads the answers at all rungs of a ladder at once.
pub trait RungAnswersGauge: Send + Sync {
    /// The meter on these rungs; the first is the clean one.
    fn open(&self, rungs: &[RungRead<'_>]) -> Result<Arc<dyn Meter>, Undefined>;

    /// What the number is made of. Nothing by default.
    fn detail(&self, _rungs: &[RungRead<'_>]) -> Option<Detail> {
        None
    }
}

/// The answers at one rung.
#[derive(Clone)]
pub struct RungRead<'a> {
    /// How hard.
    pub severity: Severity,
    /// What the way to press that hard is called, where it has a name.
    pub name: Option<String>,
    /// What is true and what was said.
    pub cell: CellRead<'a>,
}

/// Reads a cell gauge over all that a subject did.
pub trait SubjectGauge: Send + Sync {
    /// The cell gauge it reads through.
    fn of(&self) -> &str;

    /// What it is like, given what the cell gauge is like.
    fn scale(&self, of: &Scale) -> Scale;

    /// Whether it reads conditions too: each is then handed over as a ladder of two rungs.
    fn reads_conditions(&self) -> bool {
        false
    }

    /// Whether it counts noise as what it measures, as [`CellGauge::counts_noise`] says. No by default.
    fn counts_noise(&self) -> bool {
        false
    }

    /// The meter on these ladders; the first rung of each is the clean one.
    fn open(
        &self,
        ladders: &[(Name, Vec<Rung>)],
        columns: &Columns,
    ) -> Result<Arc<dyn Meter>, Undefined>;

    /// What the number is made of: a value per group. Nothing by default.
    fn detail(&self, _ladders: &[(Name, Vec<Rung>)], _columns: &Columns) -> Option<Detail> {
        None
    }

    /// The subject beside which every subject is read, for a gauge that divides by what another
    /// did. None by default.
    fn reference(&self) -> Option<&str> {
        None
    }

    /// The meter on these ladders beside those of the [reference](Self::reference), which are about
    /// the same items. Whoever reads a gauge that names a reference opens it so.
    fn open_beside(
        &self,
        ladders: &[(Name, Vec<Rung>)],
        _reference: &[(Name, Vec<Rung>)],
        columns: &Columns,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        self.open(ladders, columns)
    }
}

/// The columns of a dataset, one value per item, for gauges that look at groups of items.
pub type Columns = BTreeMap<String, Vec<String>>;

/// A cell gauge opened on one rung of a ladder.
#[derive(Clone)]
pub struct Rung {
    /// How hard.
    pub severity: Severity,
    /// Which of the ways to press that hard.
    pub variant: usize,
    /// What that way is called, where it has a name.
    pub name: Option<String>,
    /// What the gauge reads there.
    pub meter: Arc<dyn Meter>,
}

/// An opened gauge: a value for each way of counting the items.
pub trait Meter: Send + Sync {
    /// How many units the weights are for.
    fn units(&self) -> usize;

    /// The value when unit `i` counts `weights[i]` times.
    fn read(&self, weights: &[u32]) -> Result<f64, Undefined>;

    /// The value when every unit counts once.
    fn plain(&self) -> Result<f64, Undefined> {
        self.read(&vec![1; self.units()])
    }

    /// For a gauge that is biased: what it would read if the items, counted so, were all there are.
    /// Resamples scatter about that, not about the reading, and an interval takes the difference
    /// off. `None` for a gauge that is not biased, or hardly.
    fn plug_in_value(&self, _weights: &[u32]) -> Option<Result<f64, Undefined>> {
        None
    }

    /// One value per item where the reading is their weighted mean; `None` for an item that does
    /// not take part.
    fn per_item(&self) -> Option<&[Option<f64>]> {
        None
    }

    /// For an area under the ROC curve of two classes: the score by which each item is ranked and
    /// whether it is of the class that should stand above; `None` for an item that does not take
    /// part. DeLong's test is made of these.
    fn ranked(&self) -> Option<Vec<Option<(f64, bool)>>> {
        None
    }

    /// Whether a unit takes part: one without an answer does not.
    fn takes_part(&self, unit: usize) -> bool {
        self.per_item().is_none_or(|values| values[unit].is_some())
    }

    /// How many units take part in the plain reading.
    fn taking_part(&self) -> usize {
        match self.per_item() {
            Some(values) => values.iter().flatten().count(),
            None => (0..self.units())
                .filter(|unit| self.takes_part(*unit))
                .count(),
        }
    }

    /// Whether the reading may jump, or rest on a few items only, where one item more or less counts:
    /// a median, a largest value. Its error is then found by resampling and not by leaving items out.
    fn is_rough(&self) -> bool {
        false
    }

    /// Whether the reading is the share of items that are right: each is 0 or 1, and exact
    /// intervals exist.
    fn is_share(&self) -> bool {
        false
    }

    /// Whether the reading is a difference of readings (a slope, a fall): it is not squeezed against
    /// an end, as a reading by itself is.
    fn is_contrast(&self) -> bool {
        false
    }
}

/// A cell whose truth is sealed: gauges are opened on it, and only then is the truth.
#[derive(Clone, Copy)]
pub struct SealedCell<'a> {
    truth: &'a Sealed<Truth>,
    answers: &'a Answers,
    views: &'a Views,
}

impl<'a> SealedCell<'a> {
    /// A cell with the views that were worked out of it before.
    pub fn new(truth: &'a Sealed<Truth>, answers: &'a Answers, views: &'a Views) -> SealedCell<'a> {
        SealedCell {
            truth,
            answers,
            views,
        }
    }

    fn open(self) -> CellRead<'a> {
        CellRead {
            truth: self.truth.open(),
            answers: self.answers,
            views: self.views,
        }
    }
}

/// Opens the truth for the plain reading of a cell gauge, where no other is wanted.
pub fn once(gauge: &dyn CellGauge, cell: SealedCell<'_>) -> Result<(f64, usize), Undefined> {
    gauge.once(cell.open())
}

/// Opens the truth for a cell gauge, and the gauge on it.
pub fn open_cell(
    gauge: &dyn CellGauge,
    truth: &Sealed<Truth>,
    answers: &Answers,
) -> Result<Arc<dyn Meter>, Undefined> {
    open_viewed(gauge, SealedCell::new(truth, answers, &Views::default()))
}

/// The same, with views that other gauges share.
pub fn open_viewed(
    gauge: &dyn CellGauge,
    cell: SealedCell<'_>,
) -> Result<Arc<dyn Meter>, Undefined> {
    gauge.open(cell.open())
}

/// Opens the truth for a cell gauge that chooses something of itself on answers about other items.
pub fn open_chosen(
    gauge: &dyn CellGauge,
    cell: SealedCell<'_>,
    others: SealedCell<'_>,
) -> Result<Arc<dyn Meter>, Undefined> {
    gauge.open_chosen(cell.open(), others.open())
}

/// Opens the truth for a pair gauge, and the gauge on it.
pub fn open_pair(
    gauge: &dyn PairGauge,
    clean: SealedCell<'_>,
    pressed: SealedCell<'_>,
) -> Result<Arc<dyn Meter>, Undefined> {
    gauge.open(clean.open(), pressed.open())
}

/// The same, on a rung of this severity.
pub fn open_pair_at(
    gauge: &dyn PairGauge,
    clean: SealedCell<'_>,
    pressed: SealedCell<'_>,
    severity: &Severity,
) -> Result<Arc<dyn Meter>, Undefined> {
    gauge.open_at(clean.open(), pressed.open(), severity)
}

/// A rung whose truth is sealed: how hard, what the way to press is called, and the cell.
pub type SealedRung<'a> = (Severity, Option<String>, SealedCell<'a>);

/// Opens the truth for a gauge of the answers at all rungs, and the gauge on it.
pub fn open_rungs(
    gauge: &dyn RungAnswersGauge,
    rungs: &[SealedRung<'_>],
) -> Result<Arc<dyn Meter>, Undefined> {
    gauge.open(&opened_rungs(rungs))
}

/// Opens the truth for what the number of such a gauge is made of.
pub fn rungs_detail(gauge: &dyn RungAnswersGauge, rungs: &[SealedRung<'_>]) -> Option<Detail> {
    gauge.detail(&opened_rungs(rungs))
}

fn opened_rungs<'a>(rungs: &[SealedRung<'a>]) -> Vec<RungRead<'a>> {
    let opened = |(severity, name, cell): &SealedRung<'a>| RungRead {
        severity: severity.clone(),
        name: name.clone(),
        cell: cell.open(),
    };
    rungs.iter().map(opened).collect()
}

/// Opens the truth for what a cell gauge's number is made of.
pub fn detail(gauge: &dyn CellGauge, cell: SealedCell<'_>) -> Option<Detail> {
    gauge.detail(cell.open())
}

/// The labels beside the classes that were said, if they are about the same items and name the same
/// classes in the same order.
///
/// Every gauge of classes comes through here: two orders of the same names would turn a good
/// classifier into a bad one, silently.
pub fn same_classes<'a>(read: CellRead<'a>) -> Result<(&'a Labels, &'a ClassAnswers), Undefined> {
    let (Truth::Labels(labels), Answers::Classes(said)) = (read.truth, read.answers) else {
        return Err(Undefined::new(format!(
            "needs labels and classes, was given {} and answers to `{}`",
            read.truth.kind(),
            read.answers.question()
        )));
    };
    if labels.classes() != said.classes() {
        return Err(Undefined::new(format!(
            "the dataset's classes are {:?}, the subject's are {:?}",
            labels.classes(),
            said.classes()
        )));
    }
    match (labels.of().len(), said.len()) {
        (items, answered) if items != answered => Err(Undefined::new(format!(
            "{answered} answers about {items} items"
        ))),
        _ => Ok((labels, said)),
    }
}

/// What a reading is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Detail {
    /// A value per class or group.
    Groups(Vec<Group>),
    /// Bins of confidence, as in a reliability diagram.
    Bins(Vec<Bin>),
    /// Counts: truth × answer.
    Matrix {
        /// The names of both axes.
        names: Vec<String>,
        /// Row by row.
        counts: Vec<u64>,
    },
    /// Points of a curve, with the names of its axes.
    Curve {
        /// What x is.
        x: String,
        /// What y is.
        y: String,
        /// The points, in order.
        points: Vec<(f64, f64)>,
    },
    /// A value for every row and column: ways to press by groups of items.
    Grid(Grid),
    /// The spread of the groups' means, beside what chance gives.
    Spread(GroupSpread),
    /// What is answered when a confidence must be above a threshold.
    Thresholds(Vec<Accepted>),
    /// What is answered when a confidence and another score must each be above a threshold.
    Gates {
        /// The other score.
        score: String,
        /// One for every pair of thresholds, those of the confidence running fastest.
        points: Vec<Gated>,
    },
}

/// A value for every row and column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// What the rows are.
    pub row_axis: String,
    /// What the columns are.
    pub column_axis: String,
    /// The names of the rows.
    pub rows: Vec<String>,
    /// The names of the columns; the first may be all of the others together.
    pub columns: Vec<String>,
    /// Row by row: how many items a cell is over, and its value.
    pub cells: Vec<GridCell>,
}

/// One cell of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GridCell {
    /// How many items it is over.
    pub n: usize,
    /// Its value.
    pub value: Result<f64, Undefined>,
}

/// The spread of the means of groups, and how much of it chance gives to groups of these sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupSpread {
    /// The mean of each group.
    pub groups: Vec<Group>,
    /// The population standard deviation of the means.
    pub spread: f64,
    /// The same with the sampling variance of the means taken out; 0 where that is larger, none where
    /// it is not known, as of a group of one item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net_spread: Option<f64>,
    /// What the gauge reads in the mean when items are shuffled over the groups.
    pub floor: f64,
    /// The share of shuffles, and of what was found, that spread as far.
    pub p: f64,
    /// How many shuffles.
    pub shuffles: usize,
}

/// What is answered when a confidence and another score must be above one threshold each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gated {
    /// The threshold of the other score.
    pub above: f64,
    /// The threshold of the confidence, and what is answered.
    #[serde(flatten)]
    pub accepted: Accepted,
}

/// What is answered when a confidence must be above one threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Accepted {
    /// The threshold.
    pub threshold: f64,
    /// The share of items that is answered.
    pub coverage: f64,
    /// The share of those that is right; `None` when nothing is answered.
    pub accuracy: Option<f64>,
}

/// One class or group of a reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// How many items it has.
    pub n: usize,
    /// Its value.
    pub value: Result<f64, Undefined>,
}

/// One bin of confidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Where it begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
    /// How many items are in it.
    pub n: usize,
    /// Their mean confidence; `None` when the bin is empty.
    pub confidence: Option<f64>,
    /// The share of them that is right; `None` when the bin is empty.
    pub accuracy: Option<f64>,
}

/// The meter of every gauge that is a mean over items.
///
/// ```
/// use duress_core::gauge::{Mean, Meter};
/// let mean = Mean::over(vec![Some(1.0), Some(0.0), None]);
/// assert_eq!(mean.read(&[1, 1, 1]), Ok(0.5));
/// assert_eq!(mean.read(&[3, 1, 9]), Ok(0.75));
/// assert!(mean.read(&[0, 0, 1]).is_err());
/// ```
pub struct Mean {
    values: Vec<Option<f64>>,
    share: bool,
    contrast: bool,
}

impl Mean {
    /// The mean of these values; an item without one does not take part.
    pub fn over(values: Vec<Option<f64>>) -> Mean {
        Mean {
            values,
            share: false,
            contrast: false,
        }
    }

    /// The mean of differences of readings, such as slopes.
    pub fn contrast(values: Vec<Option<f64>>) -> Mean {
        Mean {
            contrast: true,
            ..Mean::over(values)
        }
    }

    /// The share of items that count 1 where all others count 0; an item without a value does not
    /// take part.
    ///
    /// # Panics
    /// When a value is neither: that is a gauge's bug.
    pub fn share(values: Vec<Option<f64>>) -> Mean {
        assert!(
            values
                .iter()
                .flatten()
                .all(|value| *value == 0.0 || *value == 1.0),
            "a share counts 0 or 1"
        );
        Mean {
            share: true,
            ..Mean::over(values)
        }
    }
}

impl Meter for Mean {
    fn units(&self) -> usize {
        self.values.len()
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let mut sum = 0.0;
        let mut count = 0_u64;
        for (value, &weight) in self.values.iter().zip(weights) {
            if let Some(value) = value {
                sum += value * f64::from(weight);
                count += u64::from(weight);
            }
        }
        mean(sum, count)
    }

    fn plain(&self) -> Result<f64, Undefined> {
        let mut sum = 0.0;
        let mut count = 0_u64;
        for value in self.values.iter().flatten() {
            sum += value;
            count += 1;
        }
        mean(sum, count)
    }

    fn per_item(&self) -> Option<&[Option<f64>]> {
        Some(&self.values)
    }

    fn is_share(&self) -> bool {
        self.share
    }

    fn is_contrast(&self) -> bool {
        self.contrast
    }
}

fn mean(sum: f64, count: u64) -> Result<f64, Undefined> {
    match count {
        0 => Err(Undefined::new("no item takes part")),
        count => Ok(sum / count as f64),
    }
}

/// The meter of every gauge that reads one answer about the whole dataset.
pub struct Whole(pub f64);

impl Meter for Whole {
    fn units(&self) -> usize {
        1
    }

    fn read(&self, _weights: &[u32]) -> Result<f64, Undefined> {
        Ok(self.0)
    }
}
