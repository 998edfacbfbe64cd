//! Networks and weights from files: one binary of tests.

mod file;
mod hostile;
mod networks;
