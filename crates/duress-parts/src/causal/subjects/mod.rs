//! Subjects that learn a graph.

pub mod correlation;
pub mod dagma;
pub mod dynotears;
pub mod em_kalman;
pub mod j_pcmci;
pub mod kalman_basis;
pub mod lagged_regression;
pub mod mask_only;
pub mod nonlinear_var;
pub mod notears;
pub mod pc;
pub mod pcmci;
pub mod random;
pub mod rc_gnn;
pub mod var_lingam;
