//! Subjects that classify.

pub mod network;
pub mod trained;
