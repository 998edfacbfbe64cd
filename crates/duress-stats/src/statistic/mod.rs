//! Statistics of weighted items, the thing a bootstrap resamples.
//!
//! A resample is a vector of integer weights over the items: how often each was drawn. A statistic
//! that takes weights needs no copy of the data, and one that is prepared once (sorted, binned)
//! costs O(n) per resample. [`SampleMean`], [`Proportion`], [`Auroc`], [`EqualWidthEce`], [`RiskCoverageArea`], [`Selective`]
//! and others are such; those of confidence share one [`Confidences`]; [`from_fn`] turns any
//! closure into one.

mod augrc;
mod aurc;
mod auroc;
mod auroc_macro;
mod calibration;
mod confidences;
mod confusion;
mod ece;
mod ece_equal_mass;
mod excess_aurc;
mod mean;
mod ranked;
mod risk_trapezoid;
mod selective;

pub use augrc::Augrc;
pub use aurc::RiskCoverageArea;
pub use auroc::{Auroc, auroc};
pub use auroc_macro::{MacroAuroc, auroc_macro};
pub(crate) use calibration::EqualWidthCuts;
pub use calibration::{BinCounts, Calibration, Edges, Gap};
pub use confidences::Confidences;
pub use confusion::{Confusion, Counts};
pub use ece::EqualWidthEce;
pub use ece_equal_mass::EqualMassEce;
pub use excess_aurc::{AurcBaseline, ExcessAurc};
pub use mean::{Proportion, SampleMean};
pub use risk_trapezoid::{Points, RiskTrapezoid};
pub use selective::{AcceptanceRule, Selective, SelectiveMeasure, Sorted};

use crate::UndefinedReason;

/// A number computed from items that each count a whole number of times.
pub trait Statistic: Sync {
    /// How many items there are.
    fn units(&self) -> usize;

    /// The value when item `i` counts `weights[i]` times.
    ///
    /// # Errors
    /// The statistic does not exist for these weights, for instance because one class is missing.
    fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason>;

    /// The value without each item in turn, if there is a way faster than calling [`Statistic::at_weights`]
    /// n times.
    fn leave_one_out(&self) -> Option<Vec<Result<f64, UndefinedReason>>> {
        None
    }

    /// The standard error at these weights, if there is a formula for it.
    fn standard_error(&self, weights: &[u32]) -> Option<Result<f64, UndefinedReason>> {
        let _ = weights;
        None
    }

    /// One value per item whose mean over the items drawn is the statistic, if it is that simple. A
    /// resample is then summed while it is drawn, and no weights are made.
    fn summands(&self) -> Option<&[f64]> {
        None
    }

    /// For a statistic that is biased: what it would be if the items, counted so, were the whole
    /// population. Resamples scatter about that with a bias of their own; an interval that knows it
    /// takes the bias off instead of adding it. `None` for one that is not biased, or hardly.
    fn plug_in_value(&self, weights: &[u32]) -> Option<Result<f64, UndefinedReason>> {
        let _ = weights;
        None
    }

    /// For an area under the ROC curve of two classes: the place of each item in the order of
    /// scores, equal for equal scores, and whether it is of the class that should stand above.
    fn ranked(&self) -> Option<Vec<(f64, bool)>> {
        None
    }

    /// Whether the value may jump, or rest on a few items only, where one item more or less counts:
    /// a quantile, a largest value. What leaving items out says about its error is then wrong.
    fn is_rough(&self) -> bool {
        false
    }

    /// The value of the data as they are: every item counts once.
    ///
    /// # Errors
    /// As [`Statistic::at_weights`].
    fn value(&self) -> Result<f64, UndefinedReason> {
        self.at_weights(&vec![1; self.units()])
    }
}

