//! One step of a stressor that changes a text piece by piece.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// One step of a stressor that changes a text piece by piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StressStep {
    /// What kind of change it is.
    pub kind: String,
    /// Who made it.
    pub by: String,
    /// Which bytes of the text before this step were replaced.
    pub span: Range<usize>,
    /// What stood there.
    pub before: String,
    /// What stands there now.
    pub after: String,
}
