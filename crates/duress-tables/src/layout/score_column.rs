//! What one column of numbers beside predictions is, told from both: about the second of two
//! classes, or how sure each prediction is.

use std::collections::BTreeMap;

use duress_core::problem::Problem;

use super::answers::PERCENT;
use super::guess::Reason;
use super::words::{says_logits, says_probabilities};

/// The numbers that go with each class that was said; all that is needed to tell, so that a table
/// of any length can be gone through once.
#[derive(Default)]
pub struct ScoreColumn(BTreeMap<String, Extent>);

/// The numbers beside one class.
#[derive(Clone, Copy)]
struct Extent {
    low: f64,
    high: f64,
    /// How many are above and below the number at which a probability, and a logit, changes its
    /// mind.
    half: (u64, u64),
    zero: (u64, u64),
    /// How many there are.
    all: u64,
}

/// What the numbers are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meaning {
    /// About the second class; with where the predictions change, if not at one half.
    SecondClass(Option<Threshold>),
    /// The same about the first.
    FirstClass(Option<Threshold>),
    /// How sure each prediction is.
    Confidence,
    /// Neither.
    Neither,
    /// Called a probability, and outside [0, 1].
    NoProbability(f64),
}

/// Predictions that were not made at one half (of logits, at 0).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// How many differ from what is likelier.
    pub differing: u64,
    /// From where on the class is said.
    pub from: f64,
}

impl ScoreColumn {
    /// Takes in a row: what was said, and the number.
    pub fn add(&mut self, said: &str, x: f64) {
        let sides = |(above, below): (u64, u64), at: f64| {
            (above + u64::from(x > at), below + u64::from(x < at))
        };
        let add = |old: Extent| Extent {
            low: old.low.min(x),
            high: old.high.max(x),
            half: sides(old.half, 0.5),
            zero: sides(old.zero, 0.0),
            all: old.all + 1,
        };
        match self.0.get_mut(said) {
            Some(extent) => *extent = add(*extent),
            None => {
                let none = Extent {
                    low: f64::INFINITY,
                    high: f64::NEG_INFINITY,
                    half: (0, 0),
                    zero: (0, 0),
                    all: 0,
                };
                self.0.insert(said.into(), add(none));
            }
        }
    }

    /// What the numbers in `column` are, if there are these classes. Of more than two, no column is
    /// about one; and what is called a probability is no logit, whatever stands in it.
    pub fn meaning(&self, column: &str, classes: &[String]) -> Meaning {
        let [first, second] = classes else {
            return Meaning::Confidence;
        };
        // Predictions may be positions among the classes, as labels may.
        let named = [first, second]
            .iter()
            .any(|class| self.0.contains_key(*class));
        let of =
            |class: &str, position: &str| self.0.get(if named { class } else { position }).copied();
        let first = of(first, "0");
        let second = of(second, "1");
        let all = || first.iter().chain(&second);
        if all().count() != self.0.len() {
            // Something else was said; whoever reads the predictions knows how to complain.
            return Meaning::Confidence;
        }
        let (low, high) = all().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), extent| {
            (low.min(extent.low), high.max(extent.high))
        });
        let beyond = low < 0.0 || high > 1.0;
        if beyond && says_probabilities(column) {
            return Meaning::NoProbability(if low < 0.0 { low } else { high });
        }
        let logits = beyond || says_logits(column);
        match (
            about_right(first, second, logits),
            about_right(second, first, logits),
        ) {
            // Made where such predictions are made.
            (Some(None), _) => Meaning::SecondClass(None),
            // The largest of two probabilities is never below one half.
            _ if !logits && low >= 0.5 => Meaning::Confidence,
            (_, Some(None)) => Meaning::FirstClass(None),
            // Logits have both signs; numbers that do not may be anything, such as percentages.
            _ if logits && low >= 0.0 => Meaning::Neither,
            (Some(other), _) => Meaning::SecondClass(other),
            (_, Some(other)) => Meaning::FirstClass(other),
            (None, None) => Meaning::Neither,
        }
    }
}

fn threshold(differing: u64, from: f64) -> Option<Threshold> {
    Some(Threshold { differing, from })
}

/// Whether the numbers are about the class on the right, in that it was said of high ones and the
/// left of low ones; and where not at one half (at a logit of 0), of how many and from where on.
fn about_right(
    left: Option<Extent>,
    right: Option<Extent>,
    logits: bool,
) -> Option<Option<Threshold>> {
    let sides = |extent: Extent| if logits { extent.zero } else { extent.half };
    let against =
        left.map_or(0, |extent| sides(extent).0) + right.map_or(0, |extent| sides(extent).1);
    // What is equally likely is read as the left one.
    let ties = right.map_or(0, |extent| extent.all - sides(extent).0 - sides(extent).1);
    match (left, right) {
        (Some(_), Some(right)) if against == 0 && ties > 0 => Some(threshold(ties, right.low)),
        _ if against == 0 => Some(None),
        // Numbers that were rounded may meet where the mind was changed.
        (Some(left), Some(right)) if left.high <= right.low && left.low < right.high => {
            Some(threshold(against, right.low))
        }
        _ => None,
    }
}

impl Meaning {
    /// The reason for taking the column to be about a class, where it is; `prediction` is then not
    /// read.
    pub fn reason(self, column: &str, prediction: &str, classes: &[String]) -> Option<Reason> {
        let (about, threshold) = match (self, classes) {
            (Meaning::SecondClass(threshold), [_, about])
            | (Meaning::FirstClass(threshold), [about, _]) => (about, threshold),
            _ => return None,
        };
        Some(Reason::GoesWithPrediction {
            column: column.into(),
            prediction: prediction.into(),
            about: about.clone(),
            threshold,
        })
    }
}