/// What points to a statistic is that statistic.
macro_rules! forward {
    ($($pointer:ty),+) => {$(
        impl<S: Statistic + ?Sized> Statistic for $pointer {
            fn units(&self) -> usize {
                (**self).units()
            }

            fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
                (**self).at_weights(weights)
            }

            fn leave_one_out(&self) -> Option<Vec<Result<f64, UndefinedReason>>> {
                (**self).leave_one_out()
            }

            fn standard_error(&self, weights: &[u32]) -> Option<Result<f64, UndefinedReason>> {
                (**self).standard_error(weights)
            }

            fn summands(&self) -> Option<&[f64]> {
                (**self).summands()
            }

            fn plug_in_value(&self, weights: &[u32]) -> Option<Result<f64, UndefinedReason>> {
                (**self).plug_in_value(weights)
            }

            fn is_rough(&self) -> bool {
                (**self).is_rough()
            }

            fn value(&self) -> Result<f64, UndefinedReason> {
                (**self).value()
            }
        }
    )+};
}

forward!(&S, Box<S>);

/// A closure over weights as a [`Statistic`].
///
/// A paired statistic is a closure that reads two things under the same weights:
///
/// ```
/// use duress_stats::statistic::{SampleMean, Statistic, from_fn};
///
/// let ours = SampleMean::new(&[1.0, 1.0, 0.0]).unwrap();
/// let theirs = SampleMean::new(&[1.0, 0.0, 0.0]).unwrap();
/// let gain = from_fn(3, |w: &[u32]| Ok(ours.at_weights(w)? - theirs.at_weights(w)?));
/// assert!((gain.value().unwrap() - 1.0 / 3.0).abs() < 1e-15);
/// ```
pub fn from_fn<F>(units: usize, value: F) -> FromFn<F>
where
    F: Fn(&[u32]) -> Result<f64, UndefinedReason> + Sync,
{
    FromFn { units, value }
}

/// See [`from_fn`].
#[derive(Debug, Clone, Copy)]
pub struct FromFn<F> {
    units: usize,
    value: F,
}

impl<F: Fn(&[u32]) -> Result<f64, UndefinedReason> + Sync> Statistic for FromFn<F> {
    fn units(&self) -> usize {
        self.units
    }

    fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        (self.value)(weights)
    }
}

/// The difference of two statistics of the same items, each resample shared: a paired contrast.
///
/// Keeps the exact leave-one-out values of both sides, which a closure would lose.
///
/// ```
/// use duress_stats::statistic::{PairedDifference, Proportion, Statistic};
///
/// let ours = Proportion::new(&[true, true, false]).unwrap();
/// let theirs = Proportion::new(&[true, false, false]).unwrap();
/// let gain = PairedDifference::new(ours, theirs).unwrap();
/// assert!((gain.value().unwrap() - 1.0 / 3.0).abs() < 1e-15);
/// ```
#[derive(Debug, Clone)]
pub struct PairedDifference<A, B> {
    first: A,
    second: B,
}

impl<A: Statistic, B: Statistic> PairedDifference<A, B> {
    /// # Errors
    /// The two sides have different numbers of items.
    pub fn new(first: A, second: B) -> Result<Self, UndefinedReason> {
        let left = first.units();
        let right = second.units();
        if left == right {
            Ok(Self { first, second })
        } else {
            Err(UndefinedReason::Unpaired { left, right })
        }
    }
}

impl<A: Statistic, B: Statistic> Statistic for PairedDifference<A, B> {
    fn units(&self) -> usize {
        self.first.units()
    }

    fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        Ok(self.first.at_weights(weights)? - self.second.at_weights(weights)?)
    }

    fn leave_one_out(&self) -> Option<Vec<Result<f64, UndefinedReason>>> {
        let first = self.first.leave_one_out()?;
        let second = self.second.leave_one_out()?;
        Some(
            first
                .into_iter()
                .zip(second)
                .map(|(a, b)| Ok(a? - b?))
                .collect(),
        )
    }
}

pub(crate) fn total(weights: &[u32]) -> u64 {
    weights.iter().map(|&w| u64::from(w)).sum()
}

pub(crate) const NO_WEIGHT: UndefinedReason = UndefinedReason::TooFew {
    what: "weighted items",
    need: 1,
    got: 0,
};
