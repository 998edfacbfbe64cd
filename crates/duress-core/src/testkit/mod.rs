//! What every part must pass. A new part is tested by adding it to a list.
//!
//! Each function panics with the rule that was broken, so that a failing test reads as a sentence.
//! A rule that a part could pass by doing nothing is no rule: a gauge must read something, and
//! answers of every kind are compared.

mod answers;
mod gauge;
mod rater;
mod source;
mod stressor;
mod subject;

pub use gauge::{
    LadderCase, PairCase, SubjectCase, check_cell_gauge, check_ladder_gauge, check_pair_gauge,
    check_subject_gauge,
};
pub use rater::check_rater;
pub use source::check_source;
pub use stressor::{check_aware, check_blind};
pub use subject::{check_recording, check_subject};
