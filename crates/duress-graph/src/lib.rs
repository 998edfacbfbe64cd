//! Causal structure over time: models that generate windows, what hides their values, learners that look for the graph, and
//! measures of how near they came.
//!
//! The pieces, in the order data flow through them: [`sem`] draws a model and simulates it; [`missing`] hides values; a
//! [`panel::Panel`] is what a learner makes of windows (each regime on its own scale, hidden values kept out); [`lagged`] and
//! [`correlation`] give every ordered pair a z score; [`select`] turns z scores into a graph without knowing the truth; a
//! [`learner::Learner`] makes a subject of it; [`cpdag`] is what independence alone can say of a graph; [`measure`] compares two graphs and [`sortability`] says how much of a graph the
//! scale of the data gives away.

pub mod correlation;
pub mod cpdag;
pub mod lagged;
pub mod learner;
pub mod matrix;
pub mod measure;
pub mod missing;
pub mod panel;
pub mod select;
pub mod sem;
pub mod sortability;
