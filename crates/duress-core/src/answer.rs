//! Answers: what a subject said, item by item, or why it did not.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::graph::Graph;
use crate::question::Question;

/// The answers of one cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Answers {
    /// A class for each item.
    Classes(ClassAnswers),
    /// One graph for the whole dataset.
    Graph(GraphAnswer),
    /// A text for each item.
    Texts(TextAnswers),
    /// A rating of each item, in each of some dimensions.
    Ratings(RatingAnswers),
}

impl Answers {
    /// The question they answer.
    pub fn question(&self) -> Question {
        match self {
            Answers::Classes(_) => Question::Classes,
            Answers::Graph(_) => Question::Graph,
            Answers::Texts(_) => Question::Text,
            Answers::Ratings(_) => Question::Ratings,
        }
    }

    /// Answers about the items at `some` positions as answers about all `items`; the others have
    /// none, and `why`.
    #[must_use]
    pub fn spread(self, some: &[usize], items: usize, why: &str) -> Answers {
        match self {
            Answers::Classes(said) => Answers::Classes(said.spread(some, items, why)),
            Answers::Texts(said) => Answers::Texts(TextAnswers {
                texts: spread(said.texts, some, items, why),
            }),
            Answers::Ratings(said) => Answers::Ratings(RatingAnswers::new(
                said.dimensions,
                spread(said.rows, some, items, why),
            )),
            whole @ Answers::Graph(_) => whole,
        }
    }

    /// The items without an answer.
    pub fn absent(&self) -> BTreeSet<usize> {
        match self {
            Answers::Classes(said) => said.absent().keys().copied().collect(),
            Answers::Texts(said) => said
                .texts
                .iter()
                .enumerate()
                .filter(|(_, text)| text.is_err())
                .map(|(i, _)| i)
                .collect(),
            Answers::Ratings(said) => said
                .rows()
                .iter()
                .enumerate()
                .filter(|(_, row)| row.is_err())
                .map(|(i, _)| i)
                .collect(),
            Answers::Graph(_) => BTreeSet::new(),
        }
    }

    /// Why these are not answers about `items` items, if they are not.
    pub fn nonsense(&self, items: usize) -> Option<String> {
        match self {
            Answers::Classes(classes) => classes.nonsense(items),
            Answers::Graph(graph) => graph.nonsense(),
            Answers::Ratings(ratings) => ratings.nonsense(items),
            Answers::Texts(texts) => (texts.texts.len() != items)
                .then(|| format!("{} texts for {items} items", texts.texts.len())),
        }
    }
}

/// In what form a classifier said what it thinks.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// A probability per item and class.
    Probabilities(Vec<f64>),
    /// A logit per item and class.
    Logits(Vec<f64>),
    /// A class per item and, where it gave one, a confidence in [0, 1].
    Labels {
        /// The class, as an index.
        label: Vec<u32>,
        /// How sure it was.
        confidence: Option<Vec<f64>>,
    },
}

/// A classifier's answers; the order of the classes is part of them.
///
/// ```
/// use duress_core::answer::{ClassAnswers, Said};
/// let said = Said::Probabilities(vec![0.9, 0.1, 0.4, 0.6]);
/// let answers = ClassAnswers::new(vec!["cat".into(), "dog".into()], said);
/// assert_eq!(answers.label(1), Some(1));
/// assert_eq!(answers.confidence(0), Some(0.9));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ClassAnswers {
    classes: Vec<String>,
    said: Said,
    absent: BTreeMap<usize, String>,
    scores: BTreeMap<String, Vec<f64>>,
    beside: Beside,
}

/// What others worked out from answers and would have to work out again; no part of what two
/// answers are compared by.
#[derive(Default)]
struct Beside(Mutex<Vec<Arc<dyn Any + Send + Sync>>>);

impl Clone for Beside {
    fn clone(&self) -> Beside {
        Beside::default()
    }
}

impl PartialEq for Beside {
    fn eq(&self, _: &Beside) -> bool {
        true
    }
}

impl fmt::Debug for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Beside")
    }
}

/// How far a row of probabilities may be from one: what rounding to three decimals over ten classes
/// can do.
pub const SUM_TOLERANCE: f64 = 1e-2;

