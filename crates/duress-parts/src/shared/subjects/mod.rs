//! Subjects that answer questions of every family.

pub mod command;
pub mod recorded;
