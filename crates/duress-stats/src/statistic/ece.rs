//! The expected calibration error.
//!
//! `ECE = Σ_b (n_b/n) |accuracy_b − confidence_b|` over equal-width bins `(lo, hi]`, the first
//! closed below; bin edges are `k/bins`, rounded once. Source: C. Guo et al., ICML 2017,
//! arXiv:1706.04599.

use std::sync::Arc;

use super::calibration::{Edges, EqualWidthCuts};
use super::{Confidences, NO_WEIGHT, Statistic};
use crate::UndefinedReason;

/// The expected calibration error of items with a confidence and whether the answer was right.
///
/// ```
/// use duress_stats::statistic::{EqualWidthEce, Statistic};
///
/// let ece = EqualWidthEce::new(&[0.95, 0.85], &[true, false], 15).unwrap();
/// assert!((ece.value().unwrap() - 0.45).abs() < 1e-15);
/// ```
#[derive(Debug, Clone)]
pub struct EqualWidthEce {
    bin: Vec<u16>,
    sure: Arc<Confidences>,
    bins: usize,
}

impl EqualWidthEce {
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
        let cut = EqualWidthCuts::new(bins, Edges::AboveLow);
        let bin = sure
            .values()
            .iter()
            .map(|&c| cut.bin_of(c) as u16)
            .collect();
        Ok(Self {
            bin,
            sure: Arc::clone(sure),
            bins,
        })
    }

    /// Confidence minus correctness, item by item.
    fn gaps(&self) -> impl Iterator<Item = f64> {
        self.sure
            .values()
            .iter()
            .zip(self.sure.right())
            .map(|(c, &right)| c - f64::from(u8::from(right)))
    }

    fn per_bin(&self, weights: &[u32]) -> (Vec<f64>, u64) {
        let mut gaps = vec![0.0; self.bins];
        let mut all = 0;
        for ((&bin, gap), &w) in self.bin.iter().zip(self.gaps()).zip(weights) {
            gaps[usize::from(bin)] += f64::from(w) * gap;
            all += u64::from(w);
        }
        (gaps, all)
    }
}

impl Statistic for EqualWidthEce {
    fn units(&self) -> usize {
        self.bin.len()
    }

    fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        let (gaps, all) = self.per_bin(weights);
        match all {
            0 => Err(NO_WEIGHT),
            _ => Ok(gaps.iter().map(|g| libm::fabs(*g)).sum::<f64>() / all as f64),
        }
    }

    fn plug_in_value(&self, weights: &[u32]) -> Option<Result<f64, UndefinedReason>> {
        Some(self.at_weights(weights))
    }

    /// Leaving out an item changes one bin and the total.
    fn leave_one_out(&self) -> Option<Vec<Result<f64, UndefinedReason>>> {
        let (gaps, all) = self.per_bin(&vec![1; self.bin.len()]);
        let whole: f64 = gaps.iter().map(|g| libm::fabs(*g)).sum();
        let without = |(&bin, gap): (&u16, f64)| {
            let before = gaps[usize::from(bin)];
            let rest = whole - libm::fabs(before) + libm::fabs(before - gap);
            if all == 1 {
                Err(NO_WEIGHT)
            } else {
                Ok(rest / (all - 1) as f64)
            }
        };
        Some(self.bin.iter().zip(self.gaps()).map(without).collect())
    }
}
