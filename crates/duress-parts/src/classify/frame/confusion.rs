//! What gauges of single classes share: counts of true against said, the classes that take part,
//! and their names.

use std::sync::Arc;

use duress_core::gauge::{
    CellGauge, CellRead, Detail, Direction, Group, Meter, SHARE, Scale, Undefined, Unit,
};
use duress_core::part::{Field, Takes};
use duress_core::question::Question;
use duress_stats::statistic::Counts;

use crate::classify::frame::answered_items::{AnsweredItems, AnsweredView, ConfusionCounts};

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
pub(crate) enum ClassesInMean {
    /// The classes some item has.
    There,
    /// The classes some item has or was said to have.
    ThereOrSaid,
}

/// The rate of one class: its value, or why there is none.
pub(crate) type ClassRate = fn(&Counts, usize, &str) -> Result<f64, Undefined>;

/// A gauge of a rate: of one class, or its mean over classes. Its detail is every class.
pub(crate) struct ClassRateGauge {
    /// The class, when it is one.
    pub(crate) class: Option<String>,
    /// The convention, told from the class.
    pub(crate) convention: fn(Option<&str>) -> String,
    /// Which classes the mean is over.
    pub(crate) over: ClassesInMean,
    /// The rate.
    pub(crate) rate: ClassRate,
    /// The same in a mean over classes.
    pub(crate) in_mean: ClassRate,
    /// The items it is a share of.
    pub(crate) of: fn(&Counts, usize) -> u64,
}

impl CellGauge for ClassRateGauge {
    fn scale(&self) -> Scale {
        scale((self.convention)(self.class.as_deref()))
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let answered = AnsweredItems::new(read)?;
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
        meter(read, move |counts| {
            let values = classes
                .iter()
                .map(|&class| rate(counts, class, &names[class]));
            let values = values.collect::<Result<Vec<f64>, Undefined>>()?;
            Ok(values.iter().sum::<f64>() / values.len() as f64)
        })
    }

    fn detail(&self, read: CellRead<'_>) -> Option<Detail> {
        groups(read, self.rate, self.of)
    }
}

/// The scale of what is 1 where every class is told from the others, such as what is read from
/// counts.
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
    read: CellRead<'_>,
    rate: impl Fn(&Counts) -> Result<f64, Undefined> + Send + Sync + 'static,
) -> Result<Arc<dyn Meter>, Undefined> {
    let answered = AnsweredItems::new(read)?;
    counted(&answered)?;
    let view = Arc::clone(answered.view());
    let classes = answered.classes().len();
    Ok(Arc::new(OfCounts {
        view,
        classes,
        read: rate,
    }))
}

/// A function of counts under any weights.
struct OfCounts<F> {
    view: Arc<AnsweredView>,
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

impl ClassesInMean {
    fn classes(self, counts: &Counts) -> Vec<usize> {
        let takes_part = |class: &usize| {
            counts.support(*class) > 0
                || (self == ClassesInMean::ThereOrSaid && counts.predicted(*class) > 0)
        };
        (0..counts.classes()).filter(takes_part).collect()
    }
}

fn counted<'a>(answered: &'a AnsweredItems<'_>) -> Result<&'a ConfusionCounts, Undefined> {
    answered.view().counted(answered.classes().len())
}

/// The rate of every class, each with the items it is a share of.
pub(crate) fn groups(
    read: CellRead<'_>,
    rate: ClassRate,
    of: fn(&Counts, usize) -> u64,
) -> Option<Detail> {
    let answered = AnsweredItems::new(read).ok()?;
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
pub(crate) fn matrix(read: CellRead<'_>) -> Option<Detail> {
    let answered = AnsweredItems::new(read)
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
