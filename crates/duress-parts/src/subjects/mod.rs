//! Subjects: what is under test.

pub mod command;
pub mod correlation;
pub mod lagged_regression;
pub mod lookup;
pub mod network;
pub mod recorded;
pub mod rules_judge;
pub mod trained;
