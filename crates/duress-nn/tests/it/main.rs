//! Networks from files: one binary of tests.

mod hostile;
mod networks;
