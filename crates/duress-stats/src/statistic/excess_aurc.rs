//! The area under the risk–coverage curve, measured from a reference.
//!
//! E-AURC subtracts what an oracle would reach that refuses every wrong answer before any right
//! one, under the same convention as [`RiskCoverageArea`]: with e errors among n items `(1/n) Σ_{j=1..e} j/(n −
//! e + j)` (Y. Geifman, G. Uziel and R. El-Yaniv, ICLR 2019, who approximate this sum by an
//! integral). The other reference is confidence without any meaning, whose expected area is the
//! error rate.

use super::{NO_WEIGHT, RiskCoverageArea, Statistic};
use crate::UndefinedReason;

/// What an area is measured from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AurcBaseline {
    /// Confidence that puts all that is right first.
    Oracle,
    /// Confidence without any meaning.
    Random,
}

/// The AURC minus that of a reference.
///
/// ```
/// use duress_stats::statistic::{RiskCoverageArea, ExcessAurc, AurcBaseline, Statistic};
///
/// let aurc = || RiskCoverageArea::new(&[0.9, 0.8, 0.7], &[true, true, false]).unwrap();
/// assert_eq!(ExcessAurc::new(aurc(), AurcBaseline::Oracle).value().unwrap(), 0.0);
/// assert!(ExcessAurc::new(aurc(), AurcBaseline::Random).value().unwrap() < 0.0);
/// ```
#[derive(Debug, Clone)]
pub struct ExcessAurc {
    aurc: RiskCoverageArea,
    reference: AurcBaseline,
}

impl ExcessAurc {
    /// The area of these items over that reference.
    pub fn new(aurc: RiskCoverageArea, reference: AurcBaseline) -> Self {
        Self { aurc, reference }
    }
}

impl Statistic for ExcessAurc {
    fn units(&self) -> usize {
        self.aurc.units()
    }

    fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        let (area, all, errors) = self.aurc.risk_sum(weights);
        let reference = match self.reference {
            AurcBaseline::Oracle => RiskCoverageArea::oracle(all, errors),
            AurcBaseline::Random => errors as f64,
        };
        if all == 0 {
            Err(NO_WEIGHT)
        } else {
            Ok((area - reference) / all as f64)
        }
    }
}
