//! Learners: ways from a panel to a score per ordered pair, or to a graph.

pub mod acyclic;
pub mod correlation;
pub mod dagma;
mod descent;
pub mod dynotears;
pub mod em_kalman;
pub mod independence;
pub mod independent_rows;
pub mod kalman_basis;
pub mod lagged_regression;
pub mod least_squares;
pub mod mask_only;
pub mod nonlinear_var;
pub mod notears;
pub mod pc;
pub mod pcmci;
pub mod random;
mod regression;
mod skeleton;
pub mod var_lingam;
