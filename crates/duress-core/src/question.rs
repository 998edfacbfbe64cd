//! Questions: what a cell asks its subject.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::explanation::{AskedExplanation, Explanation};

crate::words! {
    /// A question that is one word.
    pub enum PlainQuestion {
        /// Which class each item belongs to.
        Classes = "classes",
        /// Which variables act on which, over the whole dataset.
        Graph = "graph",
        /// A text for each item.
        Text = "text",
        /// A rating of each item, in each of some dimensions.
        Ratings = "ratings",
    }
}

/// What is asked. Gauges declare which question they read; the plan asks the union, once.
///
/// ```
/// use duress_core::question::Question;
/// assert_eq!(Question::Classes.to_string(), "classes");
/// ```
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
    /// Where answers come from: maps, or what becomes of them when they are put to the test.
    Explanation(AskedExplanation),
}

impl Question {
    /// The question that asks for this explanation.
    pub fn explanation(asked: Explanation) -> Question {
        Question::Explanation(AskedExplanation::new(asked))
    }
}

impl From<PlainQuestion> for Question {
    fn from(plain: PlainQuestion) -> Question {
        match plain {
            PlainQuestion::Classes => Question::Classes,
            PlainQuestion::Graph => Question::Graph,
            PlainQuestion::Text => Question::Text,
            PlainQuestion::Ratings => Question::Ratings,
        }
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = match self {
            Question::Classes => PlainQuestion::Classes,
            Question::Graph => PlainQuestion::Graph,
            Question::Text => PlainQuestion::Text,
            Question::Ratings => PlainQuestion::Ratings,
            Question::Explanation(asked) => return fmt::Display::fmt(asked, f),
        };
        fmt::Display::fmt(&plain, f)
    }
}
