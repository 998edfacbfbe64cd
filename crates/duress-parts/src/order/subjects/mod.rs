//! Subjects that explain texts.

pub mod lookup;
