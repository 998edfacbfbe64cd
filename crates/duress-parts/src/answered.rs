//! What every gauge of classes reads: the items that have an answer, with their class and the class that was said.

use std::sync::Arc;

use duress_core::answer::{Answers, ClassAnswers, Said};
use duress_core::gauge::{Meter, Undefined, same_classes};
use duress_core::truth::{Labels, Truth};
use duress_stats::statistic::Statistic;

/// The items that have an answer; the others do not take part.
pub(crate) struct Answered<'a> {
    pub(crate) labels: &'a Labels,
    pub(crate) answers: &'a ClassAnswers,
    /// Their positions among all items; `None` when all have an answer.
    which: Option<Vec<usize>>,
}

impl<'a> Answered<'a> {
    /// The answered items, if truth and answers are about the same items and classes and there is one.
    pub(crate) fn new(truth: &'a Truth, answers: &'a Answers) -> Result<Answered<'a>, Undefined> {
        let (labels, answers) = same_classes(truth, answers)?;
        let absent = answers.absent();
        let which: Option<Vec<usize>> =
            (!absent.is_empty()).then(|| (0..answers.len()).filter(|i| !absent.contains_key(i)).collect());
        match which.as_ref().map_or(answers.len(), Vec::len) {
            0 => Err(Undefined::new("no item has an answer")),
            _ => Ok(Answered { labels, answers, which }),
        }
    }

    /// The names of the classes.
    pub(crate) fn classes(&self) -> &'a [String] {
        self.answers.classes()
    }

    /// `value` of every answered item, in order.
    pub(crate) fn each<T>(&self, value: impl FnMut(usize) -> T) -> Vec<T> {
        match &self.which {
            None => (0..self.answers.len()).map(value).collect(),
            Some(which) => which.iter().copied().map(value).collect(),
        }
    }

    /// The class of every answered item.
    pub(crate) fn truth(&self) -> Vec<u32> {
        let of = self.labels.of();
        self.each(|i| of[i])
    }

    /// The class that was said of every answered item: the likeliest, the first of several.
    pub(crate) fn said(&self) -> Vec<u32> {
        match (self.answers.said(), self.answers.tops()) {
            (Said::Labels { label, .. }, _) => self.each(|i| label[i]),
            (_, Some(tops)) => self.each(|i| tops.label[i]),
            (_, None) => Vec::new(),
        }
    }

    /// The probability of every class, item by item; what labels do not have.
    pub(crate) fn probabilities(&self) -> Result<Scores<'a>, Undefined> {
        let k = self.classes().len();
        match self.answers.said() {
            Said::Probabilities(rows) if self.which.is_none() => Ok(Scores::Kept(rows, k)),
            Said::Probabilities(rows) => {
                Ok(Scores::Made(self.each(|i| row(rows, k, i).to_vec()).concat(), k))
            }
            Said::Logits(rows) => {
                let soft = |i| duress_core::answer::softmax(row(rows, k, i));
                Ok(Scores::Made(self.each(soft).concat(), k))
            }
            Said::Labels { .. } => {
                Err(Undefined::new("the answers are labels; it needs a probability of every class"))
            }
        }
    }

    /// A value per item, for a mean over them; an item without an answer has none.
    pub(crate) fn per_item(&self, value: impl FnMut(usize) -> f64) -> Vec<Option<f64>> {
        let values = self.each(value);
        match &self.which {
            None => values.into_iter().map(Some).collect(),
            Some(which) => {
                let mut all = vec![None; self.answers.len()];
                which.iter().zip(values).for_each(|(&i, value)| all[i] = Some(value));
                all
            }
        }
    }

    /// The meter of a statistic of the answered items.
    pub(crate) fn meter<S: Statistic + Send + 'static>(
        self,
        statistic: Result<S, duress_stats::Undefined>,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let statistic = statistic.map_err(in_words)?;
        Ok(Arc::new(Through { statistic, items: self.answers.len(), which: self.which }))
    }
}

/// A score per item and class, as they were kept or made for the occasion.
pub(crate) enum Scores<'a> {
    Kept(&'a [f64], usize),
    Made(Vec<f64>, usize),
}

impl Scores<'_> {
    /// The score of the item at this place among the answered.
    pub(crate) fn at(&self, item: usize, class: usize) -> f64 {
        match self {
            Scores::Kept(rows, k) => rows[item * k + class],
            Scores::Made(rows, k) => rows[item * k + class],
        }
    }
}

/// The numbers of one item.
pub(crate) fn row(rows: &[f64], classes: usize, item: usize) -> &[f64] {
    &rows[item * classes..(item + 1) * classes]
}

/// The first place of the largest number, that number, and the largest of the others.
pub(crate) fn top(row: &[f64]) -> (usize, f64, f64) {
    let (mut at, mut first, mut second) = (0, f64::NEG_INFINITY, f64::NEG_INFINITY);
    for (place, &x) in row.iter().enumerate() {
        if x > first {
            (at, second, first) = (place, first, x);
        } else if x > second {
            second = x;
        }
    }
    (at, first, second)
}

/// A weighted statistic of some of the items, as a meter of all.
struct Through<S> {
    statistic: S,
    which: Option<Vec<usize>>,
    items: usize,
}

impl<S: Statistic + Send> Meter for Through<S> {
    fn units(&self) -> usize {
        self.items
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        match &self.which {
            None => self.statistic.at(weights).map_err(in_words),
            Some(which) => {
                let weights: Vec<u32> = which.iter().map(|&i| weights[i]).collect();
                self.statistic.at(&weights).map_err(in_words)
            }
        }
    }
}

/// A reason of the arithmetic as a reason of a gauge.
pub(crate) fn in_words(why: duress_stats::Undefined) -> Undefined {
    Undefined::new(why.to_string().trim_start_matches("undefined: "))
}
