//! How sure answers were and whether they were right: what every statistic of confidence reads.

use std::sync::{Arc, OnceLock};

use super::ranked::{INDEX, Ranked};
use crate::{UndefinedReason, check};

/// How sure each answer was, and whether it was right: checked once, ranked when a ranking is first
/// wanted, and shared by all that is read from them.
///
/// ```
/// use std::sync::Arc;
/// use duress_stats::statistic::{Augrc, RiskCoverageArea, Confidences, Statistic};
///
/// let sure = Arc::new(Confidences::new([0.9, 0.8], [true, false]).unwrap());
/// assert_eq!(RiskCoverageArea::from_confidences(&sure).value().unwrap(), 0.25);
/// assert_eq!(Augrc::from_confidences(&sure).value().unwrap(), 0.125);
/// ```
#[derive(Debug)]
pub struct Confidences {
    of: Vec<f64>,
    right: Vec<bool>,
    ranked: OnceLock<Ranked>,
}

impl Confidences {
    /// # Errors
    /// Different lengths, no items, or a confidence that is not finite.
    pub fn new(
        of: impl Into<Vec<f64>>,
        right: impl Into<Vec<bool>>,
    ) -> Result<Self, UndefinedReason> {
        let of = of.into();
        let right = right.into();
        check::paired(&of, &right)?;
        check::at_least("items", of.len(), 1)?;
        check::at_most("the number of items", of.len(), INDEX as usize)?;
        check::finite("the confidences", &of)?;
        Ok(Self {
            of,
            right,
            ranked: OnceLock::new(),
        })
    }

    /// The same, to be shared.
    pub(super) fn shared(of: &[f64], right: &[bool]) -> Result<Arc<Self>, UndefinedReason> {
        Self::new(of, right).map(Arc::new)
    }

    /// How sure each answer was.
    pub fn values(&self) -> &[f64] {
        &self.of
    }

    /// Whether it was right.
    pub fn right(&self) -> &[bool] {
        &self.right
    }

    /// Coverage and risk at every distinct confidence, the surest first.
    pub fn risks(&self) -> Vec<(f64, f64)> {
        let mut points = Vec::new();
        let mut answered = 0;
        let mut wrong = 0;
        self.ranked().visit_ties(&vec![1; self.of.len()], |tie| {
            answered += tie.size;
            wrong += tie.marked;
            points.push((
                answered as f64 / self.of.len() as f64,
                wrong as f64 / answered as f64,
            ));
        });
        points
    }

    /// The items, the surest first, the wrong ones marked.
    pub(super) fn ranked(&self) -> &Ranked {
        self.ranked
            .get_or_init(|| Ranked::falling(&self.of, |i| !self.right[i]))
    }

    /// Whether these can be put into so many bins of [0, 1].
    ///
    /// # Errors
    /// A confidence outside [0, 1], or a number of bins outside 1..=65,536.
    pub(super) fn check_bins(&self, bins: usize) -> Result<(), UndefinedReason> {
        check::at_least("bins", bins, 1)?;
        check::at_most("the number of bins", bins, 1 << 16)?;
        self.within_unit()
    }

    /// # Errors
    /// A confidence outside [0, 1].
    fn within_unit(&self) -> Result<(), UndefinedReason> {
        self.of
            .iter()
            .try_for_each(|&c| check::closed_unit("a confidence", c))
    }
}
