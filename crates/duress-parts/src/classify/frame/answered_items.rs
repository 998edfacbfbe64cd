//! What every gauge of classes reads: the items that have an answer, with their class and the class
//! that was said.

use std::sync::{Arc, Mutex, OnceLock};

use duress_core::answer::{ClassAnswers, Said};
use duress_core::gauge::{CellRead, Meter, Undefined, same_classes};
use duress_core::truth::Labels;
use duress_stats::parallel::map_indices;
use duress_stats::statistic::{Confidences, Confusion, Counts, Statistic};

use crate::classify::frame::confidence::ConfidenceKind;

/// The items that have an answer; the others do not take part.
pub(crate) struct AnsweredItems<'a> {
    pub(crate) answers: &'a ClassAnswers,
    view: Arc<AnsweredView>,
}

/// What is seen of answers beside a truth: worked out once, kept beside the answers, shared by all
/// gauges that read them.
pub(crate) struct AnsweredView {
    /// How many items there are.
    items: usize,
    /// The positions of the answered among all items; `None` when all have an answer.
    which: Option<Vec<usize>>,
    /// The class of every answered item.
    truth: Vec<u32>,
    /// The class that was said of it: the likeliest, the first of several.
    said: Vec<u32>,
    counted: OnceLock<Result<ConfusionCounts, Undefined>>,
    sure: Mutex<Vec<(ConfidenceKind, Sure)>>,
}

/// How sure the answers were in one way of reading that, or why nobody knows.
pub(crate) type Sure = Result<Arc<Confidences>, Undefined>;

/// True against said classes.
pub(crate) struct ConfusionCounts {
    /// To be counted under any weights.
    pub(crate) confusion: Confusion,
    /// The plain counts.
    pub(crate) counts: Counts,
}

impl<'a> AnsweredItems<'a> {
    /// The answered items, if truth and answers are about the same items and classes and there is
    /// one.
    pub(crate) fn new(read: CellRead<'a>) -> Result<AnsweredItems<'a>, Undefined> {
        let (labels, answers) = same_classes(read)?;
        let view = read.view(|| AnsweredView::new(labels, answers));
        match view.truth.len() {
            0 => Err(Undefined::new("no item has an answer")),
            _ => Ok(AnsweredItems { answers, view }),
        }
    }

    /// The names of the classes.
    pub(crate) fn classes(&self) -> &'a [String] {
        self.answers.classes()
    }

    /// What is seen of the answers.
    pub(crate) fn view(&self) -> &Arc<AnsweredView> {
        &self.view
    }

    /// The class of every answered item.
    pub(crate) fn truth(&self) -> &[u32] {
        &self.view.truth
    }

    /// The class that was said of every answered item.
    pub(crate) fn said(&self) -> &[u32] {
        &self.view.said
    }

    /// The probability of every class, item by item; what labels do not have.
    pub(crate) fn probabilities(&self) -> Result<ScoreRows<'a>, Undefined> {
        let k = self.classes().len();
        match (self.answers.said(), &self.view.which) {
            (Said::Probabilities(rows), None) => Ok(ScoreRows::Kept(rows, k)),
            (Said::Probabilities(rows), Some(which)) => Ok(ScoreRows::Made(
                which
                    .iter()
                    .flat_map(|&i| row(rows, k, i))
                    .copied()
                    .collect(),
                k,
            )),
            (Said::Logits(rows), _) => {
                let places = (0..self.truth().len()).map(|at| self.view.item(at));
                Ok(ScoreRows::Made(
                    places
                        .flat_map(|i| duress_core::answer::softmax(row(rows, k, i)))
                        .collect(),
                    k,
                ))
            }
            (Said::Labels { .. }, _) => Err(Undefined::new(
                "the answers are labels; it needs a probability of every class",
            )),
        }
    }

    /// A value for every answered item, told by its place among the answered, for a mean over them;
    /// an item without an answer has none.
    pub(crate) fn per_item(&self, value: impl Fn(usize) -> f64) -> Vec<Option<f64>> {
        let values = (0..self.truth().len()).map(|at| Some(value(at)));
        match &self.view.which {
            None => values.collect(),
            Some(which) => {
                let mut all = vec![None; self.view.items];
                which
                    .iter()
                    .zip(values)
                    .for_each(|(&i, value)| all[i] = value);
                all
            }
        }
    }

    /// The mean of a value over the answered items, and how many they are.
    pub(crate) fn mean(&self, value: impl Fn(usize) -> f64) -> (f64, usize) {
        let count = self.truth().len();
        ((0..count).map(value).sum::<f64>() / count as f64, count)
    }

    /// The meter of a statistic of the answered items.
    pub(crate) fn meter<S: Statistic + Send + 'static>(
        self,
        statistic: Result<S, duress_stats::UndefinedReason>,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        Ok(Arc::new(Through {
            statistic: statistic.map_err(in_words)?,
            view: self.view,
        }))
    }
}

