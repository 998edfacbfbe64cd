//! Subjects that answer questions of every family.

pub mod command;
#[cfg(feature = "endpoint")]
pub mod endpoint;
pub mod logged;
pub mod recorded;
