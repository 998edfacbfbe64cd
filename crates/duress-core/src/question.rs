//! Questions: what a cell asks its subject.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What is asked. Gauges declare which question they read; the plan asks the union, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// Which class each item belongs to.
    Classes,
    /// Which variables act on which, over the whole dataset.
    Graph,
    /// A text for each item.
    Text,
    /// A rating of each item, in each of some dimensions.
    Ratings,
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Question::Classes => "classes",
            Question::Graph => "graph",
            Question::Text => "text",
            Question::Ratings => "ratings",
        })
    }
}
