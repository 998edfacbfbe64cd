//! How much it matters where the right option stands.
//!
//! # What it does
//! Reads the accuracy over all orders on the ladder, apart for each position that the right option
//! stands at, and gives the largest less the smallest. The detail has the accuracy at each position,
//! with how many answers it is over.
//!
//! # Why it matters
//! A subject that prefers the first position is right more often when the right option is there.
//!
//! # Promise
//! Lower is better, 0 where positions do not matter. Full and cyclic orders show every option at
//! every position equally often, so that positions are compared on the same questions; on other
//! ladders questions and positions are mixed up. A range is above 0 by chance too, the more so the
//! fewer items there are: `position-preference` has a test.
//!
//! # Example
//! ```toml
//! [gauge.position-gap]
//! use = "position-gap"
//! of = "accuracy"
//! ```
//!
//! # Reference
//! C. Zheng and others, Large Language Models Are Not Robust Multiple Choice Selectors, ICLR 2024,
//! for accuracy by the position of the right option.

use std::sync::Arc;

use duress_core::gauge::{Detail, Direction, Gauge, Group, Meter, Undefined};
use duress_core::part::{Build, Part};

use crate::order::frame::option_answers::{OF, OptionAnswers, OptionGauge, OptionReading};

/// The part.
pub static PART: Part = Part {
    name: "position-gap",
    version: 1,
    fields: &[OF],
    source: include_str!("position_gap.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Ladder(Box::new(OptionGauge {
            of: params.text("of").into(),
            reading: &READING,
        })))
    }),
};

static READING: OptionReading = OptionReading {
    convention: "accuracy over all orders by the position of the right option, the largest less the smallest",
    direction: Direction::Lower,
    best: Some(0.0),
    open: |answers| Ok(Arc::new(PositionGap::new(&answers)?)),
    detail,
};

/// For each item and position of its right option: how often it was right, and how often asked.
struct PositionGap {
    positions: usize,
    counts: Vec<(u32, u32)>,
}

impl PositionGap {
    fn new(answers: &OptionAnswers) -> Result<PositionGap, Undefined> {
        let positions = answers.options;
        let mut counts = vec![(0, 0); positions * answers.truth.len()];
        for (order, stood) in answers.placed()? {
            for (item, (said, &truth)) in order.said.iter().zip(&answers.truth).enumerate() {
                if let Some(said) = said {
                    let (right, all) = &mut counts[item * positions + stood[truth]];
                    *right += u32::from(*said == truth);
                    *all += 1;
                }
            }
        }
        Ok(PositionGap { positions, counts })
    }

    /// Right and asked at each position.
    fn summed(&self, weights: &[u32]) -> Vec<(u64, u64)> {
        let mut sums = vec![(0, 0); self.positions];
        for (item, &weight) in self.counts.chunks_exact(self.positions).zip(weights) {
            for ((right, all), (own_right, own_all)) in sums.iter_mut().zip(item) {
                *right += u64::from(*own_right) * u64::from(weight);
                *all += u64::from(*own_all) * u64::from(weight);
            }
        }
        sums
    }
}

fn share((right, all): (u64, u64), position: usize) -> Result<f64, Undefined> {
    match all {
        0 => Err(Undefined::new(format!(
            "the right option never stands at position {}",
            position + 1
        ))),
        all => Ok(right as f64 / all as f64),
    }
}

impl Meter for PositionGap {
    fn units(&self) -> usize {
        self.counts.len() / self.positions.max(1)
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let sums = self.summed(weights).into_iter().enumerate();
        let shares = sums.map(|(position, sums)| share(sums, position));
        let shares = shares.collect::<Result<Vec<f64>, _>>()?;
        let most = shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
        Ok(most - least)
    }

    fn takes_part(&self, unit: usize) -> bool {
        let own = &self.counts[unit * self.positions..][..self.positions];
        own.iter().any(|(_, all)| *all > 0)
    }

    fn is_rough(&self) -> bool {
        true
    }
}

fn detail(answers: &OptionAnswers) -> Option<Detail> {
    let gap = PositionGap::new(answers).ok()?;
    let sums = gap.summed(&vec![1; gap.units()]);
    let group = |(position, sums): (usize, (u64, u64))| Group {
        name: format!("position {}", position + 1),
        n: sums.1 as usize,
        value: share(sums, position),
    };
    Some(Detail::Groups(
        sums.into_iter().enumerate().map(group).collect(),
    ))
}
