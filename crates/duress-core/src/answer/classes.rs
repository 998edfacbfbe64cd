//! A classifier's answers: probabilities, logits or labels, with the order of the classes.

use std::collections::{BTreeMap, HashMap};

use super::Absence;

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
    absent: BTreeMap<usize, Absence>,
    scores: BTreeMap<String, Vec<f64>>,
}

/// How far a row of probabilities may be from one: what rounding to three decimals over ten classes
/// can do.
pub const SUM_TOLERANCE: f64 = 1e-2;

/// What stands for the logarithm of a probability of 0: so far below that it has no share at any
/// temperature.
const IMPOSSIBLE: f64 = -1e8;

/// Probabilities at a temperature; the place of an absent answer holds zeros, which nobody reads.
fn tempered(row: &[f64], temperature: f64) -> Vec<f64> {
    let most = row.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return row.to_vec();
    }
    let raised = row.iter().map(|p| libm::pow(p / most, 1.0 / temperature));
    let raised: Vec<f64> = raised.collect();
    let sum: f64 = raised.iter().sum();
    raised.into_iter().map(|p| p / sum).collect()
}

impl ClassAnswers {
    /// Answers for every item.
    pub fn new(classes: Vec<String>, said: Said) -> ClassAnswers {
        let absent = BTreeMap::new();
        let scores = BTreeMap::new();
        ClassAnswers {
            classes,
            said,
            absent,
            scores,
        }
    }

    /// The same classes, gaps and scores with other numbers, as scaling makes them.
    #[must_use]
    pub fn saying(&self, said: Said) -> ClassAnswers {
        ClassAnswers {
            said,
            ..self.clone()
        }
    }

    /// A logit per item and class; of probabilities the logarithm. `None` where labels were said.
    ///
    /// ```
    /// use duress_core::answer::{ClassAnswers, Said};
    /// let answers = ClassAnswers::new(vec!["a".into(), "b".into()], Said::Probabilities(vec![1.0, 0.0]));
    /// assert_eq!(answers.log_scores().unwrap()[0], 0.0);
    /// assert!(answers.log_scores().unwrap()[1] < -1e6);
    /// ```
    pub fn log_scores(&self) -> Option<Vec<f64>> {
        let logarithm = |p: &f64| match *p > 0.0 {
            true => libm::log(*p),
            false => IMPOSSIBLE,
        };
        match &self.said {
            Said::Logits(rows) => Some(rows.clone()),
            Said::Probabilities(rows) => Some(rows.iter().map(logarithm).collect()),
            Said::Labels { .. } => None,
        }
    }

    /// The same answers with every logit divided by a temperature. `None` where labels were said.
    ///
    /// ```
    /// use duress_core::answer::{ClassAnswers, Said};
    /// let answers = ClassAnswers::new(vec!["a".into(), "b".into()], Said::Logits(vec![3.0, 1.0]));
    /// let colder = answers.at_temperature(0.5).unwrap();
    /// assert_eq!(colder.said(), &Said::Logits(vec![6.0, 2.0]));
    /// ```
    pub fn at_temperature(&self, temperature: f64) -> Option<ClassAnswers> {
        let k = self.classes.len().max(1);
        let said = match &self.said {
            Said::Logits(rows) => Said::Logits(rows.iter().map(|x| x / temperature).collect()),
            Said::Probabilities(rows) => {
                let rows = rows.chunks(k).flat_map(|row| tempered(row, temperature));
                Said::Probabilities(rows.collect())
            }
            Said::Labels { .. } => return None,
        };
        Some(self.saying(said))
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
    pub fn without(mut self, i: usize, why: impl Into<Absence>) -> ClassAnswers {
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
        let places: HashMap<&str, usize> =
            self.classes.iter().map(String::as_str).zip(0..).collect();
        let position = |class: &String| places.get(class.as_str()).copied();
        let from: Vec<usize> = classes.iter().map(position).collect::<Option<_>>()?;
        if from.len() != self.classes.len() {
            return None;
        }
        let turned = |rows: &Vec<f64>| -> Vec<f64> {
            rows.chunks_exact(from.len().max(1))
                .flat_map(|row| from.iter().map(|&at| row[at]))
                .collect()
        };
        let mut to = vec![0; from.len()];
        from.iter().zip(0..).for_each(|(&at, place)| to[at] = place);
        let ordered_label = |label: &u32| to.get(*label as usize).copied().unwrap_or(0);
        let said = match &self.said {
            Said::Probabilities(rows) => Said::Probabilities(turned(rows)),
            Said::Logits(rows) => Said::Logits(turned(rows)),
            Said::Labels { label, confidence } => Said::Labels {
                label: label.iter().map(ordered_label).collect(),
                confidence: confidence.clone(),
            },
        };
        Some(ClassAnswers {
            classes: classes.to_vec(),
            ..self.saying(said)
        })
    }

    /// The same answers with each item's classes standing for others: class `c` of item `i` becomes
    /// `stands_for(i)[c]`; an item without such a list stays as it is. For answers about options
    /// that were shown in another order.
    ///
    /// ```
    /// use duress_core::answer::{ClassAnswers, Said};
    /// let names = ["A", "B", "C"].map(String::from).to_vec();
    /// let answers = ClassAnswers::new(names, Said::Probabilities(vec![0.7, 0.2, 0.1]));
    /// // The third option was shown first, then the first, then the second.
    /// let meant = answers.standing_for(|_| Some(vec![2, 0, 1]));
    /// assert_eq!(meant.said(), &Said::Probabilities(vec![0.2, 0.1, 0.7]));
    /// ```
    #[must_use]
    pub fn standing_for(&self, stands_for: impl Fn(usize) -> Option<Vec<usize>>) -> ClassAnswers {
        let width = self.classes.len().max(1);
        let moved = |rows: &[f64]| -> Vec<f64> {
            let mut all = rows.to_vec();
            for (item, row) in rows.chunks_exact(width).enumerate() {
                if let Some(meant) = stands_for(item) {
                    let own = &mut all[item * width..][..width];
                    row.iter()
                        .zip(&meant)
                        .for_each(|(value, &to)| own[to] = *value);
                }
            }
            all
        };
        let meant_label = |(item, label): (usize, &u32)| {
            let meant = stands_for(item);
            meant.map_or(*label, |meant| meant[*label as usize] as u32)
        };
        let said = match &self.said {
            Said::Probabilities(rows) => Said::Probabilities(moved(rows)),
            Said::Logits(rows) => Said::Logits(moved(rows)),
            Said::Labels { label, confidence } => Said::Labels {
                label: label.iter().enumerate().map(meant_label).collect(),
                confidence: confidence.clone(),
            },
        };
        self.saying(said)
    }

    /// What was said, row by row.
    pub fn said(&self) -> &Said {
        &self.said
    }

    /// The items without an answer, with the reason.
    pub fn absent(&self) -> &BTreeMap<usize, Absence> {
        &self.absent
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

    pub(super) fn spread(self, some: &[usize], items: usize, why: &Absence) -> ClassAnswers {
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
        let mut absent: BTreeMap<usize, Absence> = moved.collect();
        let asked: std::collections::BTreeSet<usize> = some.iter().copied().collect();
        absent.extend(
            (0..items)
                .filter(|i| !asked.contains(i))
                .map(|i| (i, why.clone())),
        );
        ClassAnswers {
            classes: self.classes,
            said,
            absent,
            scores,
        }
    }

    fn row<'a>(&self, rows: &'a [f64], i: usize) -> &'a [f64] {
        &rows[i * self.classes.len()..(i + 1) * self.classes.len()]
    }