impl Meaning {
    /// The problem that the numbers cannot be read, where they cannot.
    pub fn problem(self, column: &str, prediction: &str, classes: &[String]) -> Option<Problem> {
        match self {
            Meaning::Neither => Some(neither(column, prediction, classes)),
            Meaning::NoProbability(number) => Some(
                Problem::new(format!("`{column}` is called a probability, and is {number}"))
                    .expected("a probability from 0 to 1")
                    .hint(format!(
                        "{}if these are logits: `--score {column} --form logits`; in a study, `positive = \"{column}\"` and `form = \"logits\"`",
                        // The largest, where none is below 0.
                        match (1.0..=100.0).contains(&number) {
                            true => format!("{PERCENT}; "),
                            false => String::new(),
                        }
                    )),
            ),
            Meaning::SecondClass(_) | Meaning::FirstClass(_) | Meaning::Confidence => None,
        }
    }
}

fn neither(column: &str, prediction: &str, classes: &[String]) -> Problem {
    let second = classes.last().map_or("", String::as_str);
    Problem::new(format!(
        "`{column}` is neither the probability of `{second}`, since no threshold on it gives `{prediction}`, nor how sure each prediction is, since some are below 1/2"
    ))
    .expected(format!("numbers that go with `{prediction}`"))
    .hint(format!(
        "`--score {column}` reads them as the probability of `{second}`, `--form labels` as how sure each prediction is; in a study, `positive = \"{column}\"` and `confidence = \"{column}\"`"
    ))
}

#[cfg(test)]
mod tests {
    use super::super::words::PROBABILITIES;
    use super::*;

    fn meaning_of(column: &str, rows: &[(&str, f64)]) -> Meaning {
        let mut scores = ScoreColumn::default();
        rows.iter().for_each(|(said, x)| scores.add(said, *x));
        scores.meaning(column, &["no".into(), "yes".into()])
    }

    fn meaning(rows: &[(&str, f64)]) -> Meaning {
        meaning_of("score", rows)
    }

    /// About the second class, which is said from a number on that is not one half.
    fn second_from(differing: u64, from: f64) -> Meaning {
        Meaning::SecondClass(threshold(differing, from))
    }

    #[test]
    fn one_column_beside_predictions_is_told_from_both() {
        let check = |rows: &[(&str, f64)], expected: Meaning| {
            assert_eq!(meaning(rows), expected, "{rows:?}")
        };
        check(
            &[("no", 0.2), ("yes", 0.9), ("no", 0.5), ("yes", 0.5)],
            second_from(1, 0.5),
        );
        check(
            &[("no", 0.2), ("yes", 0.9), ("no", 0.5)],
            Meaning::SecondClass(None),
        );
        check(
            &[("no", 0.9), ("yes", 0.2), ("no", 0.6)],
            Meaning::FirstClass(None),
        );
        check(
            &[("no", 0.9), ("yes", 0.6), ("no", 0.5)],
            Meaning::Confidence,
        );
        check(
            &[("no", 0.6), ("yes", 0.7), ("yes", 0.9)],
            Meaning::Confidence,
        );
        check(
            &[("no", 0.2), ("yes", 0.3), ("yes", 0.4), ("yes", 0.9)],
            second_from(2, 0.3),
        );
        check(
            &[("no", 0.2), ("no", 0.7), ("yes", 0.8)],
            second_from(1, 0.8),
        );
        check(
            &[("no", 0.2), ("yes", 0.3), ("no", 0.4), ("yes", 0.1)],
            Meaning::Neither,
        );
        // One class said of all sorts of numbers tells nothing.
        check(&[("no", 0.2), ("no", 0.7)], Meaning::Neither);
        check(&[("no", 0.2), ("no", 0.3)], Meaning::SecondClass(None));
        check(&[("0", 0.2), ("1", 0.9)], Meaning::SecondClass(None));
        let mut scores = ScoreColumn::default();
        scores.add("1", 0.2);
        assert_eq!(
            scores.meaning("p", &["1".into(), "2".into()]),
            Meaning::SecondClass(None),
            "a name, and no position"
        );
    }

    #[test]
    fn numbers_outside_0_and_1_are_logits_only_with_both_signs() {
        assert_eq!(
            meaning(&[("no", -2.0), ("yes", 3.0)]),
            Meaning::SecondClass(None)
        );
        assert_eq!(
            meaning(&[("no", 0.4), ("yes", 3.0), ("no", -1.0)]),
            second_from(1, 3.0)
        );
        assert_eq!(meaning(&[("no", 20.0), ("yes", 80.0)]), Meaning::Neither);
    }

    #[test]
    fn what_is_called_a_probability_is_never_a_logit() {
        let rows = [("no", -2.0), ("yes", 3.0)];
        for column in PROBABILITIES.all() {
            let meaning = meaning_of(column, &rows);
            assert_eq!(meaning, Meaning::NoProbability(-2.0), "{column}");
            assert!(meaning.problem(column, "pred", &[]).is_some(), "{column}");
        }
        assert_eq!(meaning_of("logit", &rows), Meaning::SecondClass(None));
    }

    #[test]
    fn of_more_than_two_classes_no_column_is_about_one() {
        let mut scores = ScoreColumn::default();
        scores.add("a", 0.1);
        assert_eq!(
            scores.meaning("p", &["a".into(), "b".into(), "c".into()]),
            Meaning::Confidence
        );
    }
}
