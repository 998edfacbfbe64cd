//! Gauges of classifiers from items that come once and are not kept.
//!
//! Counts, sums and bins are exact. What needs the order of confidences is taken from their counts
//! in 2²⁰ equal steps of [0, 1]: the order between steps is known, the one within a step is not, so
//! the smallest and the largest value over all orders within steps bound the exact one
//! ([`Bounded`]).

use crate::statistic::{BinCounts, Counts, Edges, EqualWidthCuts, Gap, Sorted};
use crate::{UndefinedReason, check};

/// Steps of confidence.
const STEPS: usize = 1 << 20;

/// A value and what it can be at most off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounded {
    /// With equal confidences in expectation.
    pub value: f64,
    /// The smallest it can be.
    pub low: f64,
    /// The largest it can be.
    pub high: f64,
}

/// What is kept of the items: as much for a hundred million as for ten.
///
/// ```
/// use duress_stats::streamed::Streamed;
///
/// let mut seen = Streamed::new(2, 15, 0.8).unwrap();
/// seen.add(0, 0, 0.9).unwrap();
/// seen.add(0, 1, 0.6).unwrap();
/// assert_eq!(seen.counts().recall(0), Some(0.5));
/// assert_eq!(seen.selected().accepted, 1);
/// assert_eq!(seen.augrc().unwrap().value, 0.125);
/// ```
#[derive(Debug, Clone)]
pub struct Streamed {
    classes: usize,
    cells: Vec<u64>,
    bins: Vec<BinCounts>,
    cut: EqualWidthCuts,
    /// Right and wrong answers per step.
    steps: Vec<[u64; 2]>,
    threshold: f64,
    selected: Sorted,
}

impl Streamed {
    /// # Errors
    /// No classes, or no bins.
    pub fn new(classes: usize, bins: usize, threshold: f64) -> Result<Self, UndefinedReason> {
        check::at_least("classes", classes, 1)?;
        check::at_most("the number of classes", classes, 1 << 12)?;
        check::at_least("bins", bins, 1)?;
        Ok(Self {
            classes,
            cells: vec![0; classes * classes],
            bins: vec![BinCounts::default(); bins],
            cut: EqualWidthCuts::new(bins, Edges::AboveLow),
            steps: vec![[0; 2]; STEPS],
            threshold,
            selected: Sorted {
                threshold: Some(threshold),
                ..Sorted::default()
            },
        })
    }

    /// Takes one item up.
    ///
    /// # Errors
    /// A class that is none, or a confidence outside [0, 1].
    pub fn add(&mut self, truth: u32, said: u32, confidence: f64) -> Result<(), UndefinedReason> {
        check::closed_unit("a confidence", confidence)?;
        let truth = truth as usize;
        let said = said as usize;
        if truth >= self.classes || said >= self.classes {
            let expected = "a class below the number of classes";
            return Err(UndefinedReason::OutOfRange {
                what: "a class",
                value: truth.max(said) as f64,
                expected,
            });
        }
        let wrong = truth != said;
        self.cells[truth * self.classes + said] += 1;
        self.bins[self.cut.bin_of(confidence)].add(confidence, !wrong);
        let step = ((confidence * STEPS as f64) as usize).min(STEPS - 1);
        self.steps[step][usize::from(wrong)] += 1;
        if confidence > self.threshold {
            self.selected.accepted += 1;
            self.selected.accepted_wrong += u64::from(wrong);
        } else {
            self.selected.rejected += 1;
            self.selected.rejected_wrong += u64::from(wrong);
        }
        Ok(())
    }

    /// True against said classes; exact.
    pub fn counts(&self) -> Counts {
        Counts::new(&self.cells, self.classes)
    }

    /// The calibration error over equal-width bins; exact up to the rounding of a sum.
    ///
    /// # Errors
    /// No items.
    pub fn calibration(&self, gap: Gap) -> Result<f64, UndefinedReason> {
        gap.over_bins(&self.bins)
    }

    /// What is accepted at the threshold; exact.
    pub fn selected(&self) -> Sorted {
        self.selected
    }

