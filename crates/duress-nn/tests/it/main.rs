//! Networks from files: one binary of tests.

mod bends;
mod hostile;
mod networks;
mod training;
