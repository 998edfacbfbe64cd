//! Causal structure over time: models that generate windows, what hides their values, learners that
//! look for the graph, and measures of how near they came.
//!
//! The pieces, in the order data flow through them: [`sem`] draws a model and simulates it,
//! [`lorenz`] simulates one with feedback;
//! [`corruption`], [`surroundings`], [`sensor_faults`], [`coding`] and [`missing`] change and hide
//! values; a [`panel::StandardisedPanel`] is what a learner
//! makes of windows (each regime on its own scale, hidden values kept out), and [`rows`] are its
//! steps side by side; [`learners`] give every ordered pair a score; [`select`] turns scores into a
//! graph without knowing the truth; a [`learner::StructureLearner`] makes a subject of it; [`cpdag`] is what
//! independence alone can say of a graph; [`measure`], [`sid`] and [`ranking`] compare an answer
//! with the truth, [`likelihood`] with windows; [`sortability`] says how much of a graph the scale
//! of the data gives away.

pub mod coding;
pub mod corruption;
pub mod cpdag;
pub mod learner;
pub mod learners;
pub mod likelihood;
pub mod lorenz;
pub mod matrix;
pub mod measure;
pub mod missing;
#[cfg(test)]
mod numbered_graph;
pub mod panel;
pub mod ranking;
pub mod rc_gnn;
mod robust;
pub mod rows;
pub mod select;
pub mod sem;
pub mod sensor_faults;
pub mod sid;
pub mod sortability;
pub mod spread;
pub mod surroundings;
