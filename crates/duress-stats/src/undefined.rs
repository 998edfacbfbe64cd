//! Why a number does not exist: the value a function returns instead of NaN, 0 or a panic.

use std::fmt;

/// The reason a statistic, a test or an interval has no value for the data given.
///
/// `UndefinedReason` is an ordinary result: it is stored and printed beside the numbers that do exist.
///
/// ```
/// use duress_stats::{Side, UndefinedReason, tests::paired_t};
///
/// let same = [0.8, 0.8, 0.8];
/// let why = paired_t(&same, &[0.5, 0.5, 0.5], Side::TwoSided, 0.95).unwrap_err();
/// assert_eq!(why, UndefinedReason::NoSpread { what: "the differences" });
/// assert_eq!(why.to_string(), "undefined: the differences are all equal");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum UndefinedReason {
    /// There are fewer units than the formula needs.
    TooFew {
        /// What is counted.
        what: &'static str,
        /// The smallest number that works.
        need: usize,
        /// The number there is.
        got: usize,
    },
    /// Two samples that must be paired have different lengths.
    Unpaired {
        /// Length of the first.
        left: usize,
        /// Length of the second.
        right: usize,
    },
    /// An input is infinite or not a number.
    NotFinite {
        /// Which input.
        what: &'static str,
        /// Its index.
        at: usize,
    },
    /// A parameter lies outside the range in which the question makes sense.
    OutOfRange {
        /// Which parameter.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What would have been accepted.
        expected: &'static str,
    },
    /// All values are equal, so there is no spread to compare with.
    NoSpread {
        /// What has no spread.
        what: &'static str,
    },
    /// A discrimination measure met one class only.
    OneClass {
        /// Number of positives.
        positives: usize,
        /// Number of negatives.
        negatives: usize,
    },
    /// Exact counting was asked for beyond the size at which it is done.
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The largest size that works.
        limit: usize,
        /// The size there is.
        got: usize,
    },
    /// So many resamples had no value that the rest would mislead.
    MostlyUndefined {
        /// Resamples without a value.
        undefined: usize,
        /// Resamples drawn.
        resamples: usize,
        /// The first reason met.
        first: Box<UndefinedReason>,
    },
    /// No finite answer exists, for instance a sample size that no number reaches.
    Unreachable {
        /// What cannot be reached.
        what: &'static str,
    },
    /// A reason given by a statistic that this crate does not know.
    Because(
        /// The reason, as a sentence fragment.
        String,
    ),
}

impl fmt::Display for UndefinedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "undefined: ")?;
        self.write_words(f)
    }
}

/// A reason without the word "undefined" before it.
struct Words<'a>(&'a UndefinedReason);

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write_words(f)
    }
}

impl UndefinedReason {
    /// The reason alone, for a message that does not say "undefined".
    ///
    /// ```
    /// use duress_stats::UndefinedReason;
    /// assert_eq!(UndefinedReason::NoSpread { what: "the values" }.in_words(), "the values are all equal");
    /// ```
    #[must_use]
    pub fn in_words(&self) -> String {
        Words(self).to_string()
    }

    fn write_words(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew { what, need, got } => {
                write!(f, "{got} {what}, at least {need} needed")
            }
            Self::Unpaired { left, right } => {
                write!(f, "{left} values cannot be paired with {right}")
            }
            Self::NotFinite { what, at } => write!(f, "{what}: value {at} is not a finite number"),
            Self::OutOfRange {
                what,
                value,
                expected,
            } => {
                write!(f, "{what} is {value}, expected {expected}")
            }
            Self::NoSpread { what } => write!(f, "{what} are all equal"),
            Self::OneClass {
                positives,
                negatives,
            } => {
                write!(
                    f,
                    "needs both classes, got {positives} positives and {negatives} negatives"
                )
            }
            Self::TooLarge { what, limit, got } => {
                write!(f, "{what} is {got}, exact counting stops at {limit}")
            }
            Self::MostlyUndefined {
                undefined,
                resamples,
                first,
            } => {
                write!(
                    f,
                    "{undefined} of {resamples} resamples had no value (the first: {first})"
                )
            }
            Self::Unreachable { what } => write!(f, "no finite {what} exists"),
            Self::Because(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for UndefinedReason {}
