//! What one column of numbers beside predictions is, told from both: about the second of two
//! classes, or how sure each prediction is.

use std::collections::BTreeMap;

use duress_core::number;
use duress_core::problem::Problem;

/// What goes with each class that was said; all that is needed to tell, so that a table of any
/// length can be gone through once.
#[derive(Default)]
pub(super) struct Beside(BTreeMap<String, Extent>);

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
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sense {
    /// About the second class. Where the predictions were not made at one half: how many that
    /// concerns, and from where on they say the second.
    Second(Option<(u64, f64)>),
    /// The same about the first.
    First(Option<(u64, f64)>),
    /// How sure each prediction is.
    Sure,
    /// Neither.
    Neither,
}

impl Beside {
    pub(super) fn add(&mut self, said: &str, x: f64) {
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
    /// about one.
    pub(super) fn sense(&self, column: &str, classes: &[String]) -> Sense {
        let [first, second] = classes else {
            return Sense::Sure;
        };
        // Predictions may be positions among the classes, as labels may.
        let named = [first, second]
            .iter()
            .any(|class| self.0.contains_key(*class));
        let of =
            |class: &str, position: &str| self.0.get(if named { class } else { position }).copied();
        let (first, second) = (of(first, "0"), of(second, "1"));
        let all = || first.iter().chain(&second);
        if all().count() != self.0.len() {
            // Something else was said; whoever reads the predictions knows how to complain.
            return Sense::Sure;
        }
        let (low, high) = all().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), extent| {
            (low.min(extent.low), high.max(extent.high))
        });
        let logits = low < 0.0 || high > 1.0 || column.starts_with("logit");
        match (told(first, second, logits), told(second, first, logits)) {
            // Made where such predictions are made.
            (Some(None), _) => Sense::Second(None),
            // The largest of two probabilities is never below one half.
            _ if !logits && low >= 0.5 => Sense::Sure,
            (_, Some(None)) => Sense::First(None),
            // Logits have both signs; numbers that do not may be anything, such as percentages.
            _ if logits && low >= 0.0 => Sense::Neither,
            (Some(other), _) => Sense::Second(other),
            (_, Some(other)) => Sense::First(other),
            (None, None) => Sense::Neither,
        }
    }
}

/// Whether the numbers are about the class on the right, in that it was said of high ones and the
/// left of low ones; and where not at one half (at a logit of 0), of how many and from where on.
fn told(left: Option<Extent>, right: Option<Extent>, logits: bool) -> Option<Option<(u64, f64)>> {
    let sides = |extent: Extent| if logits { extent.zero } else { extent.half };
    let against =
        left.map_or(0, |extent| sides(extent).0) + right.map_or(0, |extent| sides(extent).1);
    // What is equally likely is read as the left one.
    let ties = right.map_or(0, |extent| extent.all - sides(extent).0 - sides(extent).1);
    match (left, right) {
        (Some(_), Some(right)) if against == 0 && ties > 0 => Some(Some((ties, right.low))),
        _ if against == 0 => Some(None),
        // Numbers that were rounded may meet where the mind was changed.
        (Some(left), Some(right)) if left.high <= right.low && left.low < right.high => {
            Some(Some((against, right.low)))
        }
        _ => None,
    }
}

impl Sense {
    /// How the column was told to be about a class, in words; `prediction` is then not read.
    pub(super) fn in_words(
        &self,
        column: &str,
        prediction: &str,
        classes: &[String],
    ) -> Vec<String> {
        let (about, against) = match (self, classes) {
            (Sense::Second(against), [_, about]) | (Sense::First(against), [about, _]) => {
                (about, against)
            }
            _ => return Vec::new(),
        };
        let mut words = vec![format!(
            "`{column}` goes with `{prediction}`, which is not read: what is said follows from it"
        )];
        if let Some((count, from)) = against {
            words.push(format!(
                "`{prediction}` says `{about}` from {} on, so {} of them differ from what is likelier, which is what is read here; `--form labels`, in a study `form = \"labels\"`, reads `{prediction}` itself",
                number::tidy(*from),
                number::count(*count)
            ));
        }
        words
    }
}

/// The problem that nobody can tell what a column is.
pub(super) fn neither(column: &str, prediction: &str, classes: &[String]) -> Problem {
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
    use super::*;

    fn sense(rows: &[(&str, f64)]) -> Sense {
        let mut beside = Beside::default();
        rows.iter().for_each(|(said, x)| beside.add(said, *x));
        beside.sense("p", &["no".into(), "yes".into()])
    }

    #[test]
    fn one_column_beside_predictions_is_told_from_both() {
        let check =
            |rows: &[(&str, f64)], expected: Sense| assert_eq!(sense(rows), expected, "{rows:?}");
        check(
            &[("no", 0.2), ("yes", 0.9), ("no", 0.5), ("yes", 0.5)],
            Sense::Second(Some((1, 0.5))),
        );
        check(
            &[("no", 0.2), ("yes", 0.9), ("no", 0.5)],
            Sense::Second(None),
        );
        check(
            &[("no", 0.9), ("yes", 0.2), ("no", 0.6)],
            Sense::First(None),
        );
        check(&[("no", 0.9), ("yes", 0.6), ("no", 0.5)], Sense::Sure);
        check(&[("no", 0.6), ("yes", 0.7), ("yes", 0.9)], Sense::Sure);
        check(
            &[("no", 0.2), ("yes", 0.3), ("yes", 0.4), ("yes", 0.9)],
            Sense::Second(Some((2, 0.3))),
        );
        check(
            &[("no", 0.2), ("no", 0.7), ("yes", 0.8)],
            Sense::Second(Some((1, 0.8))),
        );
        check(
            &[("no", 0.2), ("yes", 0.3), ("no", 0.4), ("yes", 0.1)],
            Sense::Neither,
        );
        // One class said of all sorts of numbers tells nothing.
        check(&[("no", 0.2), ("no", 0.7)], Sense::Neither);
        check(&[("no", 0.2), ("no", 0.3)], Sense::Second(None));
        check(&[("0", 0.2), ("1", 0.9)], Sense::Second(None));
        let mut beside = Beside::default();
        beside.add("1", 0.2);
        assert_eq!(
            beside.sense("p", &["1".into(), "2".into()]),
            Sense::Second(None),
            "a name, and no position"
        );
    }

    #[test]
    fn numbers_outside_0_and_1_are_logits_only_with_both_signs() {
        assert_eq!(sense(&[("no", -2.0), ("yes", 3.0)]), Sense::Second(None));
        assert_eq!(
            sense(&[("no", 0.4), ("yes", 3.0), ("no", -1.0)]),
            Sense::Second(Some((1, 3.0)))
        );
        assert_eq!(sense(&[("no", 20.0), ("yes", 80.0)]), Sense::Neither);
    }

    #[test]
    fn of_more_than_two_classes_no_column_is_about_one() {
        let mut beside = Beside::default();
        beside.add("a", 0.1);
        assert_eq!(
            beside.sense("p", &["a".into(), "b".into(), "c".into()]),
            Sense::Sure
        );
    }
}