impl ClassAnswers {
    /// Answers for every item.
    pub fn new(classes: Vec<String>, said: Said) -> ClassAnswers {
        let (absent, scores) = (BTreeMap::new(), BTreeMap::new());
        ClassAnswers {
            classes,
            said,
            absent,
            scores,
            beside: Beside::default(),
        }
    }

    /// The same classes, gaps and scores with other numbers, as scaling makes them.
    #[must_use]
    pub fn saying(&self, said: Said) -> ClassAnswers {
        ClassAnswers {
            said,
            beside: Beside::default(),
            ..self.clone()
        }
    }

    /// Adds a number per item that was measured about its answer, such as how stable its
    /// explanation is.
    #[must_use]
    pub fn with_score(mut self, name: impl Into<String>, of: Vec<f64>) -> ClassAnswers {
        self.scores.insert(name.into(), of);
        self
    }

    /// What was measured about each answer, by name.
    pub fn scores(&self) -> &BTreeMap<String, Vec<f64>> {
        &self.scores
    }

    /// Says that there is no answer about item `i`, and why; its row may hold anything.
    #[must_use]
    pub fn without(mut self, i: usize, why: impl Into<String>) -> ClassAnswers {
        self.absent.insert(i, why.into());
        self
    }

    /// The names of the classes, in the subject's order.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The same answers with the classes in another order; `None` when the names are others.
    ///
    /// ```
    /// use duress_core::answer::{ClassAnswers, Said};
    /// let names = |all: [&str; 2]| all.map(String::from).to_vec();
    /// let answers = ClassAnswers::new(names(["a", "b"]), Said::Probabilities(vec![0.9, 0.1]));
    /// let turned = answers.ordered(&names(["b", "a"])).unwrap();
    /// assert_eq!(turned.said(), &Said::Probabilities(vec![0.1, 0.9]));
    /// assert!(answers.ordered(&names(["a", "c"])).is_none());
    /// ```
    pub fn ordered(&self, classes: &[String]) -> Option<ClassAnswers> {
        let position = |class: &String| self.classes.iter().position(|own| own == class);
        let from: Vec<usize> = classes.iter().map(position).collect::<Option<_>>()?;
        if from.len() != self.classes.len() {
            return None;
        }
        let turned = |rows: &Vec<f64>| -> Vec<f64> {
            rows.chunks_exact(from.len().max(1))
                .flat_map(|row| from.iter().map(|&at| row[at]))
                .collect()
        };
        let to = |label: &u32| {
            from.iter()
                .position(|&at| at == *label as usize)
                .unwrap_or(0) as u32
        };
        let said = match &self.said {
            Said::Probabilities(rows) => Said::Probabilities(turned(rows)),
            Said::Logits(rows) => Said::Logits(turned(rows)),
            Said::Labels { label, confidence } => Said::Labels {
                label: label.iter().map(to).collect(),
                confidence: confidence.clone(),
            },
        };
        Some(ClassAnswers {
            classes: classes.to_vec(),
            ..self.saying(said)
        })
    }

    /// What was said, row by row.
    pub fn said(&self) -> &Said {
        &self.said
    }

    /// The items without an answer, with the reason.
    pub fn absent(&self) -> &BTreeMap<usize, String> {
        &self.absent
    }

    /// What was put beside the answers before and still `fits`, else what `make` gives, which is
    /// put there: a view of the answers that several gauges ask for is worked out once. It must
    /// follow from the answers and from what `fits` compares, and nothing else.
    ///
    /// ```
    /// use duress_core::answer::{ClassAnswers, Said};
    /// let answers = ClassAnswers::new(vec!["a".into()], Said::Probabilities(vec![1.0]));
    /// assert_eq!(*answers.beside(|_| true, || 3), 3);
    /// assert_eq!(*answers.beside(|_| true, || 4), 3);
    /// ```
    pub fn beside<T: Any + Send + Sync>(
        &self,
        fits: impl Fn(&T) -> bool,
        make: impl FnOnce() -> T,
    ) -> Arc<T> {
        // The lock is held while it is made: whoever else asks wants the same.
        let mut all = self.beside.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kept = all
            .iter()
            .filter_map(|one| Arc::clone(one).downcast::<T>().ok());
        if let Some(found) = kept.find(|one| fits(one)) {
            return found;
        }
        let made = Arc::new(make());
        all.push(Arc::clone(&made) as Arc<dyn Any + Send + Sync>);
        made
    }

