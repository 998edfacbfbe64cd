//! Tensors from files: one binary of tests.

mod file;
mod hostile;
