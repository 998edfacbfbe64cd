//! Severity: how hard a stressor presses, in its own unit; 0 is the identity.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A number at or above zero that remembers how it was written (`8/255`).
///
/// Two severities are equal when their values are, however they were written.
///
/// ```
/// use duress_core::severity::Severity;
/// let eps = Severity::parse("8/255").unwrap();
/// assert_eq!(eps.value(), 8.0 / 255.0);
/// assert_eq!(eps.to_string(), "8/255");
/// assert_eq!(Severity::parse("0.50"), Severity::new(0.5));
/// assert!(Severity::new(-0.1).is_err());
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Severity {
    value: f64,
    text: Arc<str>,
}

/// Why something is not a severity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotASeverity(String);

impl Severity {
    /// A severity from a number.
    pub fn new(value: f64) -> Result<Severity, NotASeverity> {
        Severity::checked(value, value.to_string())
    }

    /// A severity from text: a number, or a fraction of two.
    pub fn parse(text: &str) -> Result<Severity, NotASeverity> {
        let number = |part: &str| {
            part.trim()
                .parse::<f64>()
                .map_err(|_| NotASeverity(text.into()))
        };
        let value = match text.split_once('/') {
            Some((above, below)) => number(above)? / number(below)?,
            None => number(text)?,
        };
        Severity::checked(value, text.trim().into())
    }

    /// The rung every ladder shares: no stress at all.
    pub fn clean() -> Severity {
        Severity {
            value: 0.0,
            text: "0".into(),
        }
    }

    /// That of a condition, which is there or not.
    pub fn whole() -> Severity {
        Severity {
            value: 1.0,
            text: "1".into(),
        }
    }

    /// The number.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// Whether nothing is pressed at all.
    pub fn is_clean(&self) -> bool {
        self.value == 0.0
    }

    fn checked(value: f64, text: String) -> Result<Severity, NotASeverity> {
        if value.is_finite() && value >= 0.0 {
            // Adding zero turns −0 into 0, so that equal severities have equal bits.
            Ok(Severity {
                value: value + 0.0,
                text: text.into(),
            })
        } else {
            Err(NotASeverity(text))
        }
    }
}

impl PartialEq for Severity {
    fn eq(&self, other: &Severity) -> bool {
        self.value == other.value
    }
}

impl Eq for Severity {}

impl PartialOrd for Severity {
    fn partial_cmp(&self, other: &Severity) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Severity {
    fn cmp(&self, other: &Severity) -> Ordering {
        self.value.total_cmp(&other.value)
    }
}

impl Hash for Severity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.to_bits().hash(state);
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl TryFrom<String> for Severity {
    type Error = NotASeverity;
    fn try_from(text: String) -> Result<Severity, NotASeverity> {
        Severity::parse(&text)
    }
}

impl From<Severity> for String {
    fn from(severity: Severity) -> String {
        severity.text.as_ref().into()
    }
}

impl fmt::Display for NotASeverity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is not a severity: a number at or above 0, or a fraction such as \"8/255\"",
            self.0
        )
    }
}

impl std::error::Error for NotASeverity {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_number_at_or_above_zero_is_refused() {
        for text in ["", "a", "1/0", "0/0", "-1", "1/-2", "nan", "inf", "1/2/3"] {
            assert!(Severity::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn minus_zero_is_the_clean_rung() {
        let zero = Severity::new(-0.0).unwrap();
        assert!(zero.is_clean());
        assert_eq!(zero.value().to_bits(), 0);
    }
}
