//! What a study can name: datasets, subjects, stressors and gauges, one part per file, thin over
//! the crates that do the arithmetic.
//!
//! A part is a file with an opening comment (which `duress explain` prints), a
//! [`Part`](duress_core::part::Part) called `PART`, and the type it builds; it knows no stage and
//! no other part. Adding one is adding a file, its line in the folder's `mod.rs`, and its line in
//! [`registry`].

mod answered;
mod calibrated;
mod classifier;
mod confidence;
mod confused;
mod corruption;
pub mod datasets;
mod degradation;
mod described;
mod dictionary;
mod dose;
pub mod gauges;
mod graph_gauge;
mod grouped;
pub mod images;
mod injected;
mod norm;
pub mod presets;
pub mod process;
pub mod raters;
mod ratings;
pub mod registry;
mod responses;
mod risk;
mod scaling;
pub mod scored;
mod selecting;
mod selection;
mod series;
pub mod stressors;
pub mod subjects;
