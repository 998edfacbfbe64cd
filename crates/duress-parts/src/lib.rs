//! What a study can name: datasets, subjects, stressors, gauges and raters, one part per file, by
//! the family of questions they belong to; thin over the crates that do the arithmetic.
//!
//! A part is a file with an opening comment (which `duress explain` prints), a
//! [`Part`](duress_core::part::Part) called `PART`, and the type it builds; it knows no stage and
//! no other part. Adding one is adding a file, and its line `pub mod NAME;` in the `mod.rs` of its
//! folder: the [`registry`] is made from those lines. What parts of one family share is in its
//! `frame`, which no other family sees.

pub mod causal;
pub mod classify;
#[cfg(feature = "endpoint")]
mod endpoint;
pub mod images;
pub mod judge;
pub mod order;
pub mod process;
pub mod registry;
pub mod shared;
