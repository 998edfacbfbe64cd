//! Absence: why there is no answer about an item.

use std::fmt;

use serde::{Deserialize, Serialize};

crate::words! {
    /// What kept an answer away. Code branches on this; what happened in detail is a text beside it.
    pub enum AbsenceKind {
        /// The subject would not answer.
        Refused = "refused",
        /// The answer broke off before its end.
        CutOff = "cut-off",
        /// It answered with nothing.
        Empty = "empty",
        /// It answered, and what it said cannot be read.
        Unparsable = "unparsable",
        /// The item is longer than the subject takes.
        TooLong = "too-long",
        /// The stress leaves no such item: it was not asked.
        NotTakingPart = "not-taking-part",
        /// Nobody kept an answer about it.
        Unrecorded = "unrecorded",
        /// It could not answer.
        Failed = "failed",
    }
}

/// Why there is no answer about an item.
///
/// ```
/// use duress_core::answer::{Absence, AbsenceKind};
/// let absence = Absence::new(AbsenceKind::Unparsable, "no number in \"quite good\"");
/// assert_eq!(absence.to_string(), "no number in \"quite good\"");
/// assert_eq!(Absence::from("timed out").kind, AbsenceKind::Failed);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absence {
    /// What kept it away.
    pub kind: AbsenceKind,
    /// What happened, in words.
    pub why: String,
}

impl Absence {
    /// An absence of some kind.
    pub fn new(kind: AbsenceKind, why: impl Into<String>) -> Absence {
        Absence {
            kind,
            why: why.into(),
        }
    }

    /// The item does not take part at the rung it would have been asked at.
    pub fn not_taking_part() -> Absence {
        Absence::new(
            AbsenceKind::NotTakingPart,
            "it does not take part at this rung",
        )
    }
}

/// A subject that says what went wrong, and no more, could not answer.
impl From<String> for Absence {
    fn from(why: String) -> Absence {
        Absence::new(AbsenceKind::Failed, why)
    }
}

impl From<&str> for Absence {
    fn from(why: &str) -> Absence {
        Absence::from(why.to_string())
    }
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}
