//! The chance that a subject is right all of `k` times it is asked (pass^k).
//!
//! # What it does
//! Reads answers that were given `repeats` times about each item, as shares of classes. For each item
//! it takes the share of all ways to choose `k` of those answers in which all of them are right, and
//! averages over items: the unbiased estimate of being right `k` times in a row.
//!
//! # Why it matters
//! A model that is right four times in five is of little use to somebody who asks ten times. Accuracy
//! does not tell it from one that is always right about four items in five.
//!
//! # Promise
//! Higher is better, 1 is perfect; with `k = 1` it is the mean share of right answers. Never above
//! what a smaller `k` gives. Undefined where answers are not shares of `repeats`. Items without an
//! answer do not take part.
//!
//! # Example
//! ```toml
//! [gauge.reliable]
//! use = "pass-all"
//! repeats = 5      # that of the subject
//! k = 3
//! ```
//!
//! # Reference
//! Yao et al., τ-bench, 2024, pass^k; the estimator of Chen et al., Evaluating large language models
//! trained on code, 2021, for all instead of any.

use std::sync::Arc;

use duress_core::gauge::{CellGauge, CellRead, Gauge, Meter, Scale, Undefined};
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::problem::Problem;

use crate::classify::frame::confusion;
use crate::classify::frame::repeated::{mean_over_items, repeats_key, share_of_choices};

/// The part.
pub static PART: Part = Part {
    name: "pass-all",
    version: 1,
    fields: &[
        repeats_key(1),
        Field {
            name: "k",
            takes: Takes::Whole(1, 1000),
            doc: "how many times in a row it is to be right",
            default: None,
        },
    ],
    source: include_str!("pass_all.rs"),
    build: Build::Gauge(|params| {
        let gauge = PassAll {
            repeats: params.whole("repeats") as u32,
            k: params.whole("k") as u32,
        };
        match gauge.k <= gauge.repeats {
            true => Ok(Gauge::Cell(Box::new(gauge))),
            false => Err(Problem::new("`k` is more than `repeats`")
                .expected("at most as many as there are answers about an item")),
        }
    }),
};

struct PassAll {
    repeats: u32,
    k: u32,
}

impl CellGauge for PassAll {
    fn scale(&self) -> Scale {
        confusion::scale(format!("chance to be right {0} times of {0}", self.k))
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        mean_over_items(read, self.repeats, |named, truth| {
            share_of_choices(named[truth], self.repeats, self.k)
        })
    }
}
