//! What gauges of single classes share: counts of true against said, the classes that take part, and their names.

use std::sync::Arc;

use duress_core::answer::Answers;
use duress_core::gauge::{Detail, Group, Meter, Undefined};
use duress_core::part::{Field, Takes};
use duress_core::truth::Truth;
use duress_stats::statistic::{Confusion, Counts, from_fn};

use crate::answered::{Answered, in_words};

/// The key that asks for one class instead of the mean over classes.
pub(crate) const CLASS: Field = Field {
    name: "class",
    takes: Takes::Text,
    doc: "read this class alone; when left out, the mean over classes",
    default: Some(""),
};

/// Which classes a mean is over; settled when the answers are known, so that resamples estimate one quantity.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    /// The classes some item has.
    There,
    /// The classes some item has or was said to have.
    ThereOrSaid,
}

/// The rate of one class: its value, or why there is none.
pub(crate) type Rate = fn(&Counts, usize, &str) -> Result<f64, Undefined>;

/// The meter of a function of the counts.
pub(crate) fn meter(
    truth: &Truth,
    answers: &Answers,
    read: impl Fn(&Counts) -> Result<f64, Undefined> + Send + Sync + 'static,
) -> Result<Arc<dyn Meter>, Undefined> {
    let answered = Answered::new(truth, answers)?;
    let confusion = confusion(&answered)?;
    let statistic = from_fn(confusion.units(), move |weights: &[u32]| {
        let counts = confusion.counts(weights);
        match counts.all() {
            0 => Err(duress_stats::Undefined::Because("no item takes part".into())),
            _ => read(&counts).map_err(|undefined| duress_stats::Undefined::Because(undefined.why)),
        }
    });
    answered.meter(Ok(statistic))
}

/// The meter of a rate: of one class, or its mean over classes.
pub(crate) fn rate_meter(
    truth: &Truth,
    answers: &Answers,
    class: Option<&str>,
    over: Over,
    rate: Rate,
) -> Result<Arc<dyn Meter>, Undefined> {
    let answered = Answered::new(truth, answers)?;
    let names = answered.classes().to_vec();
    let classes: Vec<usize> = match class {
        None => over.classes(&counts(&answered)?),
        Some(class) => {
            let at = names.iter().position(|name| name == class);
            vec![at.ok_or_else(|| {
                Undefined::new(format!("there is no class `{class}`, but {}", names.join(", ")))
            })?]
        }
    };
    meter(truth, answers, move |counts| {
        let values = classes.iter().map(|&class| rate(counts, class, &names[class]));
        let values = values.collect::<Result<Vec<f64>, Undefined>>()?;
        Ok(values.iter().sum::<f64>() / values.len() as f64)
    })
}

impl Over {
    fn classes(self, counts: &Counts) -> Vec<usize> {
        let takes_part = |class: &usize| {
            counts.support(*class) > 0 || (self == Over::ThereOrSaid && counts.predicted(*class) > 0)
        };
        (0..counts.classes()).filter(takes_part).collect()
    }
}

fn confusion(answered: &Answered<'_>) -> Result<Confusion, Undefined> {
    Confusion::new(&answered.truth(), &answered.said(), answered.classes().len()).map_err(in_words)
}

fn counts(answered: &Answered<'_>) -> Result<Counts, Undefined> {
    let confusion = confusion(answered)?;
    Ok(confusion.counts(&vec![1; confusion.units()]))
}

/// The rate of every class, each with the items it is a share of.
pub(crate) fn groups(
    truth: &Truth,
    answers: &Answers,
    rate: Rate,
    of: fn(&Counts, usize) -> u64,
) -> Option<Detail> {
    let answered = Answered::new(truth, answers).ok()?;
    let counts = counts(&answered).ok()?;
    let group = |(class, name): (usize, &String)| Group {
        name: name.clone(),
        n: of(&counts, class) as usize,
        value: rate(&counts, class, name),
    };
    Some(Detail::Groups(answered.classes().iter().enumerate().map(group).collect()))
}

/// The counts themselves.
pub(crate) fn matrix(truth: &Truth, answers: &Answers) -> Option<Detail> {
    let answered = Answered::new(truth, answers).ok()?;
    let counts = counts(&answered).ok()?.cells().to_vec();
    Some(Detail::Matrix { names: answered.classes().to_vec(), counts })
}

/// The share of the items of a class that was found.
pub(crate) fn recall(counts: &Counts, class: usize, name: &str) -> Result<f64, Undefined> {
    counts.recall(class).ok_or_else(|| Undefined::new(format!("no item is of class `{name}`")))
}

/// The share of what was said to be of a class that is.
pub(crate) fn precision(counts: &Counts, class: usize, name: &str) -> Result<f64, Undefined> {
    counts.precision(class).ok_or_else(|| Undefined::new(format!("no item was said to be of class `{name}`")))
}

/// The harmonic mean of the two.
pub(crate) fn f1(counts: &Counts, class: usize, name: &str) -> Result<f64, Undefined> {
    counts
        .f1(class)
        .ok_or_else(|| Undefined::new(format!("no item is, or was said to be, of class `{name}`")))
}
