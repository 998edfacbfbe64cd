//! The arithmetic: tests, intervals, effect sizes, corrections, power and curves.
