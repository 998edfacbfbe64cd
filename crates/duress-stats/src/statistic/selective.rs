//! Selective prediction: what is gained by answering only what one is sure of.
//!
//! Accepted is what has a confidence above a threshold. The threshold is given, or found so that a
//! coverage is reached: then as many of the surest items are accepted as the coverage needs, equal
//! confidences together, and the threshold is the highest confidence that is refused. Definitions
//! as in R. El-Yaniv and Y. Wiener, JMLR 11 (2010) 1605.

use std::sync::Arc;

use super::{Confidences, NO_WEIGHT, Statistic};
use crate::{UndefinedReason, check};

/// Which items are accepted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AcceptanceRule {
    /// Those with a confidence above this.
    Above(f64),
    /// The surest, at least this share of all.
    Covering(f64),
}

/// What is read of accepted and refused items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectiveMeasure {
    /// The share that is accepted.
    Coverage,
    /// The share of the accepted that is right.
    Accuracy,
    /// That minus the share of all that is right.
    Improvement,
    /// The share of the accepted that is wrong.
    RiskAccepted,
    /// The share of the refused that is wrong.
    RiskRejected,
    /// The refused' risk over the accepted' risk.
    RejectionQuality,
    /// The threshold.
    Threshold,
}

/// How many are accepted and refused, and how many of them are wrong.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sorted {
    /// Accepted.
    pub accepted: u64,
    /// Accepted and wrong.
    pub accepted_wrong: u64,
    /// Refused.
    pub rejected: u64,
    /// Refused and wrong.
    pub rejected_wrong: u64,
    /// The threshold; `None` when a coverage was asked for and nothing is refused.
    pub threshold: Option<f64>,
}

/// One number about accepted and refused items.
///
/// ```
/// use duress_stats::statistic::{AcceptanceRule, SelectiveMeasure, Selective, Statistic};
///
/// let confidence = [0.95, 0.9, 0.85, 0.4, 0.3];
/// let right = [true, true, false, true, false];
/// let read = |what| Selective::new(&confidence, &right, AcceptanceRule::Above(0.8), what).unwrap().value();
/// assert_eq!(read(SelectiveMeasure::Coverage).unwrap(), 0.6);
/// assert_eq!(read(SelectiveMeasure::Accuracy).unwrap(), 2.0 / 3.0);
/// assert_eq!(read(SelectiveMeasure::RiskRejected).unwrap(), 0.5);
/// ```
#[derive(Debug, Clone)]
pub struct Selective {
    gate: Ready,
    read: SelectiveMeasure,
}

#[derive(Debug, Clone)]
enum Ready {
    /// Per item, 2 where it is accepted plus 1 where it is wrong; and the threshold.
    Fixed(Vec<u8>, f64),
    /// The surest, this share of all.
    Sorted(Arc<Confidences>, f64),
}

impl Selective {
    /// # Errors
    /// Different lengths, no items, a confidence that is not finite, or a coverage outside (0, 1].
    pub fn new(
        confidence: &[f64],
        correct: &[bool],
        gate: AcceptanceRule,
        read: SelectiveMeasure,
    ) -> Result<Self, UndefinedReason> {
        Self::from_confidences(&Confidences::shared(confidence, correct)?, gate, read)
    }

    /// The number about these.
    ///
    /// # Errors
    /// A threshold that is not finite, or a coverage outside (0, 1].
    pub fn from_confidences(
        sure: &Arc<Confidences>,
        gate: AcceptanceRule,
        read: SelectiveMeasure,
    ) -> Result<Self, UndefinedReason> {
        let gate = match gate {
            AcceptanceRule::Above(threshold) => {
                return Self::accepting(sure, threshold, |_| true, read);
            }
            AcceptanceRule::Covering(share) => {
                check::positive("the coverage", share)?;
                check::closed_unit("the coverage", share)?;
                Ready::Sorted(Arc::clone(sure), share)
            }
        };
        Ok(Self { gate, read })
    }

    /// The number about items of which `accepted` says which are accepted, above a threshold and by
    /// whatever else it asks for.
    ///
    /// # Errors
    /// A threshold that is not finite.
    pub fn accepting(
        sure: &Confidences,
        threshold: f64,
        accepted: impl Fn(usize) -> bool,
        read: SelectiveMeasure,
    ) -> Result<Self, UndefinedReason> {
        check::finite("the threshold", &[threshold])?;
        let both = sure.values().iter().zip(sure.right()).enumerate();
        let kind = |(i, (c, right)): (usize, (&f64, &bool))| {
            2 * u8::from(*c > threshold && accepted(i)) + u8::from(!right)
        };
        Ok(Self {
            gate: Ready::Fixed(both.map(kind).collect(), threshold),
            read,
        })
    }

