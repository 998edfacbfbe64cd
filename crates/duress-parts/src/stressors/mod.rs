//! Stressors: what makes life harder.

pub mod missing_mcar;
