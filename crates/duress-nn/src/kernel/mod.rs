//! Kernels: the loops where the time goes, each with a fixed order of summation.

pub(crate) mod aligned;
pub(crate) mod outer;
pub(crate) mod tile;
pub(crate) mod winograd;
