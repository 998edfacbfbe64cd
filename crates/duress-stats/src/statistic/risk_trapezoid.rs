//! The area under the risk–coverage curve as others have drawn it: trapezoids between points.
//!
//! [`Points::Distinct`] has a point at every distinct confidence and goes on flat to coverage 0
//! (FD-Shifts; P. Jaeger et al., ICLR 2023). [`Points::Every`] has a point after every item, equal
//! confidences in the order in which they stand, from coverage 1/n to 1, divided by 1 − 1/n
//! (Torch-Uncertainty); it depends on the order of items.

use std::sync::Arc;

use super::ranked::{INDEX, MARKED};
use super::{Confidences, NO_WEIGHT, Statistic};
use crate::UndefinedReason;

/// Where the curve has its points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Points {
    /// At every distinct confidence.
    Distinct,
    /// After every item.
    Every,
}

/// The trapezoidal area under the risk–coverage curve.
///
/// ```
/// use duress_stats::statistic::{Points, RiskTrapezoid, Statistic};
///
/// let area = RiskTrapezoid::new(&[0.8, 0.7, 0.6], &[true, true, false], Points::Every).unwrap();
/// assert!((area.value().unwrap() - 1.0 / 12.0).abs() < 1e-15);
/// ```
#[derive(Debug, Clone)]
pub struct RiskTrapezoid {
    sure: Arc<Confidences>,
    points: Points,
}

impl RiskTrapezoid {
    /// # Errors
    /// Different lengths, no items, or a confidence that is not finite.
    pub fn new(
        confidence: &[f64],
        correct: &[bool],
        points: Points,
    ) -> Result<Self, UndefinedReason> {
        Confidences::shared(confidence, correct).map(|sure| Self::from_confidences(&sure, points))
    }

    /// The area of these.
    pub fn from_confidences(sure: &Arc<Confidences>, points: Points) -> Self {
        Self {
            sure: Arc::clone(sure),
            points,
        }
    }

    fn distinct(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        let mut area = 0.0;
        let mut all = 0_u64;
        let mut errors = 0_u64;
        let mut risk = None;
        self.sure.ranked().visit_ties(weights, |tie| {
            all += tie.size;
            errors += tie.marked;
            let here = errors as f64 / all as f64;
            area += (risk.unwrap_or(here) + here) / 2.0 * tie.size as f64;
            risk = Some(here);
        });
        if all == 0 {
            Err(NO_WEIGHT)
        } else {
            Ok(area / all as f64)
        }
    }

    fn every(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        let mut area = 0.0;
        let mut all = 0_u64;
        let mut errors = 0_u64;
        let mut last = 0.0;
        for &item in self.sure.ranked().items() {
            for _ in 0..weights[(item & INDEX) as usize] {
                all += 1;
                errors += u64::from(item & MARKED != 0);
                let risk = errors as f64 / all as f64;
                area += if all == 1 { 0.0 } else { (last + risk) / 2.0 };
                last = risk;
            }
        }
        match all {
            0 | 1 => Err(UndefinedReason::TooFew {
                what: "weighted items",
                need: 2,
                got: all as usize,
            }),
            _ => Ok(area / (all - 1) as f64),
        }
    }
}

impl Statistic for RiskTrapezoid {
    fn units(&self) -> usize {
        self.sure.values().len()
    }

    fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        match self.points {
            Points::Distinct => self.distinct(weights),
            Points::Every => self.every(weights),
        }
    }
}
