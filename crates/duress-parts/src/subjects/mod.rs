//! Subjects: what is under test.

pub mod command;
pub mod correlation;
pub mod lagged_regression;
pub mod lookup;
pub mod mask_only;
pub mod nonlinear_var;
pub mod random;
pub mod recorded;
pub mod rules_judge;
pub mod trained;
