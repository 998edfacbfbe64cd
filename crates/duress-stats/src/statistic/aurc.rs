//! The area under the risk–coverage curve.
//!
//! Convention "mean risk over all coverages, ties expected": items are answered in order of falling
//! confidence; `AURC = (1/n) Σ_{k=1..n} E_k / k`, where `E_k` is the number of errors among the
//! first k (Y. Geifman and R. El-Yaniv, NeurIPS 2017; the sum over every k, not a trapezoid).
//! Inside a group of equal confidences the order is unknown, so `E_k` is its expectation over all
//! orders, which grows linearly; the result does not depend on the order in which the items came.

use std::sync::Arc;

use super::ranked::{INDEX, MARKED};
use super::{Confidences, NO_WEIGHT, Statistic, total};
use crate::UndefinedReason;

/// The area under the risk–coverage curve of items with a confidence and whether the answer was
/// right.
///
/// ```
/// use duress_stats::statistic::{RiskCoverageArea, Statistic};
///
/// let aurc = RiskCoverageArea::new(&[0.9, 0.8, 0.7], &[true, true, false]).unwrap();
/// assert!((aurc.value().unwrap() - 1.0 / 9.0).abs() < 1e-15);
/// ```
#[derive(Debug, Clone)]
pub struct RiskCoverageArea {
    sure: Arc<Confidences>,
}

impl RiskCoverageArea {
    /// # Errors
    /// Different lengths, no items, or a confidence that is not finite.
    pub fn new(confidence: &[f64], correct: &[bool]) -> Result<Self, UndefinedReason> {
        Confidences::shared(confidence, correct).map(|sure| Self::from_confidences(&sure))
    }

    /// The area of these.
    pub fn from_confidences(sure: &Arc<Confidences>) -> Self {
        Self {
            sure: Arc::clone(sure),
        }
    }

    /// `Σ E_k/k` over a group of `size` items with `wrong` errors after `before` items with
    /// `errors` errors.
    fn group(before: u64, errors: u64, size: u64, wrong: u64) -> f64 {
        let start = errors as f64;
        let slope = wrong as f64 / size as f64;
        (1..=size)
            .map(|j| (start + slope * j as f64) * inverse(before + j))
            .sum()
    }

    /// `Σ E_k/k` over all k, how many k there are, and the errors among them.
    pub(super) fn risk_sum(&self, weights: &[u32]) -> (f64, u64, u64) {
        let mut area = 0.0;
        let mut before = 0;
        let mut errors = 0;
        self.sure.ranked().visit_ties(weights, |tie| {
            area += Self::group(before, errors, tie.size, tie.marked);
            before += tie.size;
            errors += tie.marked;
        });
        (area, before, errors)
    }

    /// The same sum for an oracle, which answers all that is right before the `errors` that are
    /// wrong.
    pub(super) fn oracle(all: u64, errors: u64) -> f64 {
        (1..=errors)
            .map(|j| j as f64 * inverse(all - errors + j))
            .sum()
    }

    /// Suffix sums, per group, of `E_k/(k−1)` and `1/(k−1)` over all later positions.
    fn after(&self) -> Vec<(f64, f64)> {
        let mut counts: Vec<(u64, u64)> = self
            .sure
            .ranked()
            .tied_items()
            .map(|tie| (tie.len() as u64, wrong_in(tie)))
            .collect();
        let mut before = 0;
        let mut errors = 0;
        let mut sums: Vec<(f64, f64)> = Vec::with_capacity(counts.len());
        for (size, wrong) in &mut counts {
            let mut risks = 0.0;
            let mut inverses = 0.0;
            for j in 1..=*size {
                let k = before + j;
                let expected = errors as f64 + *wrong as f64 * j as f64 / *size as f64;
                if k > 1 {
                    risks += expected * inverse(k - 1);
                    inverses += inverse(k - 1);
                }
            }
            sums.push((risks, inverses));
            before += *size;
            errors += *wrong;
        }
        let mut risks = 0.0;
        let mut inverses = 0.0;
        for own in sums.iter_mut().rev() {
            let (r, i) = *own;
            *own = (risks, inverses);
            risks += r;
            inverses += i;
        }
        sums
    }
}

fn inverse(k: u64) -> f64 {
    1.0 / k as f64
}

fn wrong_in(tie: &[u32]) -> u64 {
    tie.iter().filter(|&&item| item & MARKED != 0).count() as u64
}

impl Statistic for RiskCoverageArea {
    fn units(&self) -> usize {
        self.sure.values().len()
    }

    fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        let (area, before, _) = self.risk_sum(weights);
        if before == 0 {
            Err(NO_WEIGHT)
        } else {
            Ok(area / before as f64)
        }
    }

    /// What comes before an item's group stays, the group shrinks by one, what comes after moves up
    /// one place.
    fn leave_one_out(&self) -> Option<Vec<Result<f64, UndefinedReason>>> {
        let n = total(&vec![1; self.sure.values().len()]);
        let mut without = vec![Err(NO_WEIGHT); self.sure.values().len()];
        if n == 1 {
            return Some(without);
        }
        let mut area = 0.0;
        let mut before = 0;
        let mut errors = 0;
        for (tie, (risks, inverses)) in self.sure.ranked().tied_items().zip(self.after()) {
            let size = tie.len() as u64;
            let wrong = wrong_in(tie);
            let shrunk = |lost: u64| match size {
                1 => 0.0,
                _ => Self::group(before, errors, size - 1, wrong - lost),
            };
            let value =
                |lost: u64| (area + shrunk(lost) + risks - lost as f64 * inverses) / (n - 1) as f64;
            let right = if wrong < size { value(0) } else { 0.0 };
            let missed = if wrong > 0 { value(1) } else { 0.0 };
            for &item in tie {
                let lost = item & MARKED != 0;
                without[(item & INDEX) as usize] = Ok(if lost { missed } else { right });
            }
            area += Self::group(before, errors, size, wrong);
            before += size;
            errors += wrong;
        }
        Some(without)
    }
}
