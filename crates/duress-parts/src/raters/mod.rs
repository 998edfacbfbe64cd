//! Raters: what reads the answers of other subjects.
