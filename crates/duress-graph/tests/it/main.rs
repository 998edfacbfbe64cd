//! What the crate of graphs must do beyond single functions: one binary of tests.

mod measures;
mod reference;