    pub(super) fn validate(&self, items: usize) -> Result<(), String> {
        let k = self.classes.len();
        if let Some((name, of)) = self.scores.iter().find(|(_, of)| of.len() != items) {
            let n = of.len();
            return Err(format!("{n} numbers in `{name}` for {items} items"));
        }
        match &self.said {
            Said::Probabilities(rows) | Said::Logits(rows) if rows.len() != items * k => {
                let n = rows.len();
                Err(format!("{n} numbers for {items} items × {k} classes"))
            }
            Said::Labels { label, confidence } => {
                validate_labels(items, k, label, confidence.as_deref(), &self.absent)
            }
            Said::Probabilities(rows) => self.validate_rows(rows, |row| {
                let sum: f64 = row.iter().sum();
                let within = row.iter().all(|p| (0.0..=1.0 + 1e-9).contains(p));
                if within && (sum - 1.0).abs() <= SUM_TOLERANCE {
                    Ok(())
                } else {
                    Err(format!("probabilities {row:?} (sum {sum})"))
                }
            }),
            Said::Logits(rows) => self.validate_rows(rows, |row| {
                if row.iter().all(|x| x.is_finite()) {
                    Ok(())
                } else {
                    Err(format!("logits {row:?}"))
                }
            }),
        }
    }

    fn validate_rows(
        &self,
        rows: &[f64],
        validate: impl Fn(&[f64]) -> Result<(), String>,
    ) -> Result<(), String> {
        for i in (0..self.len()).filter(|i| !self.absent.contains_key(i)) {
            validate(self.row(rows, i)).map_err(|wrong| format!("item {i} has {wrong}"))?;
        }
        Ok(())
    }
}

fn validate_labels(
    items: usize,
    classes: usize,
    label: &[u32],
    confidence: Option<&[f64]>,
    absent: &BTreeMap<usize, Absence>,
) -> Result<(), String> {
    if label.len() != items || confidence.is_some_and(|all| all.len() != items) {
        return Err(format!("{} labels for {items} items", label.len()));
    }
    for i in (0..items).filter(|i| !absent.contains_key(i)) {
        let class = label[i];
        if class as usize >= classes {
            return Err(format!("item {i} has label {class} of {classes} classes"));
        }
        let sure = confidence.map_or(0.0, |all| all[i]);
        if !(0.0..=1.0).contains(&sure) {
            return Err(format!("item {i} has a confidence outside [0, 1]: {sure}"));
        }
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Answers;

    fn two(said: Said) -> ClassAnswers {
        ClassAnswers::new(vec!["a".into(), "b".into()], said)
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |said: Said, expected: &str| {
            let why = two(said).validate(1).unwrap_err();
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
        let Answers::Classes(all) = Answers::Classes(some).spread(&[1, 3], 4, &"not asked".into())
        else {
            panic!()
        };
        assert_eq!(all.validate(4), Ok(()));
        assert_eq!(
            [0, 1, 2, 3].map(|i| all.label(i)),
            [None, Some(0), None, None]
        );
        assert_eq!(
            [0, 3].map(|i| all.absent()[&i].why.as_str()),
            ["not asked", "timed out"]
        );
    }

    #[test]
    fn an_absent_item_has_no_answer_and_its_row_is_not_checked() {
        let answers =
            two(Said::Probabilities(vec![f64::NAN, 0.0, 0.3, 0.7])).without(0, "timed out");
        assert_eq!(answers.validate(2), Ok(()));
        assert_eq!(answers.label(0), None);
        assert_eq!(answers.label(1), Some(1));
    }
}
