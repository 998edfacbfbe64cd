//! What the parts of scrambled order share.

pub(super) mod degradation;
pub(super) mod group_evenness;
pub(super) mod idiom_dictionary;
