//! What parts of several families share.

pub(crate) mod ratings;
pub(crate) mod temperature_scaling;