    /// How many items the answers are about.
    pub fn len(&self) -> usize {
        match &self.said {
            Said::Probabilities(rows) | Said::Logits(rows) => {
                rows.len() / self.classes.len().max(1)
            }
            Said::Labels { label, .. } => label.len(),
        }
    }

    /// Whether they are about no item.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The class that was said: the likeliest, the first of them where several are.
    pub fn label(&self, i: usize) -> Option<u32> {
        if self.absent.contains_key(&i) {
            return None;
        }
        match &self.said {
            Said::Probabilities(rows) | Said::Logits(rows) => {
                Some(first_largest(self.row(rows, i)))
            }
            Said::Labels { label, .. } => Some(label[i]),
        }
    }

    /// The confidence in what was said: the largest probability, or the confidence given.
    pub fn confidence(&self, i: usize) -> Option<f64> {
        if self.absent.contains_key(&i) {
            return None;
        }
        match &self.said {
            Said::Probabilities(rows) => Some(largest(self.row(rows, i)).min(1.0)),
            Said::Logits(rows) => Some(largest(&softmax(self.row(rows, i)))),
            Said::Labels { confidence, .. } => confidence.as_ref().map(|all| all[i]),
        }
    }

    /// How many of the confidences that came with labels are lower than the largest of as many
    /// probabilities as there are classes can be.
    ///
    /// ```
    /// use duress_core::answer::{ClassAnswers, Said};
    /// let said = Said::Labels { label: vec![0, 1, 1], confidence: Some(vec![0.9, 0.2, 0.5]) };
    /// assert_eq!(ClassAnswers::new(vec!["cat".into(), "dog".into()], said).below_chance(), 1);
    /// ```
    pub fn below_chance(&self) -> usize {
        let Said::Labels {
            confidence: Some(all),
            ..
        } = &self.said
        else {
            return 0;
        };
        let least = (1.0 - 1e-9) / self.classes.len().max(1) as f64;
        all.iter()
            .enumerate()
            .filter(|(i, sure)| **sure < least && !self.absent.contains_key(i))
            .count()
    }

    /// The probability given to `class`, where probabilities can be had.
    pub fn probability(&self, i: usize, class: u32) -> Option<f64> {
        if self.absent.contains_key(&i) {
            return None;
        }
        match &self.said {
            Said::Probabilities(rows) => Some(self.row(rows, i)[class as usize]),
            Said::Logits(rows) => Some(softmax(self.row(rows, i))[class as usize]),
            Said::Labels { .. } => None,
        }
    }

    fn spread(self, some: &[usize], items: usize, why: &str) -> ClassAnswers {
        let k = self.classes.len();
        let wide = |rows: &[f64]| {
            let mut all = vec![0.0; items * k];
            some.iter()
                .zip(rows.chunks(k))
                .for_each(|(&i, row)| all[i * k..(i + 1) * k].copy_from_slice(row));
            all
        };
        let narrow = |values: &[f64]| {
            let mut all = vec![0.0; items];
            some.iter()
                .zip(values)
                .for_each(|(&i, value)| all[i] = *value);
            all
        };
        let said = match &self.said {
            Said::Probabilities(rows) => Said::Probabilities(wide(rows)),
            Said::Logits(rows) => Said::Logits(wide(rows)),
            Said::Labels { label, confidence } => {
                let mut all = vec![0; items];
                some.iter()
                    .zip(label)
                    .for_each(|(&i, label)| all[i] = *label);
                Said::Labels {
                    label: all,
                    confidence: confidence.as_deref().map(narrow),
                }
            }
        };
        let scores = self
            .scores
            .into_iter()
            .map(|(name, of)| (name, narrow(&of)))
            .collect();
        let moved = self
            .absent
            .into_iter()
            .filter_map(|(i, why)| Some((*some.get(i)?, why)));
        let mut absent: BTreeMap<usize, String> = moved.collect();
        let asked: std::collections::BTreeSet<usize> = some.iter().copied().collect();
        absent.extend(
            (0..items)
                .filter(|i| !asked.contains(i))
                .map(|i| (i, why.to_string())),
        );
        ClassAnswers {
            classes: self.classes,
            said,
            absent,
            scores,
            beside: Beside::default(),
        }
    }

