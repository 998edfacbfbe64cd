//! Whether a subject prefers a position, whatever stands there.
//!
//! # What it does
//! Counts at which position the options stood that the subject said, over all items and orders on
//! the ladder, and gives the total variation distance of these shares from equal ones: half the sum
//! of |share − 1/k|. The detail has the share of each position, the distance that chance gives, and
//! the p-value of a test: under the null, the positions at which an item's answers stood could as
//! well have been any others, so for each item positions are exchanged at random, 9,999 times.
//!
//! # Why it matters
//! Accuracy by position shows a preference only where the subject is often wrong; this shows it
//! whether or not it is right.
//!
//! # Promise
//! Lower is better; 0 for a subject that does not see positions on full or cyclic orders, 1 − 1/k
//! for one that always says the same letter. On ladders whose orders are not balanced, a preference
//! for an option looks like one for a position.
//!
//! # Example
//! ```toml
//! [gauge.position-preference]
//! use = "position-preference"
//! of = "accuracy"
//! ```
//!
//! # Reference
//! R. A. Fisher, The Design of Experiments, 1935, chapter 2, for the test by exchanging; P. Wang
//! and others, Large Language Models are not Fair Evaluators, ACL 2024, for the preference.

use std::sync::Arc;

use duress_core::gauge::{Detail, Direction, Gauge, Group, GroupSpread, Meter, Undefined};
use duress_core::part::{Build, Part};
use duress_core::seed::Seed;

use crate::order::frame::option_answers::{OF, OptionAnswers, OptionGauge, OptionReading};

/// The part.
pub static PART: Part = Part {
    name: "position-preference",
    version: 1,
    fields: &[OF],
    source: include_str!("position_preference.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Ladder(Box::new(OptionGauge {
            of: params.text("of").into(),
            reading: &READING,
        })))
    }),
};

/// How often positions are exchanged.
const SHUFFLES: usize = 9_999;

static READING: OptionReading = OptionReading {
    convention: "total variation distance of the shares of positions that were said from equal shares, over all orders and items",
    direction: Direction::Lower,
    best: Some(0.0),
    open: |answers| Ok(Arc::new(SaidPositions::new(&answers)?)),
    detail,
};

/// How often each item's answers stood at each position.
struct SaidPositions {
    positions: usize,
    counts: Vec<u32>,
}

impl SaidPositions {
    fn new(answers: &OptionAnswers) -> Result<SaidPositions, Undefined> {
        let positions = answers.options;
        let mut counts = vec![0; positions * answers.truth.len()];
        for (order, stood) in answers.placed()? {
            for (item, said) in order.said.iter().enumerate() {
                if let Some(said) = said {
                    counts[item * positions + stood[*said]] += 1;
                }
            }
        }
        Ok(SaidPositions { positions, counts })
    }

    fn sums(&self, weights: &[u32]) -> Vec<f64> {
        let mut sums = vec![0.0; self.positions];
        for (item, &weight) in self.counts.chunks_exact(self.positions).zip(weights) {
            for (sum, count) in sums.iter_mut().zip(item) {
                *sum += f64::from(*count) * f64::from(weight);
            }
        }
        sums
    }

    /// What the gauge reads when the positions of each item are exchanged, again and again.
    fn exchanged(&self) -> Vec<f64> {
        let seed = Seed::new(0).child("position-preference").child("shuffles");
        let mut draws = seed.draws();
        let mut counts = self.counts.clone();
        let mut read = |_| {
            let mut sums = vec![0.0; self.positions];
            for item in counts.chunks_exact_mut(self.positions) {
                draws.shuffle(item);
                let own = sums.iter_mut().zip(item.iter());
                own.for_each(|(sum, count)| *sum += f64::from(*count));
            }
            distance(&sums).unwrap_or(0.0)
        };
        (0..SHUFFLES).map(&mut read).collect()
    }
}

/// Half the sum of how far shares are from equal ones; none where nothing was said.
fn distance(sums: &[f64]) -> Option<f64> {
    let all: f64 = sums.iter().sum();
    let equal = 1.0 / sums.len() as f64;
    (all > 0.0).then(|| {
        sums.iter()
            .map(|sum| (sum / all - equal).abs())
            .sum::<f64>()
            / 2.0
    })
}

impl Meter for SaidPositions {
    fn units(&self) -> usize {
        self.counts.len() / self.positions.max(1)
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        distance(&self.sums(weights)).ok_or_else(|| Undefined::new("nothing was said"))
    }

    fn takes_part(&self, unit: usize) -> bool {
        let own = &self.counts[unit * self.positions..][..self.positions];
        own.iter().any(|count| *count > 0)
    }
}

fn detail(answers: &OptionAnswers) -> Option<Detail> {
    let positions = SaidPositions::new(answers).ok()?;
    let sums = positions.sums(&vec![1; positions.units()]);
    let found = distance(&sums)?;
    let by_chance = positions.exchanged();
    let as_far = by_chance
        .iter()
        .filter(|read| **read >= found - 1e-12)
        .count();
    let all: f64 = sums.iter().sum();
    let shares: Vec<f64> = sums.iter().map(|sum| sum / all).collect();
    let equal = 1.0 / shares.len() as f64;
    let squares: f64 = shares.iter().map(|share| (share - equal).powi(2)).sum();
    let variance = squares / shares.len() as f64;
    // The variance that answers would have by chance, were each of them drawn alone.
    let of_sampling = equal * (1.0 - equal) / all;
    let group = |(position, (sum, share)): (usize, (&f64, &f64))| Group {
        name: format!("position {}", position + 1),
        n: *sum as usize,
        value: Ok(*share),
    };
    Some(Detail::Spread(GroupSpread {
        groups: sums.iter().zip(&shares).enumerate().map(group).collect(),
        spread: libm::sqrt(variance),
        net_spread: Some(libm::sqrt((variance - of_sampling).max(0.0))),
        floor: by_chance.iter().sum::<f64>() / SHUFFLES as f64,
        p: (1 + as_far) as f64 / (1 + SHUFFLES) as f64,
        shuffles: SHUFFLES,
    }))
}
