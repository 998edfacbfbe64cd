//! What gauges of calibration over bins of equal width share: their key, their scale and how they
//! are opened.

use std::sync::Arc;

use duress_core::answer::Said;
use duress_core::gauge::{CellGauge, CellRead, Direction, Meter, SHARE, Scale, Undefined, Unit};
use duress_core::part::{Field, Takes};
use duress_core::question::Question;
use duress_stats::statistic::{Calibration, Confidences, Edges, Gap};

use crate::classify::frame::answered_items::AnsweredItems;
use crate::classify::frame::confidence::{ConfidenceKind, sureness};

/// The key.
pub(crate) const BINS: Field = bins("how many bins of equal width");

/// A gap between confidence and accuracy over bins.
pub(crate) struct CalibrationGauge {
    /// How many bins there are.
    pub(crate) bins: usize,
    /// The convention, told from the number of bins.
    pub(crate) convention: fn(usize) -> String,
    /// To which bin an edge belongs.
    pub(crate) edges: Edges,
    /// What is made of the gaps.
    pub(crate) gap: Gap,
    /// What two classes are read as.
    pub(crate) two_classes: TwoClasses,
    /// Whether it copies another tool.
    pub(crate) compat: bool,
}

/// What the confidence in an answer about two classes is, and when it was right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TwoClasses {
    /// As of more: the probability of the class that was said, and whether that is the true one.
    TopLabel,
    /// The probability of the second, and whether an item is of it; as of more where there are
    /// more.
    Second,
    /// The same, and nothing where there are more.
    OnlySecond,
}

impl CellGauge for CalibrationGauge {
    fn scale(&self) -> Scale {
        let plain = scale((self.convention)(self.bins));
        Scale {
            // What is taken off for noise may be more than there is.
            ends: match self.gap {
                Gap::Debiased => (None, Some(1.0)),
                _ => plain.ends,
            },
            compat: self.compat,
            ..plain
        }
    }

    fn counts_noise(&self) -> bool {
        self.gap != Gap::Debiased
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let answered = AnsweredItems::new(read)?;
        match (self.two_classes, answered.classes().len()) {
            (TwoClasses::Second | TwoClasses::OnlySecond, 2) => {
                let sure = Arc::new(of_the_second(&answered)?);
                let error = Calibration::from_confidences(&sure, self.bins, self.edges, self.gap);
                answered.meter(error)
            }
            (TwoClasses::OnlySecond, classes) => Err(Undefined::new(format!(
                "it is about two classes, and there are {classes}"
            ))),
            (TwoClasses::TopLabel | TwoClasses::Second, _) => {
                let sure = sureness(read, ConfidenceKind::SoftmaxMax)?;
                let error =
                    Calibration::from_confidences(&sure.of, self.bins, self.edges, self.gap);
                sure.meter(error)
            }
        }
    }
}

/// The probability of the second of two classes, and whether each item is of it.
fn of_the_second(answered: &AnsweredItems<'_>) -> Result<Confidences, Undefined> {
    let second: Vec<f64> = match answered.answers.said() {
        Said::Labels {
            confidence: Some(sure),
            ..
        } => {
            let own = |(at, said): (usize, &u32)| match (sure[answered.view().item(at)], said) {
                (sure, 1) => sure,
                (sure, _) => 1.0 - sure,
            };
            answered.said().iter().enumerate().map(own).collect()
        }
        _ => {
            let probabilities = answered.probabilities()?;
            let rows = (0..answered.truth().len()).map(|at| probabilities.row(at)[1].min(1.0));
            rows.collect()
        }
    };
    let is_second: Vec<bool> = answered.truth().iter().map(|class| *class == 1).collect();
    Confidences::new(second, is_second).map_err(|why| Undefined::new(why.to_string()))
}

/// The key that says how many bins there are.
pub(crate) const fn bins(doc: &'static str) -> Field {
    Field {
        name: "bins",
        takes: Takes::Whole(1, 1000),
        doc,
        default: Some("15"),
    }
}

/// What an error between 0 and 1 is like.
pub(crate) fn scale(convention: String) -> Scale {
    Scale {
        reads: Question::Classes,
        direction: Direction::Lower,
        best: Some(0.0),
        ends: SHARE,
        unit: Unit::Items,
        convention,
        compat: false,
    }
}
