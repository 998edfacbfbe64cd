//! Subjects: what is under test.
