//! Calibration errors over bins of confidence.
//!
//! Every item is in one bin; in each bin with weight the gap is `|accuracy − confidence|` of its
//! items. The errors differ in how gaps become one number ([`Gap`]) and in where a bin ends
//! ([`Edges`]). The plug-in mean is biased upward, since noise within a bin counts as a gap;
//! [`Gap::Debiased`] takes off the bias that a normal approximation expects, `E|N(g, s²)| − |g|`
//! with `s² = accuracy·(1 − accuracy)/n`, in closed form (A. Kumar, P. Liang and T. Ma, NeurIPS
//! 2019, who draw it), and may fall below 0. Sources: C. Guo et al., ICML 2017; M. Pakdaman Naeini
//! et al., AAAI 2015.

use std::sync::Arc;

use super::{Confidences, NO_WEIGHT, Statistic};
use crate::UndefinedReason;
use crate::dist::Normal;

/// How the gaps of bins become one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    /// Their mean, each bin weighted by its items.
    Mean,
    /// The largest.
    Largest,
    /// The mean minus its expected bias.
    Debiased,
}

/// Where bins of equal width end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edges {
    /// `(lo, hi]`, the first closed below.
    AboveLow,
    /// `[lo, hi)`, the last closed above, with the edges of `numpy.linspace`: as netcal does.
    BelowHigh,
    /// `[lo, hi)`, and a bin of its own for a confidence of exactly 1, all in single precision: as
    /// torchmetrics does.
    OneApart,
}

/// A calibration error of items with a confidence and whether the answer was right.
///
/// ```
/// use duress_stats::statistic::{Calibration, Edges, Gap, Statistic};
///
/// let error = Calibration::new(&[0.95, 0.85], &[true, false], 15, Edges::AboveLow, Gap::Largest).unwrap();
/// assert_eq!(error.value().unwrap(), 0.85);
/// ```
#[derive(Debug, Clone)]
pub struct Calibration {
    /// Twice the bin, plus 1 where the answer was right.
    bin: Vec<u32>,
    sure: Arc<Confidences>,
    edges: Edges,
    bins: usize,
    gap: Gap,
}

/// What a bin holds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BinCounts {
    /// How many items.
    pub n: u64,
    /// How many of them are right.
    pub right: u64,
    /// The sum of their confidences.
    pub confidence: f64,
}

impl Calibration {
    /// # Errors
    /// Different lengths, no items, a confidence outside [0, 1], or a number of bins outside
    /// 1..=65,536.
    pub fn new(
        confidence: &[f64],
        correct: &[bool],
        bins: usize,
        edges: Edges,
        gap: Gap,
    ) -> Result<Self, UndefinedReason> {
        Self::from_confidences(&Confidences::shared(confidence, correct)?, bins, edges, gap)
    }

    /// The error of these.
    ///
    /// # Errors
    /// A confidence outside [0, 1], or a number of bins outside 1..=65,536.
    pub fn from_confidences(
        sure: &Arc<Confidences>,
        bins: usize,
        edges: Edges,
        gap: Gap,
    ) -> Result<Self, UndefinedReason> {
        sure.check_bins(bins)?;
        let cut = EqualWidthCuts::new(bins, edges);
        let place = |(&c, &right): (&f64, &bool)| {
            2 * cut.bin_of(edges.rounded(c)) as u32 + u32::from(right)
        };
        let bin = sure.values().iter().zip(sure.right()).map(place).collect();
        Ok(Self {
            bin,
            sure: Arc::clone(sure),
            edges,
            bins: bins + 1,
            gap,
        })
    }

    /// What each bin holds at these weights, and one more for [`Edges::OneApart`].
    pub fn bin_counts(&self, weights: &[u32]) -> Vec<BinCounts> {
        let mut held = vec![BinCounts::default(); self.bins];
        for ((&place, &confidence), &weight) in self.bin.iter().zip(self.sure.values()).zip(weights)
        {
            let bin = &mut held[place as usize / 2];
            bin.n += u64::from(weight);
            bin.right += u64::from(weight) * u64::from(place % 2);
            bin.confidence += f64::from(weight) * self.edges.rounded(confidence);
        }
        held
    }
}

impl Edges {
    fn rounded(self, c: f64) -> f64 {
        if self == Edges::OneApart {
            f64::from(c as f32)
        } else {
            c
        }
    }

    /// Where the bins begin and end.
    fn edge(self, k: usize, bins: usize) -> f64 {
        match self {
            Edges::AboveLow => k as f64 / bins as f64,
            Edges::BelowHigh => stepped(k, bins),
            Edges::OneApart => linspace(k, bins),
        }
    }
}

