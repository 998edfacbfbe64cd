//! Datasets of texts that are asked for their meaning.

pub mod idioms;
