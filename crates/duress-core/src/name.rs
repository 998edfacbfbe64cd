//! Names: how a study calls its datasets, subjects, ladders and claims.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A name that may stand in a study file, a table and a file path.
///
/// Letters and digits of any script, and `-`, `_`, `.`, `+` between them; at most 64 characters.
///
/// ```
/// use duress_core::name::Name;
/// assert_eq!(Name::new("tri-objective").unwrap().as_str(), "tri-objective");
/// assert!(Name::new("../etc").is_err());
/// assert!(Name::new("").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(Arc<str>);

/// Why a text is not a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAName(String);

impl Name {
    /// Checks `text` and makes it a name.
    pub fn new(text: impl AsRef<str>) -> Result<Name, NotAName> {
        let text = text.as_ref();
        let starts_well = text.chars().next().is_some_and(char::is_alphanumeric);
        let all_well = text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+'));
        if starts_well && all_well && text.chars().count() <= 64 {
            Ok(Name(text.into()))
        } else {
            Err(NotAName(text.into()))
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Name {
    type Error = NotAName;
    fn try_from(text: String) -> Result<Name, NotAName> {
        Name::new(text)
    }
}

impl From<Name> for String {
    fn from(name: Name) -> String {
        name.0.as_ref().into()
    }
}

impl fmt::Display for NotAName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is not a name: up to 64 letters and digits, with `-`, `_`, `.` or `+` between them",
            self.0
        )
    }
}

impl std::error::Error for NotAName {}
