//! Which alternative a test looks at.

use std::fmt;

/// The alternative hypothesis: direction is a value, never a flipped sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Different, in either direction. Its p is twice the smaller tail, at most 1.
    TwoSided,
    /// The first sample is larger, or the association is positive.
    Greater,
    /// The first sample is smaller, or the association is negative.
    Less,
}

impl Side {
    /// The p-value on this side from the two tails `P(S ≤ s)` and `P(S ≥ s)`, each including `s`.
    ///
    /// ```
    /// use duress_stats::Side;
    ///
    /// assert_eq!(Side::TwoSided.of_tails(0.01, 0.99), 0.02);
    /// assert_eq!(Side::Greater.of_tails(0.01, 0.99), 0.99);
    /// ```
    #[must_use]
    pub fn of_tails(self, lower: f64, upper: f64) -> f64 {
        match self {
            Self::TwoSided => (2.0 * lower.min(upper)).min(1.0),
            Self::Greater => upper.min(1.0),
            Self::Less => lower.min(1.0),
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TwoSided => "two-sided",
            Self::Greater => "greater",
            Self::Less => "less",
        })
    }
}
