//! Networks from files: one binary of tests.

mod bends;
mod cuts;
mod hostile;
mod networks;
mod training;
