//! Statistics against other software and against themselves: one binary of tests.

mod agreement;
mod bootstrap;
mod cross_check;
mod inference;
mod little;
mod properties;
mod reference;