    fn row<'a>(&self, rows: &'a [f64], i: usize) -> &'a [f64] {
        &rows[i * self.classes.len()..(i + 1) * self.classes.len()]
    }

    fn nonsense(&self, items: usize) -> Option<String> {
        let k = self.classes.len();
        if let Some((name, of)) = self.scores.iter().find(|(_, of)| of.len() != items) {
            return Some(format!(
                "{} numbers in `{name}` for {items} items",
                of.len()
            ));
        }
        match &self.said {
            Said::Probabilities(rows) | Said::Logits(rows) if rows.len() != items * k => Some(
                format!("{} numbers for {items} items × {k} classes", rows.len()),
            ),
            Said::Labels { label, confidence } => {
                labels_nonsense(items, k, label, confidence.as_deref(), &self.absent)
            }
            Said::Probabilities(rows) => self.first_row(rows, |row| {
                let sum: f64 = row.iter().sum();
                let proper = row.iter().all(|p| (0.0..=1.0 + 1e-9).contains(p))
                    && (sum - 1.0).abs() <= SUM_TOLERANCE;
                (!proper).then(|| format!("probabilities {row:?} (sum {sum})"))
            }),
            Said::Logits(rows) => self.first_row(rows, |row| {
                row.iter()
                    .any(|x| !x.is_finite())
                    .then(|| format!("logits {row:?}"))
            }),
        }
    }

    fn first_row(&self, rows: &[f64], wrong: impl Fn(&[f64]) -> Option<String>) -> Option<String> {
        let counted = (0..self.len()).filter(|i| !self.absent.contains_key(i));
        counted
            .filter_map(|i| Some(format!("item {i} has {}", wrong(self.row(rows, i))?)))
            .next()
    }
}

fn labels_nonsense(
    items: usize,
    classes: usize,
    label: &[u32],
    confidence: Option<&[f64]>,
    absent: &BTreeMap<usize, String>,
) -> Option<String> {
    if label.len() != items || confidence.is_some_and(|all| all.len() != items) {
        return Some(format!("{} labels for {items} items", label.len()));
    }
    (0..items)
        .filter(|i| !absent.contains_key(i))
        .find_map(|i| {
            let sure = confidence.map(|all| all[i]);
            if label[i] as usize >= classes {
                Some(format!(
                    "item {i} has label {} of {classes} classes",
                    label[i]
                ))
            } else if sure.is_some_and(|c| !(0.0..=1.0).contains(&c)) {
                Some(format!(
                    "item {i} has a confidence outside [0, 1]: {}",
                    sure.unwrap_or_default()
                ))
            } else {
                None
            }
        })
}

fn spread<T>(
    said: Vec<Result<T, String>>,
    some: &[usize],
    items: usize,
    why: &str,
) -> Vec<Result<T, String>> {
    let mut all: Vec<Result<T, String>> = (0..items).map(|_| Err(why.to_string())).collect();
    some.iter().zip(said).for_each(|(&i, one)| all[i] = one);
    all
}

/// The probabilities that logits stand for.
///
/// ```
/// assert_eq!(duress_core::answer::softmax(&[1000.0, 1000.0]), [0.5, 0.5]);
/// ```
pub fn softmax(logits: &[f64]) -> Vec<f64> {
    let top = largest(logits);
    let raised: Vec<f64> = logits.iter().map(|x| libm::exp(x - top)).collect();
    let sum: f64 = raised.iter().sum();
    raised.into_iter().map(|x| x / sum).collect()
}

fn largest(row: &[f64]) -> f64 {
    row.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn first_largest(row: &[f64]) -> u32 {
    let top = largest(row);
    row.iter().position(|x| *x == top).unwrap_or(0) as u32
}

/// A structure learner's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphAnswer {
    /// The edges it chose.
    pub graph: Graph,
    /// How strongly each variable acts on each: row by row, from × to; the diagonal does not count.
    pub scores: Vec<f64>,
    /// How the edges were chosen from the scores, without the truth.
    pub rule: String,
}

