//! What gauges of single classes share: counts of true against said, the classes that take part,
//! and their names.

use std::sync::Arc;

use duress_core::answer::Answers;
use duress_core::gauge::{
    CellGauge, Detail, Direction, Group, Meter, SHARE, Scale, Undefined, Unit,
};
use duress_core::part::{Field, Takes};
use duress_core::question::Question;
use duress_core::truth::Truth;
use duress_stats::statistic::Counts;

use crate::answered::{Answered, Counted, View};

/// The key that asks for one class instead of the mean over classes.
pub(crate) const CLASS: Field = Field {
    name: "class",
    takes: Takes::Text,
    doc: "read this class alone; when left out, the mean over classes",
    default: Some(""),
};

/// Which classes a mean is over; settled when the answers are known, so that resamples estimate one
/// quantity.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    /// The classes some item has.
    There,
    /// The classes some item has or was said to have.
    ThereOrSaid,
}

/// The rate of one class: its value, or why there is none.
pub(crate) type Rate = fn(&Counts, usize, &str) -> Result<f64, Undefined>;

/// A gauge of a rate: of one class, or its mean over classes. Its detail is every class.
pub(crate) struct Rated {
    /// The class, when it is one.
    pub(crate) class: Option<String>,
    /// The convention, told from the class.
    pub(crate) convention: fn(Option<&str>) -> String,
    /// Which classes the mean is over.
    pub(crate) over: Over,
    /// The rate.
    pub(crate) rate: Rate,
    /// The same in a mean over classes.
    pub(crate) in_mean: Rate,
    /// The items it is a share of.
    pub(crate) of: fn(&Counts, usize) -> u64,
}

impl CellGauge for Rated {
    fn scale(&self) -> Scale {
        scale((self.convention)(self.class.as_deref()))
    }

    fn open(&self, truth: &Truth, answers: &Answers) -> Result<Arc<dyn Meter>, Undefined> {
        let answered = Answered::new(truth, answers)?;
        let names = answered.classes().to_vec();
        let classes: Vec<usize> = match &self.class {
            None => self.over.classes(&counted(&answered)?.counts),
            Some(class) => {
                let at = names.iter().position(|name| name == class);
                vec![at.ok_or_else(|| {
                    Undefined::new(format!(
                        "there is no class `{class}`, but {}",
                        names.join(", ")
                    ))
                })?]
            }
        };
        let rate = if self.class.is_some() {
            self.rate
        } else {
            self.in_mean
        };
        meter(truth, answers, move |counts| {
            let values = classes
                .iter()
                .map(|&class| rate(counts, class, &names[class]));
            let values = values.collect::<Result<Vec<f64>, Undefined>>()?;
            Ok(values.iter().sum::<f64>() / values.len() as f64)
        })
    }

    fn detail(&self, truth: &Truth, answers: &Answers) -> Option<Detail> {
        groups(truth, answers, self.rate, self.of)
    }
}

/// The scale of what is read from counts.
pub(crate) fn scale(convention: String) -> Scale {
    Scale {
        reads: Question::Classes,
        direction: Direction::Higher,
        best: Some(1.0),
        ends: SHARE,
        unit: Unit::Items,
        convention,
        compat: false,
    }
}

/// The meter of a function of the counts.
pub(crate) fn meter(
    truth: &Truth,
    answers: &Answers,
    read: impl Fn(&Counts) -> Result<f64, Undefined> + Send + Sync + 'static,
) -> Result<Arc<dyn Meter>, Undefined> {
    let answered = Answered::new(truth, answers)?;
    counted(&answered)?;
    let (view, classes) = (Arc::clone(answered.view()), answered.classes().len());
    Ok(Arc::new(OfCounts {
        view,
        classes,
        read,
    }))
}

/// A function of counts under any weights.
struct OfCounts<F> {
    view: Arc<View>,
    classes: usize,
    read: F,
}

impl<F: Fn(&Counts) -> Result<f64, Undefined> + Send + Sync> Meter for OfCounts<F> {
    fn units(&self) -> usize {
        self.view.items()
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let counted = self.view.counted(self.classes)?;
        let counts = self
            .view
            .of_answered(weights, |weights| counted.confusion.counts(weights));
        match counts.total() {
            0 => Err(Undefined::new("no item takes part")),
            _ => (self.read)(&counts),
        }
    }

    fn takes_part(&self, unit: usize) -> bool {
        self.view.has(unit)
    }

    fn plain(&self) -> Result<f64, Undefined> {
        (self.read)(&self.view.counted(self.classes)?.counts)
    }
}

impl Over {
    fn classes(self, counts: &Counts) -> Vec<usize> {
        let takes_part = |class: &usize| {
            counts.support(*class) > 0
                || (self == Over::ThereOrSaid && counts.predicted(*class) > 0)
        };
        (0..counts.classes()).filter(takes_part).collect()
    }
}

fn counted<'a>(answered: &'a Answered<'_>) -> Result<&'a Counted, Undefined> {
    answered.view().counted(answered.classes().len())
}

/// The rate of every class, each with the items it is a share of.
pub(crate) fn groups(
    truth: &Truth,
    answers: &Answers,
    rate: Rate,
    of: fn(&Counts, usize) -> u64,
) -> Option<Detail> {
    let answered = Answered::new(truth, answers).ok()?;
    let counts = &counted(&answered).ok()?.counts;
    let group = |(class, name): (usize, &String)| Group {
        name: name.clone(),
        n: of(counts, class) as usize,
        value: rate(counts, class, name),
    };
    Some(Detail::Groups(
        answered.classes().iter().enumerate().map(group).collect(),
    ))
}

/// The most classes whose counts against each other are shown.
const SHOWN: usize = 1000;

/// How often each class was said of each.
pub(crate) fn matrix(truth: &Truth, answers: &Answers) -> Option<Detail> {
    let answered = Answered::new(truth, answers)
        .ok()
        .filter(|answered| answered.classes().len() <= SHOWN)?;
    let confusion = &counted(&answered).ok()?.confusion;
    let counts = confusion.cells(&vec![1; confusion.units()]);
    Some(Detail::Matrix {
        names: answered.classes().to_vec(),
        counts,
    })
}

/// The share of the items of a class that was found.
pub(crate) fn recall(counts: &Counts, class: usize, name: &str) -> Result<f64, Undefined> {
    counts
        .recall(class)
        .ok_or_else(|| Undefined::new(format!("no item is of class `{name}`")))
}

/// The share of what was said to be of a class that is.
pub(crate) fn precision(counts: &Counts, class: usize, name: &str) -> Result<f64, Undefined> {
    counts
        .precision(class)
        .ok_or_else(|| Undefined::new(format!("no item was said to be of class `{name}`")))
}

/// The harmonic mean of the two.
pub(crate) fn f1(counts: &Counts, class: usize, name: &str) -> Result<f64, Undefined> {
    counts
        .f1(class)
        .ok_or_else(|| Undefined::new(format!("no item is, or was said to be, of class `{name}`")))
}
