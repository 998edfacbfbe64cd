//! Stage 5 of 6: answers become findings.

pub mod findings;
