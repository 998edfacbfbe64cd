//! Agreement: how far two raters, or several, say the same, beyond what chance would give.
//!
//! Everything about two raters is a function of how often each pair of categories was said
//! ([`PairCounts`]), so that a resample is a new set of counts and ten thousand of them cost little.
//!
//! - [`cohen_kappa`], plain and weighted; [`gwet_ac1`], which does not collapse when nearly all
//!   items are of one category; [`pair_tau`], Kendall's τ-b of ordered categories.
//! - [`krippendorff_alpha`] for any number of raters with gaps.
//! - [`rogan_gladen`] and [`prediction_powered`]: the rate that people would have found, from a
//!   judge that errs and some labels of people.

mod alpha;
mod corrected_rate;
mod kappa;
mod pair_counts;
mod patterns;

pub use alpha::{AlphaDistance, RatedUnits, krippendorff_alpha};
pub use corrected_rate::{
    CorrectedRate, JudgedRates, LabelsNeeded, labels_to_decide, prediction_powered, rogan_gladen,
};
pub use kappa::{KappaWeights, cohen_kappa, gwet_ac1};
pub use pair_counts::{PairCounts, pair_tau};
pub use patterns::{Patterns, pattern_interval};
