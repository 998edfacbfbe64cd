//! The expected calibration error over bins of equal mass.
//!
//! Items in order of confidence are cut into as many bins as asked for, each ending at a quantile
//! of the confidences: `(q_{j−1}, q_j]` with `q_j` the smallest confidence at or below which a
//! share `j/bins` of all lies. Equal confidences stay together, so a bin may be larger than
//! another, or empty; the result does not depend on the order of items. Source: K. Nguyen and B.
//! O'Connor, EMNLP 2015; J. Nixon et al., CVPR workshops 2019.

use std::sync::Arc;

use super::calibration::{BinCounts, Gap};
use super::{Confidences, Statistic};
use crate::UndefinedReason;

/// The ECE over bins of equal mass.
///
/// ```
/// use duress_stats::statistic::{EqualMassEce, Statistic};
///
/// let ece = EqualMassEce::new(&[0.9, 0.8, 0.7, 0.6], &[true, true, false, true], 2).unwrap();
/// assert!((ece.value().unwrap() - 0.15).abs() < 1e-15);
/// ```
#[derive(Debug, Clone)]
pub struct EqualMassEce {
    sure: Arc<Confidences>,
    bins: usize,
}

impl EqualMassEce {
    /// # Errors
    /// Different lengths, no items, a confidence outside [0, 1], or a number of bins outside
    /// 1..=65,536.
    pub fn new(confidence: &[f64], correct: &[bool], bins: usize) -> Result<Self, UndefinedReason> {
        Self::from_confidences(&Confidences::shared(confidence, correct)?, bins)
    }

    /// The error of these.
    ///
    /// # Errors
    /// A confidence outside [0, 1], or a number of bins outside 1..=65,536.
    pub fn from_confidences(sure: &Arc<Confidences>, bins: usize) -> Result<Self, UndefinedReason> {
        sure.check_bins(bins)?;
        Ok(Self {
            sure: Arc::clone(sure),
            bins,
        })
    }
}

impl Statistic for EqualMassEce {
    fn units(&self) -> usize {
        self.sure.values().len()
    }

    fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        let all = super::total(weights);
        let mut held = vec![BinCounts::default(); self.bins];
        let mut before = 0;
        self.sure.ranked().visit_ties_back(weights, |tie| {
            let bin = &mut held[(self.bins as u64 * before / all) as usize];
            bin.n += tie.size;
            bin.right += tie.size - tie.marked;
            bin.confidence += tie.size as f64 * self.sure.values()[tie.last];
            before += tie.size;
        });
        Gap::Mean.over_bins(&held)
    }

    fn plug_in_value(&self, weights: &[u32]) -> Option<Result<f64, UndefinedReason>> {
        Some(self.at_weights(weights))
    }
}
