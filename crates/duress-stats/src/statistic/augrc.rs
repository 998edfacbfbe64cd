//! The area under the generalised risk–coverage curve.
//!
//! The generalised risk at a coverage is the share of all items that is both answered and wrong.
//! Its area is `(1 − AUROC)·a·(1 − a) + (1 − a)²/2` with accuracy a and the AUROC of confidence for
//! right against wrong; counted here in integers, so that ties are exact (J. Traub et al., NeurIPS
//! 2024).

use std::sync::Arc;

use super::{Confidences, NO_WEIGHT, Statistic};
use crate::UndefinedReason;

/// The AUGRC of items with a confidence and whether the answer was right.
///
/// ```
/// use duress_stats::statistic::{Augrc, Statistic};
///
/// let augrc = Augrc::new(&[0.9, 0.8], &[true, false]).unwrap();
/// assert_eq!(augrc.value().unwrap(), 0.125);
/// ```
#[derive(Debug, Clone)]
pub struct Augrc {
    sure: Arc<Confidences>,
}

impl Augrc {
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
}

impl Statistic for Augrc {
    fn units(&self) -> usize {
        self.sure.values().len()
    }

    /// The area is a sum of trapezoids, one per tie: twice it is the errors before, doubled, plus
    /// its own, times its size.
    fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        let mut doubled = 0_u128;
        let mut all = 0_u64;
        let mut errors = 0_u64;
        self.sure.ranked().visit_ties(weights, |tie| {
            doubled += u128::from(2 * errors + tie.marked) * u128::from(tie.size);
            all += tie.size;
            errors += tie.marked;
        });
        let n = all as f64;
        if all == 0 {
            Err(NO_WEIGHT)
        } else {
            Ok(doubled as f64 / 2.0 / n / n)
        }
    }
}