impl GraphAnswer {
    fn nonsense(&self) -> Option<String> {
        let d = self.graph.variables().len();
        if self.scores.len() != d * d {
            return Some(format!("{} scores for {d} × {d} pairs", self.scores.len()));
        }
        self.scores
            .iter()
            .position(|s| !s.is_finite())
            .map(|at| format!("the score of {}→{} is {}", at / d, at % d, self.scores[at]))
    }
}

/// A text for each item, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextAnswers {
    /// One per item.
    pub texts: Vec<Result<String, String>>,
}

/// A rating of each item in each of some dimensions, or why there is none.
///
/// ```
/// use duress_core::answer::RatingAnswers;
/// let ratings = RatingAnswers::new(vec!["T".into(), "B".into()], vec![Ok(vec![90.0, 100.0]), Err("not parsed".into())]);
/// assert_eq!(ratings.rating(0, "T"), Some(90.0));
/// assert_eq!(ratings.rating(1, "T"), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RatingAnswers {
    dimensions: Vec<String>,
    rows: Vec<Result<Vec<f64>, String>>,
}

impl RatingAnswers {
    /// One row per item: a value per dimension, or why there is none.
    pub fn new(dimensions: Vec<String>, rows: Vec<Result<Vec<f64>, String>>) -> RatingAnswers {
        RatingAnswers { dimensions, rows }
    }

    /// The names of the dimensions, in the order of the rows.
    pub fn dimensions(&self) -> &[String] {
        &self.dimensions
    }

    /// One row per item.
    pub fn rows(&self) -> &[Result<Vec<f64>, String>] {
        &self.rows
    }

    /// The rating of item `i` in a dimension.
    pub fn rating(&self, i: usize, dimension: &str) -> Option<f64> {
        let at = self.dimensions.iter().position(|name| name == dimension)?;
        self.rows[i].as_ref().ok().map(|row| row[at])
    }

    fn nonsense(&self, items: usize) -> Option<String> {
        if self.rows.len() != items {
            return Some(format!("{} ratings for {items} items", self.rows.len()));
        }
        let wrong = |row: &Vec<f64>| {
            row.len() != self.dimensions.len() || row.iter().any(|x| !x.is_finite())
        };
        self.rows.iter().enumerate().find_map(|(i, row)| {
            let row = row.as_ref().ok().filter(|row| wrong(row))?;
            Some(format!(
                "item {i} has ratings {row:?} in {} dimensions",
                self.dimensions.len()
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two(said: Said) -> ClassAnswers {
        ClassAnswers::new(vec!["a".into(), "b".into()], said)
    }

    #[test]
    fn nonsense_is_named() {
        let check = |said: Said, expected: &str| {
            let why = two(said).nonsense(1).unwrap();
            assert!(why.contains(expected), "{why}");
        };
        check(
            Said::Probabilities(vec![0.5]),
            "1 numbers for 1 items × 2 classes",
        );
        check(Said::Probabilities(vec![0.5, 0.2]), "sum 0.7");
        check(Said::Probabilities(vec![f64::NAN, 1.0]), "NaN");
        check(Said::Logits(vec![f64::INFINITY, 1.0]), "inf");
        check(
            Said::Labels {
                label: vec![2],
                confidence: None,
            },
            "label 2 of 2 classes",
        );
        check(
            Said::Labels {
                label: vec![1],
                confidence: Some(vec![1.5]),
            },
            "confidence outside",
        );
    }

    #[test]
    fn answers_about_some_items_become_answers_about_all() {
        let some = two(Said::Probabilities(vec![0.9, 0.1, 0.3, 0.7])).without(1, "timed out");
        let Answers::Classes(all) = Answers::Classes(some).spread(&[1, 3], 4, "not asked") else {
            panic!()
        };
        assert_eq!(all.nonsense(4), None);
        assert_eq!(
            [0, 1, 2, 3].map(|i| all.label(i)),
            [None, Some(0), None, None]
        );
        assert_eq!(
            [0, 3].map(|i| all.absent()[&i].as_str()),
            ["not asked", "timed out"]
        );
    }

    #[test]
    fn an_absent_item_has_no_answer_and_its_row_is_not_checked() {
        let answers =
            two(Said::Probabilities(vec![f64::NAN, 0.0, 0.3, 0.7])).without(0, "timed out");
        assert_eq!(answers.nonsense(2), None);
        assert_eq!(answers.label(0), None);
        assert_eq!(answers.label(1), Some(1));
    }
}
