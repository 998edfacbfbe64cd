//! Accuracy in the worst order of the options.
//!
//! # What it does
//! Reads the accuracy at every order on the ladder, the original among them, and gives the lowest.
//! The detail has the accuracy at each order by name.
//!
//! # Why it matters
//! A benchmark shows one order. What it would have shown with another is between this number and the
//! best one.
//!
//! # Promise
//! Higher is better, 1 is perfect. One order for all items; an adversary that picks one for every
//! item does worse. The lowest of several numbers is low by chance too: the more orders and the
//! fewer items, the lower.
//!
//! # Example
//! ```toml
//! [gauge.worst-order]
//! use = "worst-order"
//! of = "accuracy"
//! ```
//!
//! # Reference
//! P. Pezeshkpour and E. Hruschka, Large Language Models Sensitivity to the Order of Options in
//! Multiple-Choice Questions, NAACL Findings 2024.

use std::sync::Arc;

use duress_core::gauge::{Detail, Direction, Gauge, Grid, GridCell, Meter, Undefined};
use duress_core::part::{Build, Part};

use crate::order::frame::option_answers::{
    OF, OptionAnswers, OptionGauge, OptionReading, OrderAnswers,
};

/// The part.
pub static PART: Part = Part {
    name: "worst-order",
    version: 1,
    fields: &[OF],
    source: include_str!("worst_order.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Ladder(Box::new(OptionGauge {
            of: params.text("of").into(),
            reading: &READING,
        })))
    }),
};

static READING: OptionReading = OptionReading {
    convention: "the lowest accuracy over the ladder's orders, the original among them",
    direction: Direction::Higher,
    best: Some(1.0),
    open: |answers| Ok(Arc::new(WorstOrder(answers))),
    detail,
};

struct WorstOrder(OptionAnswers);

impl Meter for WorstOrder {
    fn units(&self) -> usize {
        self.0.truth.len()
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let each = self
            .0
            .orders
            .iter()
            .map(|order| accuracy(&self.0, order, weights));
        let all = each.collect::<Result<Vec<f64>, _>>()?;
        Ok(all.into_iter().fold(f64::INFINITY, f64::min))
    }

    fn takes_part(&self, unit: usize) -> bool {
        self.0.takes_part(unit)
    }

    fn is_rough(&self) -> bool {
        true
    }
}

fn accuracy(
    answers: &OptionAnswers,
    order: &OrderAnswers,
    weights: &[u32],
) -> Result<f64, Undefined> {
    let mut right = 0_u64;
    let mut all = 0_u64;
    for ((said, truth), &weight) in order.said.iter().zip(&answers.truth).zip(weights) {
        if let Some(said) = said {
            all += u64::from(weight);
            right += u64::from(weight) * u64::from(said == truth);
        }
    }
    match all {
        0 => Err(Undefined::new(format!(
            "no answer at the order {}",
            order.name
        ))),
        all => Ok(right as f64 / all as f64),
    }
}

fn detail(answers: &OptionAnswers) -> Option<Detail> {
    let once = vec![1; answers.truth.len()];
    let cell = |order: &OrderAnswers| GridCell {
        n: order.said.iter().flatten().count(),
        value: accuracy(answers, order, &once),
    };
    Some(Detail::Grid(Grid {
        row_axis: "order".into(),
        column_axis: "items".into(),
        rows: answers
            .orders
            .iter()
            .map(|order| order.name.clone())
            .collect(),
        columns: vec!["all".into()],
        cells: answers.orders.iter().map(cell).collect(),
    }))
}
