//! Reviews: the steps of a study's stressors as a sheet, and what people wrote into it.
//!
//! Nobody is asked and nothing is run: steps follow from the study, so a sheet and what is read back
//! from it are about the same ones.

mod answers;
mod prepare;
mod sheet;

pub use answers::read_review;
pub use prepare::prepare_steps;
pub use sheet::review_steps;
