//! How often the interval of a few calls of a judge holds what it says in the long run.
//!
//! # What it does
//! For each item takes Student's interval of the first `calls` ratings in a dimension and asks whether
//! the mean of the next `further` ratings lies in it; reads the share of items where it does.
//!
//! # Why it matters
//! A judge is asked three times and an interval printed: is it one?
//!
//! # Promise
//! Neither direction is better: the share should be what the level says, a little less because the
//! mean of the further calls varies too. For normal calls at a level of .95 and 15 further ones that is
//! .941 with 3 calls and .926 with 5. One call gives no interval, and a judge that says the same every
//! time has nothing to cover: both are undefined, with the reason.
//!
//! # Example
//! ```toml
//! [gauge.covers-3]
//! use = "interval-coverage"
//! dimension = "T"
//! calls = 3
//! ```
//!
//! # Reference
//! Student's t interval. `llm-judge` with `judges = 20` keeps each call; so does a table with columns
//! `T-call-1`, `T-call-2` …

use std::sync::Arc;

use duress_core::gauge::{
    CellGauge, CellRead, Direction, Gauge, Mean, Meter, SHARE, Scale, Undefined,
};
use duress_core::part::{Build, Part};

use crate::judge::frame::both_orders::pair_scale;
use crate::judge::frame::judge_calls::CallPlan;

/// The part.
pub static PART: Part = Part {
    name: "interval-coverage",
    version: 1,
    fields: CallPlan::KEYS,
    source: include_str!("interval_coverage.rs"),
    build: Build::Gauge(|params| {
        let plan = CallPlan::of_params(params);
        Ok(Gauge::Cell(Box::new(IntervalCoverage { plan })))
    }),
};

struct IntervalCoverage {
    plan: CallPlan,
}

impl CellGauge for IntervalCoverage {
    fn scale(&self) -> Scale {
        let convention = format!(
            "share of items whose interval covers: {}",
            self.plan.in_words()
        );
        pair_scale(Direction::Neither, None, SHARE, &convention)
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let calls = self.plan.calls(read.answers)?;
        let covers = |item: &Option<_>| match item {
            Some(item) => Ok(Some(f64::from(u8::from(self.plan.covers(item)?)))),
            None => Ok(None),
        };
        let shares = calls.iter().map(covers).collect::<Result<_, Undefined>>()?;
        Ok(Arc::new(Mean::share(shares)))
    }
}