/// Where bins of equal width are cut.
#[derive(Debug, Clone)]
pub(crate) struct EqualWidthCuts {
    /// Where the bins begin, and where the last one ends.
    at: Vec<f64>,
    edges: Edges,
}

impl EqualWidthCuts {
    pub(crate) fn new(bins: usize, edges: Edges) -> Self {
        Self {
            at: (0..=bins).map(|k| edges.edge(k, bins)).collect(),
            edges,
        }
    }

    /// The bin of a confidence in [0, 1].
    pub(crate) fn bin_of(&self, c: f64) -> usize {
        let bins = self.at.len() - 1;
        // Rounding may put the guess one too far to either side.
        let guess = ((c * bins as f64) as usize).min(bins);
        let begins = |k: usize| match self.edges {
            Edges::AboveLow => self.at[k] < c,
            Edges::BelowHigh | Edges::OneApart => self.at[k] <= c,
        };
        let bin = if guess < bins && begins(guess + 1) {
            guess + 1
        } else {
            guess
        };
        let bin = if begins(bin) {
            bin
        } else {
            bin.saturating_sub(1)
        };
        let apart = self.edges == Edges::OneApart;
        if apart { bin } else { bin.min(bins - 1) }
    }
}

/// An edge as `numpy.linspace(0, 1, bins + 1)` rounds it: so many steps from 0.
fn stepped(k: usize, bins: usize) -> f64 {
    if k == bins {
        1.0
    } else {
        k as f64 * (1.0 / bins as f64)
    }
}

/// An edge as `torch.linspace(0, 1, bins + 1)` rounds it: in single precision, from both ends to
/// the middle.
fn linspace(k: usize, bins: usize) -> f64 {
    let step = 1.0 / bins as f32;
    f64::from(if k < bins.div_ceil(2) {
        step * k as f32
    } else {
        1.0 - step * (bins - k) as f32
    })
}

impl Statistic for Calibration {
    fn units(&self) -> usize {
        self.bin.len()
    }

    fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        self.gap.over_bins(&self.bin_counts(weights))
    }

    /// A population has no noise within its bins to take off. The largest gap is no sum of gaps:
    /// its resamples are not biased as it is, and turning them round would put the interval on the
    /// wrong side.
    fn plug_in_value(&self, weights: &[u32]) -> Option<Result<f64, UndefinedReason>> {
        (self.gap != Gap::Largest).then(|| Gap::Mean.over_bins(&self.bin_counts(weights)))
    }

    fn is_rough(&self) -> bool {
        self.gap == Gap::Largest
    }
}

impl Gap {
    /// The error of these bins.
    pub(crate) fn over_bins(self, bins: &[BinCounts]) -> Result<f64, UndefinedReason> {
        let all: u64 = bins.iter().map(|bin| bin.n).sum();
        if all == 0 {
            return Err(NO_WEIGHT);
        }
        let held = bins.iter().filter(|bin| bin.n > 0);
        let mean = |value: &dyn Fn(&BinCounts) -> f64| {
            held.clone()
                .map(|bin| bin.n as f64 * value(bin))
                .sum::<f64>()
                / all as f64
        };
        match self {
            Gap::Mean => Ok(mean(&|bin| libm::fabs(bin.gap()))),
            Gap::Largest => Ok(held.map(|bin| libm::fabs(bin.gap())).fold(0.0, f64::max)),
            Gap::Debiased => {
                Ok(2.0 * mean(&|bin| libm::fabs(bin.gap())) - mean(&BinCounts::folded))
            }
        }
    }
}

impl BinCounts {
    /// Takes one item up.
    pub(crate) fn add(&mut self, confidence: f64, right: bool) {
        self.n += 1;
        self.right += u64::from(right);
        self.confidence += confidence;
    }

    fn gap(&self) -> f64 {
        (self.confidence - self.right as f64) / self.n as f64
    }

    /// `E|N(gap, s²)|`, the mean of a folded normal.
    fn folded(&self) -> f64 {
        let n = self.n as f64;
        let gap = self.gap();
        let accuracy = self.right as f64 / n;
        let s = libm::sqrt(accuracy * (1.0 - accuracy) / n);
        if s == 0.0 {
            return libm::fabs(gap);
        }
        let z = gap / s;
        let below = Normal.cdf(-z);
        let peak = libm::exp(-z * z / 2.0) * libm::sqrt(2.0 / std::f64::consts::PI);
        s * peak + gap * (1.0 - 2.0 * below)
    }
}
