//! Subjects: what is under test.

pub mod command;
pub mod correlation;
pub mod lagged_regression;
pub mod recorded;
pub mod trained;
