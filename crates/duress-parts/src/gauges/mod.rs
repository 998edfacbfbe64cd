//! Gauges: ways of reading answers.