    /// The area under the risk–coverage curve, as [`crate::statistic::RiskCoverageArea`] defines it.
    ///
    /// # Errors
    /// No items.
    pub fn aurc(&self) -> Result<Bounded, UndefinedReason> {
        let mut value = 0.0;
        let mut low = 0.0;
        let mut high = 0.0;
        let mut before = 0_u64;
        let mut errors = 0_u64;
        for &[right, wrong] in self.steps.iter().rev().filter(|step| step[0] + step[1] > 0) {
            let size = right + wrong;
            let slope = wrong as f64 / size as f64;
            for j in 1..=size {
                let share = 1.0 / (before + j) as f64;
                value += (errors as f64 + slope * j as f64) * share;
                low += (errors + j.saturating_sub(right)) as f64 * share;
                high += (errors + j.min(wrong)) as f64 * share;
            }
            before += size;
            errors += wrong;
        }
        bounded(value, low, high, before as f64)
    }

    /// The area that an oracle's confidence would reach; exact.
    ///
    /// # Errors
    /// No items.
    pub fn oracle(&self) -> Result<f64, UndefinedReason> {
        let errors = self.selected.accepted_wrong + self.selected.rejected_wrong;
        let all = self.selected.accepted + self.selected.rejected;
        if all == 0 {
            return Err(UndefinedReason::TooFew {
                what: "items",
                need: 1,
                got: 0,
            });
        }
        let sum: f64 = (1..=errors)
            .map(|j| j as f64 / (all - errors + j) as f64)
            .sum();
        Ok(sum / all as f64)
    }

    /// The area under the generalised risk–coverage curve, as [`crate::statistic::Augrc`] defines
    /// it.
    ///
    /// # Errors
    /// No items.
    pub fn augrc(&self) -> Result<Bounded, UndefinedReason> {
        let mut value = 0.0;
        let mut low = 0.0;
        let mut high = 0.0;
        let mut before = 0.0;
        let mut errors = 0.0;
        for &[right, wrong] in self.steps.iter().rev() {
            let size = (right + wrong) as f64;
            let wrong = wrong as f64;
            value += errors * size + wrong * size / 2.0;
            low += errors * size + wrong * wrong / 2.0;
            high += errors * size + wrong * size - wrong * wrong / 2.0;
            before += size;
            errors += wrong;
        }
        bounded(value, low, high, before * before)
    }
}

fn bounded(value: f64, low: f64, high: f64, over: f64) -> Result<Bounded, UndefinedReason> {
    if over == 0.0 {
        return Err(UndefinedReason::TooFew {
            what: "items",
            need: 1,
            got: 0,
        });
    }
    Ok(Bounded {
        value: value / over,
        low: low / over,
        high: high / over,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;
    use crate::statistic::{Augrc, Calibration, Edges, RiskCoverageArea, Statistic};

    #[test]
    fn what_is_streamed_is_what_is_kept() {
        let mut random = RandomStream::new(5, 0);
        let n = 4000;
        let confidence: Vec<f64> = (0..n)
            .map(|_| (random.next_unit() * 500.0).floor() / 499.0)
            .collect();
        let right: Vec<bool> = confidence.iter().map(|c| random.next_unit() < *c).collect();
        let mut seen = Streamed::new(2, 15, 0.8).unwrap();
        for (c, right) in confidence.iter().zip(&right) {
            seen.add(0, u32::from(!right), *c).unwrap();
        }
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} and {b}");
        let aurc = RiskCoverageArea::new(&confidence, &right)
            .unwrap()
            .value()
            .unwrap();
        close(seen.aurc().unwrap().value, aurc);
        close(
            seen.augrc().unwrap().value,
            Augrc::new(&confidence, &right).unwrap().value().unwrap(),
        );
        let ece = Calibration::new(&confidence, &right, 15, Edges::AboveLow, Gap::Mean).unwrap();
        close(seen.calibration(Gap::Mean).unwrap(), ece.value().unwrap());
        let Bounded { low, high, .. } = seen.aurc().unwrap();
        assert!(low <= aurc && aurc <= high, "{low} ≤ {aurc} ≤ {high}");
    }
}
