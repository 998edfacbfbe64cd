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

impl StressStep {
    /// The text before the step, with `[-what was taken out-]` and `{+what was put in+}`.
    ///
    /// ```
    /// use duress_core::stressor::StressStep;
    /// let step = StressStep {
    ///     kind: "factual_error".into(),
    ///     by: "rules".into(),
    ///     span: 10..14,
    ///     before: "1887".into(),
    ///     after: "1875".into(),
    /// };
    /// assert_eq!(step.marked("Opened in 1887."), "Opened in [-1887-]{+1875+}.");
    /// ```
    #[must_use]
    pub fn marked(&self, text: &str) -> String {
        let around = |open: &str, what: &str, close: &str| match what.is_empty() {
            true => String::new(),
            false => format!("{open}{what}{close}"),
        };
        format!(
            "{}{}{}{}",
            &text[..self.span.start],
            around("[-", &self.before, "-]"),
            around("{+", &self.after, "+}"),
            &text[self.span.end..]
        )
    }
}

/// What came of asking for steps that somebody else makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreparedSteps {
    /// How many items there are.
    pub items: usize,
    /// How many steps were made this time.
    pub made: usize,
    /// How many items could not take a further one.
    pub refused: usize,
}
