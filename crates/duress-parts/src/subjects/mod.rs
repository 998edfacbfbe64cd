//! Subjects: what is under test.

pub mod command;
pub mod correlation;
pub mod dagma;
pub mod dynotears;
pub mod em_kalman;
pub mod lagged_regression;
pub mod lookup;
pub mod mask_only;
pub mod network;
pub mod nonlinear_var;
pub mod notears;
pub mod pc;
pub mod pcmci;
pub mod random;
pub mod recorded;
pub mod rules_judge;
pub mod trained;
