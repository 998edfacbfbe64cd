//! An everyday verb beside the stages: what changed between two runs, paired by item and by seed.

mod drift;
mod pair;

pub use pair::compare;
