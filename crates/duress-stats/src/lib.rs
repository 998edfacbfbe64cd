//! The arithmetic: tests, intervals, effect sizes, corrections, power and curves.
//!
//! Every function is checked against independent software (the data and the scripts that made them
//! are in `tests/data` and `peers/stats`), every module states its formula, what it assumes and
//! where it comes from, and whatever does not exist is a value with a reason: [`UndefinedReason`], never
//! NaN, 0 or a panic. Results are plain values that print.
//!
//! ```
//! use duress_stats::bootstrap::{Config, Design, IntervalKind, bootstrap};
//! use duress_stats::statistic::{Auroc, PairedDifference};
//! use duress_stats::verdict::{Orientation, MarginVerdict, judge};
//!
//! let positives = [true, true, true, true, false, false, false, false, true, false];
//! let ours = [0.9, 0.8, 0.7, 0.45, 0.4, 0.3, 0.2, 0.1, 0.95, 0.5];
//! let theirs = [0.5, 0.3, 0.6, 0.2, 0.7, 0.4, 0.55, 0.1, 0.35, 0.45];
//! let gain = PairedDifference::new(Auroc::new(&ours, &positives)?, Auroc::new(&theirs, &positives)?)?;
//! let result = bootstrap(&gain, Design::Simple, IntervalKind::Bca, Config::default())?;
//! assert_eq!(judge(&result.interval, 0.0, Orientation::Higher)?, MarginVerdict::Upheld);
//! # Ok::<(), duress_stats::UndefinedReason>(())
//! ```
//!
//! Transcendental functions come from libm and sums run in a fixed order, so results are the same
//! bits on every platform and for any number of threads.

#![warn(missing_docs)]

pub mod agreement;
pub mod bootstrap;
mod check;
pub mod components;
pub mod correct;
pub mod curve;
pub mod dist;
pub mod effect;
pub mod evidence;
pub mod interval;
mod inversions;
mod log_odds;
pub mod looks;
mod moments;
mod order;
pub mod parallel;
mod places;
pub mod power;
pub mod random;
mod side;
pub mod sources;
pub mod special;
pub mod statistic;
pub mod streamed;
pub mod temperature;
pub mod templates;
mod test;
pub mod tests;
mod undefined;
pub mod verdict;

pub use effect::Effect;
pub use interval::Interval;
pub use side::Side;
pub use test::{Route, RouteTaken, TestResult};
pub use tests::Zeros;
pub use undefined::UndefinedReason;