impl AnsweredView {
    fn new(labels: &Labels, answers: &ClassAnswers) -> AnsweredView {
        let absent = answers.absent();
        let which: Option<Vec<usize>> = (!absent.is_empty()).then(|| {
            (0..answers.len())
                .filter(|i| !absent.contains_key(i))
                .collect()
        });
        let item = |at: usize| which.as_ref().map_or(at, |which| which[at]);
        let (count, k) = (
            which.as_ref().map_or(answers.len(), Vec::len),
            answers.classes().len(),
        );
        let truth = (0..count).map(|at| labels.of()[item(at)]).collect();
        let said = match answers.said() {
            Said::Labels { label, .. } => (0..count).map(|at| label[item(at)]).collect(),
            Said::Probabilities(rows) | Said::Logits(rows) => {
                map_indices(count, |at| top(row(rows, k, item(at))).0 as u32)
            }
        };
        let counted = OnceLock::new();
        let sure = Mutex::default();
        AnsweredView {
            items: answers.len(),
            which,
            truth,
            said,
            counted,
            sure,
        }
    }

    /// The class of every answered item.
    pub(crate) fn truth(&self) -> &[u32] {
        &self.truth
    }

    /// Which item stands at a place among the answered.
    pub(crate) fn item(&self, at: usize) -> usize {
        self.which.as_ref().map_or(at, |which| which[at])
    }

    /// True against said classes, if there are not too many.
    pub(crate) fn counted(&self, classes: usize) -> Result<&ConfusionCounts, Undefined> {
        let count = || {
            let confusion = Confusion::new(&self.truth, &self.said, classes).map_err(in_words)?;
            let counts = confusion.counts(&vec![1; confusion.units()]);
            Ok(ConfusionCounts { confusion, counts })
        };
        self.counted
            .get_or_init(count)
            .as_ref()
            .map_err(Clone::clone)
    }

    /// How sure the answers were, as `make` says it when nobody has asked before.
    pub(crate) fn sure(
        &self,
        kind: ConfidenceKind,
        make: impl FnOnce() -> Result<Vec<f64>, Undefined>,
    ) -> Sure {
        let mut all = self
            .sure
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((_, sure)) = all.iter().find(|(own, _)| *own == kind) {
            return sure.clone();
        }
        let right = || -> Vec<bool> {
            self.said
                .iter()
                .zip(&self.truth)
                .map(|(a, b)| a == b)
                .collect()
        };
        let sure = make().and_then(|of| {
            Confidences::new(of, right())
                .map(Arc::new)
                .map_err(in_words)
        });
        all.push((kind, sure.clone()));
        sure
    }

    /// Whether an item has an answer.
    pub(crate) fn has(&self, item: usize) -> bool {
        self.which
            .as_ref()
            .is_none_or(|which| which.binary_search(&item).is_ok())
    }

    /// How many items there are, with and without an answer.
    pub(crate) fn items(&self) -> usize {
        self.items
    }

    /// The weights of the answered.
    pub(crate) fn of_answered<T>(&self, weights: &[u32], read: impl FnOnce(&[u32]) -> T) -> T {
        match &self.which {
            None => read(weights),
            Some(which) => read(&which.iter().map(|&i| weights[i]).collect::<Vec<u32>>()),
        }
    }
}

/// A score per item and class, as they were kept or made for the occasion.
pub(crate) enum ScoreRows<'a> {
    Kept(&'a [f64], usize),
    Made(Vec<f64>, usize),
}

impl ScoreRows<'_> {
    /// The scores of the item at this place among the answered.
    pub(crate) fn row(&self, at: usize) -> &[f64] {
        match self {
            ScoreRows::Kept(rows, k) => row(rows, *k, at),
            ScoreRows::Made(rows, k) => row(rows, *k, at),
        }
    }
}

/// The numbers of one item.
pub(crate) fn row(rows: &[f64], classes: usize, item: usize) -> &[f64] {
    &rows[item * classes..(item + 1) * classes]
}

/// The first place of the largest number, that number, and the largest of the others.
pub(crate) fn top(row: &[f64]) -> (usize, f64, f64) {
    let mut at = 0;
    let mut first = f64::NEG_INFINITY;
    let mut second = f64::NEG_INFINITY;
    for (place, &x) in row.iter().enumerate() {
        if x > first {
            (at, second, first) = (place, first, x);
        } else if x > second {
            second = x;
        }
    }
    (at, first, second)
}

/// A weighted statistic of the answered, as a meter of all items.
struct Through<S> {
    statistic: S,
    view: Arc<AnsweredView>,
}

impl<S: Statistic + Send> Meter for Through<S> {
    fn units(&self) -> usize {
        self.view.items
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        self.view
            .of_answered(weights, |weights| self.statistic.at_weights(weights))
            .map_err(in_words)
    }

    fn takes_part(&self, unit: usize) -> bool {
        self.view.has(unit)
    }

    fn ranked(&self) -> Option<Vec<Option<(f64, bool)>>> {
        let mut all = vec![None; self.view.items];
        for (at, ranked) in self.statistic.ranked()?.into_iter().enumerate() {
            all[self.view.item(at)] = Some(ranked);
        }
        Some(all)
    }

    fn is_rough(&self) -> bool {
        self.statistic.is_rough()
    }

    fn plug_in_value(&self, weights: &[u32]) -> Option<Result<f64, Undefined>> {
        let read = self
            .view
            .of_answered(weights, |weights| self.statistic.plug_in_value(weights));
        Some(read?.map_err(in_words))
    }
}

/// A reason of the arithmetic as a reason of a gauge.
pub(crate) fn in_words(why: duress_stats::UndefinedReason) -> Undefined {
    Undefined::new(why.to_string().trim_start_matches("undefined: "))
}
