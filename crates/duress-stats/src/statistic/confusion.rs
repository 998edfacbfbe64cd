//! Counts of true against answered classes, and the rates that are functions of them.
//!
//! A rate whose denominator is empty does not exist: a class that no item has has no recall, one
//! that was never said has no precision. Sources: precision, recall and F1 as in C. J. van
//! Rijsbergen (1979); the correlation of Matthews for many classes as in J. Gorodkin, Comput. Biol.
//! Chem. 28 (2004) 367.

use crate::{UndefinedReason, check};

/// Which class each item has and which was said, ready to be counted under any weights.
///
/// ```
/// use duress_stats::statistic::Confusion;
///
/// let confusion = Confusion::new(&[0, 0, 1], &[0, 1, 1], 2).unwrap();
/// let counts = confusion.counts(&[1, 1, 1]);
/// assert_eq!(counts.recall(0), Some(0.5));
/// assert_eq!(counts.precision(1), Some(0.5));
/// ```
#[derive(Debug, Clone)]
pub struct Confusion {
    /// Which count an item adds to: truth × said.
    cell: Vec<u32>,
    classes: usize,
}

/// How many items have each class, were said to have it, and both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    hits: Vec<u64>,
    truth: Vec<u64>,
    said: Vec<u64>,
}

/// With more classes than this, counts of truth × said would not fit a cache, and are not made to
/// count classes.
const FEW: usize = 64;

impl Confusion {
    /// # Errors
    /// Different lengths, no items, no classes, or a class that is none of them.
    pub fn new(truth: &[u32], said: &[u32], classes: usize) -> Result<Self, UndefinedReason> {
        check::paired(truth, said)?;
        check::at_least("items", truth.len(), 1)?;
        check::at_least("classes", classes, 1)?;
        check::at_most("the number of classes", classes, (1 << 16) - 1)?;
        if let Some(&class) = truth
            .iter()
            .chain(said)
            .find(|class| **class as usize >= classes)
        {
            let expected = "a class below the number of classes";
            return Err(UndefinedReason::OutOfRange {
                what: "a class",
                value: f64::from(class),
                expected,
            });
        }
        let cell = truth
            .iter()
            .zip(said)
            .map(|(&truth, &said)| truth * classes as u32 + said);
        Ok(Self {
            cell: cell.collect(),
            classes,
        })
    }

    /// How many items there are.
    pub fn units(&self) -> usize {
        self.cell.len()
    }

    /// The counts when item `i` counts `weights[i]` times.
    pub fn counts(&self, weights: &[u32]) -> Counts {
        if self.classes <= FEW {
            return Counts::new(&self.cells(weights), self.classes);
        }
        let zero = || vec![0; self.classes];
        let mut counts = Counts {
            hits: zero(),
            truth: zero(),
            said: zero(),
        };
        for (&cell, &weight) in self.cell.iter().zip(weights) {
            counts.add(
                cell as usize / self.classes,
                cell as usize % self.classes,
                u64::from(weight),
            );
        }
        counts
    }

    /// How often each class was said of each, at these weights, row by row: truth × said.
    pub fn cells(&self, weights: &[u32]) -> Vec<u64> {
        let mut cells = vec![0_u64; self.classes * self.classes];
        for (&cell, &weight) in self.cell.iter().zip(weights) {
            cells[cell as usize] += u64::from(weight);
        }
        cells
    }
}

impl Counts {
    pub(crate) fn new(cells: &[u64], classes: usize) -> Self {
        let zero = || vec![0; classes];
        let mut counts = Self {
            hits: zero(),
            truth: zero(),
            said: zero(),
        };
        for (at, &count) in cells.iter().enumerate() {
            counts.add(at / classes, at % classes, count);
        }
        counts
    }

    fn add(&mut self, truth: usize, said: usize, count: u64) {
        self.truth[truth] += count;
        self.said[said] += count;
        if truth == said {
            self.hits[truth] += count;
        }
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.truth.len()
    }

    /// How many items have this class.
    pub fn support(&self, class: usize) -> u64 {
        self.truth[class]
    }

    /// How many items were said to have this class.
    pub fn predicted(&self, class: usize) -> u64 {
        self.said[class]
    }

    /// How many of this class were said to be of it.
    pub fn hits(&self, class: usize) -> u64 {
        self.hits[class]
    }

    /// All items.
    pub fn total(&self) -> u64 {
        self.truth.iter().sum()
    }

    /// The share of the items of a class that was said to be of it.
    pub fn recall(&self, class: usize) -> Option<f64> {
        ratio(self.hits(class), self.support(class))
    }

    /// The share of what was said to be of a class that is.
    pub fn precision(&self, class: usize) -> Option<f64> {
        ratio(self.hits(class), self.predicted(class))
    }

    /// The harmonic mean of precision and recall; it exists when the class is either there or said.
    pub fn f1(&self, class: usize) -> Option<f64> {
        ratio(
            2 * self.hits(class),
            self.support(class) + self.predicted(class),
        )
    }

    /// The correlation of Matthews between truth and answers; none when either is one class only.
    pub fn mcc(&self) -> Option<f64> {
        let all = u128::from(self.total());
        let square = |counts: &[u64]| {
            counts
                .iter()
                .map(|&n| u128::from(n) * u128::from(n))
                .sum::<u128>()
        };
        let product: u128 = self
            .truth
            .iter()
            .zip(&self.said)
            .map(|(&t, &s)| u128::from(t) * u128::from(s))
            .sum();
        let hits: u128 = (0..self.classes())
            .map(|class| u128::from(self.hits(class)))
            .sum();
        let spread_truth = all * all - square(&self.truth);
        let spread_said = all * all - square(&self.said);
        if spread_truth == 0 || spread_said == 0 {
            return None;
        }
        let covariance = (hits * all) as i128 - product as i128;
        Some(covariance as f64 / libm::sqrt(spread_truth as f64) / libm::sqrt(spread_said as f64))
    }
}

fn ratio(part: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}