    /// How many are accepted and refused at these weights.
    pub fn sorted(&self, weights: &[u32]) -> Sorted {
        match &self.gate {
            Ready::Fixed(kinds, threshold) => fixed(kinds, *threshold, weights),
            Ready::Sorted(sure, share) => covering(sure, *share, weights),
        }
    }
}

fn fixed(kinds: &[u8], threshold: f64, weights: &[u32]) -> Sorted {
    let mut counts = [0_u64; 4];
    for (&kind, &weight) in kinds.iter().zip(weights) {
        counts[usize::from(kind & 3)] += u64::from(weight);
    }
    Sorted {
        accepted: counts[2] + counts[3],
        accepted_wrong: counts[3],
        rejected: counts[0] + counts[1],
        rejected_wrong: counts[1],
        threshold: Some(threshold),
    }
}

fn covering(sure: &Confidences, share: f64, weights: &[u32]) -> Sorted {
    let mut sorted = Sorted::default();
    // What a share of a count means must not hang on its last bit.
    let need = libm::ceil(share * super::total(weights) as f64 - 1e-9) as u64;
    sure.ranked().visit_ties(weights, |tie| {
        if sorted.accepted < need {
            sorted.accepted += tie.size;
            sorted.accepted_wrong += tie.marked;
        } else {
            sorted.threshold.get_or_insert(sure.values()[tie.last]);
            sorted.rejected += tie.size;
            sorted.rejected_wrong += tie.marked;
        }
    });
    sorted
}

impl Statistic for Selective {
    fn units(&self) -> usize {
        match &self.gate {
            Ready::Fixed(kinds, _) => kinds.len(),
            Ready::Sorted(sure, _) => sure.values().len(),
        }
    }

    fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        self.sorted(weights).measure(self.read)
    }

    fn is_rough(&self) -> bool {
        self.read == SelectiveMeasure::Threshold
    }
}

impl Sorted {
    /// The number, if it exists.
    ///
    /// # Errors
    /// Nothing is accepted, nothing is refused, or nothing accepted is wrong, where that leaves the
    /// number without meaning.
    pub fn measure(&self, what: SelectiveMeasure) -> Result<f64, UndefinedReason> {
        let all = self.accepted + self.rejected;
        if all == 0 {
            return Err(NO_WEIGHT);
        }
        match what {
            SelectiveMeasure::Coverage => Ok(self.accepted as f64 / all as f64),
            SelectiveMeasure::Accuracy => {
                Ok((self.accepted - self.accepted_wrong) as f64 / self.some_accepted()?)
            }
            SelectiveMeasure::Improvement => {
                let overall = (all - self.accepted_wrong - self.rejected_wrong) as f64 / all as f64;
                Ok((self.accepted - self.accepted_wrong) as f64 / self.some_accepted()? - overall)
            }
            SelectiveMeasure::RiskAccepted => {
                Ok(self.accepted_wrong as f64 / self.some_accepted()?)
            }
            SelectiveMeasure::RiskRejected => {
                Ok(self.rejected_wrong as f64 / self.some_rejected()?)
            }
            SelectiveMeasure::RejectionQuality => {
                let accepted = self.some_accepted()?;
                let rejected = self.some_rejected()?;
                match self.accepted_wrong {
                    0 => Err(UndefinedReason::Because(
                        "nothing that was accepted is wrong".into(),
                    )),
                    wrong => Ok(self.rejected_wrong as f64 / rejected / (wrong as f64 / accepted)),
                }
            }
            SelectiveMeasure::Threshold => self.threshold.ok_or_else(|| {
                UndefinedReason::Because(
                    "nothing is refused: too many share the lowest confidence".into(),
                )
            }),
        }
    }

    fn some_accepted(&self) -> Result<f64, UndefinedReason> {
        match self.accepted {
            0 => Err(UndefinedReason::Because("nothing is accepted".into())),
            some => Ok(some as f64),
        }
    }

    fn some_rejected(&self) -> Result<f64, UndefinedReason> {
        match self.rejected {
            0 => Err(UndefinedReason::Because("nothing is refused".into())),
            some => Ok(some as f64),
        }
    }
}
